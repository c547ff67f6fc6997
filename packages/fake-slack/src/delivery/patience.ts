import { setTimeout } from "node:timers/promises";

/** How long Slack waits. */
export interface Patience {
  /** For the app's answer to what it was sent, in milliseconds. */
  readonly answerWithinMs: number;
  /** Passes the time between an event and its retry. */
  wait(ms: number): Promise<void>;
}

export const slacksPatience: Patience = {
  answerWithinMs: 3000,
  // A retry that is minutes away keeps no process alive.
  wait: (ms) => setTimeout(ms, undefined, { ref: false }),
};
