import { createContext, useContext } from "react";
import type { ActionResult, PersonAction, PersonInfo, Scene } from "../../../src/window/protocol.js";
import { isObject, stringIn } from "../json.js";

/** The context of the whole page: the person, the workspace, and the available actions. */
export interface Stage {
  readonly you: PersonInfo;
  readonly people: Scene["people"];
  readonly places: Scene["places"];
  readonly app: Scene["app"];
  /** The id of the open conversation. */
  readonly here: string | undefined;
  readonly act: Act;
  /** Shows an error in a conversation, or else as a toast. */
  readonly report: (answer: ActionResult, where?: Where) => void;
}

/** A conversation, or a thread in it. */
export interface Where {
  readonly channelId: string;
  readonly threadTs?: string | undefined;
}

export const StageContext = createContext<Stage | undefined>(undefined);

export function useStage(): Stage {
  const stage = useContext(StageContext);
  if (!stage) throw new Error("useStage must be used inside a StageContext.");
  return stage;
}

type WithoutPerson<D> = D extends unknown ? Omit<D, "person"> : never;

/** An action without its person. */
export type WindowAction = WithoutPerson<PersonAction>;

type Act = (doing: WindowAction) => Promise<ActionResult>;

const UNREACHABLE = "The playground did not answer. Is it still running?";

export async function act(person: string, doing: WindowAction): Promise<ActionResult> {
  try {
    const response = await fetch("api/do", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...doing, person }),
    });
    if (response.ok) return await response.json();
    const answer: unknown = await response.json().catch(() => undefined);
    const error = isObject(answer) ? stringIn(answer.error) : "";
    return { error: error || `The playground answered with HTTP ${response.status}.` };
  } catch {
    return { error: UNREACHABLE };
  }
}
