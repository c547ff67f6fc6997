import { setTimeout as elapsed } from "node:timers/promises";

type Stop = () => unknown;

// The longest a person should wait after Ctrl-C.
const ALL_MS = 4000;
// A slow stop leaves at least this time for each of the others.
const LEAST_MS = 300;

/** A list of everything to stop, in reverse order. */
export class Stops {
  readonly #onLate: () => void;
  readonly #allMs: number;
  readonly #groups: (readonly Stop[])[] = [];
  #stopped: Promise<void> | undefined;

  /** @param allMs The time limit for all stops together. */
  constructor(onLate: () => void, allMs = ALL_MS) {
    this.#onLate = onLate;
    this.#allMs = allMs;
  }

  add(...stops: readonly Stop[]): void {
    this.#groups.push(stops);
  }

  /** Stops everything, and gives up on stops that take too long. Can be called more than once. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async #stopAll(): Promise<void> {
    const until = performance.now() + this.#allMs;
    for (let group = this.#groups.pop(); group; group = this.#groups.pop()) {
      const ms = Math.max(LEAST_MS, until - performance.now() - this.#groups.length * LEAST_MS);
      const ended = await Promise.all(group.map((stop) => within(ms, Promise.resolve().then(stop))));
      if (ended.includes(false)) this.#onLate();
    }
  }
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
