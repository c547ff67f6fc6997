import type { Logger } from "pino";

/** Some work that is done now and then, in the background. */
export interface Chore {
  readonly name: string;
  readonly everyMs: number;
  /** Done a little at a time; ends early when told to. */
  work(signal: AbortSignal): Promise<void>;
}

/** Does chores now and again and again, one after another. Gives what ends it. */
export function keepHouse(chores: readonly Chore[], log: Logger): () => Promise<void> {
  const stop = new AbortController();
  let running = Promise.resolve();
  const timers = chores.map(({ name, everyMs, work }) => {
    const run = (): void => {
      running = running
        .then(() => work(stop.signal))
        .catch((error) => log.error({ err: error }, `${name} failed; it is tried again`));
    };
    run();
    return setInterval(run, everyMs).unref();
  });
  return async () => {
    for (const timer of timers) clearInterval(timer);
    stop.abort();
    await running;
  };
}
