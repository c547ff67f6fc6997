import type { Logger } from "pino";
import type { LogStore } from "./log-store.js";

const HOUR_MS = 60 * 60 * 1000;

/** Deletes what has expired now and every hour, in the background. Gives what ends it. */
export function keepRetention(store: LogStore, log: Logger): () => Promise<void> {
  const stop = new AbortController();
  let running = run();
  const timer = setInterval(() => {
    running = running.then(run);
  }, HOUR_MS);
  timer.unref();

  async function run(): Promise<void> {
    try {
      const dropped = await store.dropExpired(stop.signal);
      if (dropped > 0) log.info({ dropped }, "log entries older than 30 days were deleted");
    } catch (error) {
      log.error({ err: error }, "deleting old log entries failed; it is tried again within an hour");
    }
  }

  return async () => {
    clearInterval(timer);
    stop.abort();
    await running;
  };
}
