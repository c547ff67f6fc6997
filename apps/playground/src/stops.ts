import { within } from "./within.js";

type Stop = () => unknown;

/** What has been opened and must be closed, the last first. */
export interface Stops {
  /** Those that are added together are stopped together. */
  add(...stops: readonly Stop[]): void;
  /** Stops everything; whatever does not end soon is left behind. May be called more than once. */
  stop(): Promise<void>;
}

// Three of these are within what a person waits for behind Ctrl-C.
const EACH_MS = 1400;

export function createStops(onLate: () => void): Stops {
  const groups: (readonly Stop[])[] = [];
  let stopped: Promise<void> | undefined;
  async function stopAll(): Promise<void> {
    for (const group of groups.reverse()) {
      const ended = await Promise.all(group.map((stop) => within(EACH_MS, Promise.resolve().then(stop))));
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
