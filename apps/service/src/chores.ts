import type { Logger } from "pino";

/** Periodic background work. */
export interface Chore {
  /** Names the chore in the log if it fails. */
  readonly name: string;
  readonly everyMs: number;
  /** Works in small steps, and ends early when the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

/** Runs each chore at once and then regularly, one after another. Returns a function that stops them. */
export function startChores(chores: readonly Chore[], log: Logger): () => Promise<void> {
  const stop = new AbortController();
  let running = Promise.resolve();
  const timers = chores.map(({ name, everyMs, run }) => {
    const runNext = (): void => {
      running = running
        .then(() => run(stop.signal))
        .catch((error) => log.error({ err: error }, `${name} failed; it is tried again`));
    };
    runNext();
    return setInterval(runNext, everyMs).unref();
  });
  return async () => {
    for (const timer of timers) clearInterval(timer);
    stop.abort();
    await running;
  };
}
