import { createContext, useContext } from "react";
import type { DeedAnswer, PersonInfo, Scene } from "../../../src/window/protocol.js";
import type { Act } from "./deeds.js";

/** What all parts of the page know: who looks, who else is there, and how to do something. */
export interface Stage {
  readonly you: PersonInfo;
  readonly people: Scene["people"];
  readonly places: Scene["places"];
  readonly app: Scene["app"];
  readonly act: Act;
  /** Shows what went wrong: in a conversation, or where there is none, beside it. */
  readonly report: (answer: DeedAnswer, channelId?: string) => void;
}

export const StageContext = createContext<Stage | undefined>(undefined);

export function useStage(): Stage {
  const stage = useContext(StageContext);
  if (!stage) throw new Error("Nothing is shown before the playground has told what there is.");
  return stage;
}
