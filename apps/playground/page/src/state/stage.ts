import { createContext, useContext } from "react";
import type { ActionResult, PersonAction, PersonInfo, Scene } from "../../../src/window/protocol.js";
import { isObject, stringIn } from "../json.js";

/** What all parts of the page know: who looks, who else is there, and how to do something. */
export interface Stage {
  readonly you: PersonInfo;
  readonly people: Scene["people"];
  readonly places: Scene["places"];
  readonly app: Scene["app"];
  readonly act: Act;
  /** Shows what went wrong: in a conversation, or where there is none, beside it. */
  readonly report: (answer: ActionResult, channelId?: string) => void;
}

export const StageContext = createContext<Stage | undefined>(undefined);

export function useStage(): Stage {
  const stage = useContext(StageContext);
  if (!stage) throw new Error("Nothing is shown before the playground has told what there is.");
  return stage;
}

type WithoutPerson<D> = D extends unknown ? Omit<D, "person"> : never;

/** What is done, whoever does it. */
export type WindowAction = WithoutPerson<PersonAction>;

export type Act = (doing: WindowAction) => Promise<ActionResult>;

const UNREACHABLE = "The playground did not answer. Is it still running?";

export async function act(person: string, doing: WindowAction): Promise<ActionResult> {
  try {
    const response = await fetch("api/do", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...doing, person }),
    });
    const answer: unknown = await response.json().catch(() => undefined);
    const { shownError, error } = isObject(answer) ? answer : {};
    if (!response.ok) return { error: stringIn(error) || `That could not be done: ${response.status}.` };
    return { ...(stringIn(shownError) && { shownError: stringIn(shownError) }) };
  } catch {
    return { error: UNREACHABLE };
  }
}
