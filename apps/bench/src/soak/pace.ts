import { setTimeout } from "node:timers/promises";

/** How long something goes on, and who is told where it goes wrong. */
export interface Pace {
  readonly signal: AbortSignal;
  onFault(fault: unknown): void;
}

/** Does some work every so many milliseconds, one after the other, until the signal; gives how often it went right. */
export async function steadily(
  everyMs: number,
  work: (nth: number) => Promise<void>,
  { signal, onFault }: Pace,
): Promise<number> {
  let done = 0;
  let due = performance.now() + Math.random() * everyMs;
  for (let nth = 0; ; nth++) {
    await setTimeout(Math.max(0, due - performance.now()), undefined, { signal }).catch(() => {});
    if (signal.aborted) return done;
    try {
      await work(nth);
      done += 1;
    } catch (fault) {
      onFault(fault);
    }
    // What took too long is not made up for: the pace stays steady.
    due = Math.max(due + everyMs, performance.now());
  }
}
