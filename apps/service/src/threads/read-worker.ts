// Runs in its own thread, so that what one project reads takes no time from the listings and tokens of all others.
import { createLog } from "../log.js";
import type { ReadCaller } from "../reads/pace.js";
import { type Reads, startReads } from "../reads/reads.js";
import { collectThreadMetrics, inThread, openInThread } from "./own-thread.js";
import { ThreadCalls } from "./thread-calls.js";

// Listings and tokens get three times as much of a busy core.
const NICER_BY = 5;

const { port, data } = inThread(NICER_BY);
const ownMetrics = collectThreadMetrics("media_reads_");
const opening = openInThread(data);
const starting = opening.then((database) =>
  startReads({
    database,
    write: (statements) => calls.call("write", statements),
    config: data.config,
    log: createLog({ level: data.config.logLevel }),
    now: Date.now,
    elapsed: performance.now.bind(performance),
  }),
);
// Ends the thread, and with it the process: without it, no read would ever be answered.
starting.catch((error: unknown) => setImmediate(() => Promise.reject(error)));

type Name = Exclude<keyof Reads, "metrics" | "stop">;

const calls = new ThreadCalls(port, {
  async read({ name, caller, asked }: { name: Name; caller: Omit<ReadCaller, "signal">; asked: never }, signal) {
    const reads = await starting;
    return reads[name]({ ...caller, signal }, asked);
  },
  async metrics() {
    const reads = await starting;
    return (await Promise.all([reads.metrics(), ownMetrics.metrics()])).join("\n");
  },
  stop: async () => (await starting).stop(),
  close: async () => (await opening).close(),
});
