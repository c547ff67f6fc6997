import type { ProblemError } from "@media-ops/contract";

/** An operation of the fake: answers a request of the project. A {@link Refused} becomes a 400. */
export type Operation = (
  body: object,
  call: { signal: AbortSignal; by: string | undefined; requestId: string },
) => Answer | Promise<Answer>;

/** What is sent for a call. */
export interface Answer {
  data: object;
  headers?: Record<string, string>;
}

/** The refusal of a request because of what is in it. */
export class Refused extends Error {
  readonly faults: readonly ProblemError[];

  constructor(...faults: ProblemError[]) {
    super(faults[0]?.detail);
    this.faults = faults;
  }
}
