import { setTimeout as elapsed } from "node:timers/promises";

type Stop = () => unknown;

/** A list of everything to stop, in reverse order. */
export interface Stops {
  /** Adds stops that run concurrently. */
  add(...stops: readonly Stop[]): void;
  /** Stops everything, and gives up on stops that take too long. Can be called more than once. */
  stop(): Promise<void>;
}

// The longest a person should wait after Ctrl-C.
const ALL_MS = 4000;
// A slow stop leaves at least this time for each of the others.
const LEAST_MS = 300;

/**
 * Creates an empty list of stops.
 *
 * @param allMs The time limit for all stops together.
 */
export function createStops(onLate: () => void, allMs = ALL_MS): Stops {
  const groups: (readonly Stop[])[] = [];
  let stopped: Promise<void> | undefined;
  async function stopAll(): Promise<void> {
    const until = performance.now() + allMs;
    for (let group = groups.pop(); group; group = groups.pop()) {
      const ms = Math.max(LEAST_MS, until - performance.now() - groups.length * LEAST_MS);
      const ended = await Promise.all(group.map((stop) => within(ms, Promise.resolve().then(stop))));
      if (ended.includes(false)) onLate();
    }
  }
  return {
    add: (...stops) => void groups.push(stops),
    stop() {
      stopped ??= stopAll();
      return stopped;
    },
  };
}

/** Waits for work with a time limit. Resolves to whether it succeeded in time. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController();
  const isDone = work.then(
    () => true,
    () => false,
  );
  const isLate = elapsed(ms, false, { signal: ended.signal }).catch(() => false);
  return Promise.race([isDone, isLate]).finally(() => ended.abort());
}
