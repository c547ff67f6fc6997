import { within } from "./within.js";

type Stop = () => unknown;

/** What has been opened and must be closed, the last first. */
export interface Stops {
  /** Those that are added together are stopped together. */
  add(...stops: readonly Stop[]): void;
  /** Stops everything; whatever does not end soon is left behind. May be called more than once. */
  stop(): Promise<void>;
}

// What a person waits for behind Ctrl-C.
const ALL_MS = 4000;
// A slow one leaves this to each that comes after it.
const LEAST_MS = 300;

export function createStops(onLate: () => void): Stops {
  const groups: (readonly Stop[])[] = [];
  let stopped: Promise<void> | undefined;
  async function stopAll(): Promise<void> {
    const until = performance.now() + ALL_MS;
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
