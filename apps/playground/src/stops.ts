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

/** @param allMs How long all of them may take together. */
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

/** Waits for something, but no longer than this. Says whether it came about; an error is none of that. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([
      work.then(
        () => true,
        () => false,
      ),
      late,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
