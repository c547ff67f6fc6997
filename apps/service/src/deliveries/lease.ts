import type { Clocks } from "../config/surroundings.js";

/** How long this process may begin tries from a queue, by both of its clocks. */
export interface Lease {
  readonly wallUntil: number;
  readonly elapsedUntil: number;
}

/** A lease that starts now. Take it before the database is asked for it, so that it never lasts longer than there. */
export function startLease({ now, elapsed }: Clocks, ms: number): Lease {
  return { wallUntil: now() + ms, elapsedUntil: elapsed() + ms };
}

/** Whether another process may have taken the queue. The wall clock also counts the time that a machine was suspended. */
export function hasLapsed({ wallUntil, elapsedUntil }: Lease, { now, elapsed }: Clocks): boolean {
  return now() >= wallUntil || elapsed() >= elapsedUntil;
}
