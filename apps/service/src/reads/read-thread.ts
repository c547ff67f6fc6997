import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Statement } from "@media-ops/database";
import type { ThreadData } from "../public-thread/thread.js";
import type { ReadCaller } from "./pace.js";
import type { Reads } from "./reads.js";
import { ThreadCalls } from "./thread-calls.js";

/** Reads that another thread runs. */
interface ReadThread {
  readonly reads: Reads;
  /** Settles with the reason if the thread ends by itself. */
  readonly failed: Promise<Error>;
  /** Ends the thread, after its reads were stopped. */
  stop(): Promise<void>;
}

// Less than the main thread waits for the public listener's thread.
const METRICS_MS = 500;
// They are asked for every few seconds.
const MAX_UNANSWERED = 6;

/** Starts a thread for reads. Calls wait until it has opened the database. */
export function startReadThread(
  data: ThreadData,
  write: (statements: readonly Statement[]) => Promise<unknown[][]>,
): ReadThread {
  const worker = new Worker(new URL("worker.js", import.meta.url), { workerData: data, execArgv: [] });
  const calls = new ThreadCalls(worker, { write });
  let lastMetrics = "";
  let unanswered = 0;
  const stuck = new AbortController();
  const failed = new Promise<Error>((resolve) => {
    worker.once("error", resolve);
    worker.once("exit", (code) => resolve(new Error(`The thread for reads ended by itself, with exit code ${code}.`)));
    stuck.signal.onabort = () => resolve(new Error("The thread for reads has not answered for half a minute."));
  });
  /** Its metrics; the last known ones while it is too busy to answer. */
  const metrics = async (): Promise<string> => {
    unanswered += 1;
    if (unanswered > MAX_UNANSWERED) stuck.abort();
    const answered = calls.call("metrics", undefined).then((text) => {
      lastMetrics = String(text);
      unanswered = 0;
    });
    await Promise.race([answered, setTimeout(METRICS_MS, undefined, { ref: false })]);
    return lastMetrics;
  };
  const read =
    (name: keyof Reads) =>
    async ({ signal, projectId, keyId }: ReadCaller, asked: unknown): Promise<never> =>
      withBuffer(await calls.call("read", { name, caller: { projectId, keyId }, asked }, signal));
  return {
    failed,
    reads: {
      search: read("search"),
      count: read("count"),
      live: read("live"),
      tokens: read("tokens"),
      endedTokens: read("endedTokens"),
      revocations: read("revocations"),
      countRevocations: read("countRevocations"),
      seats: read("seats"),
      deliveries: read("deliveries"),
      waitingDeliveries: read("waitingDeliveries"),
      audit: read("audit"),
      metrics,
      stop: async () => void (await calls.call("stop", undefined)),
    },
    async stop() {
      worker.removeAllListeners("exit");
      await calls.call("close", undefined).finally(() => worker.terminate());
    },
  };
}

/** A buffer arrives from another thread as plain bytes. */
function withBuffer(answer: unknown): never {
  const body = answer instanceof Object && "body" in answer ? answer.body : undefined;
  if (!(body instanceof Uint8Array)) return answer as never;
  return { ...Object(answer), body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) } as never;
}
