import type { Statement } from "@media-ops/database";
import type { ReadCaller } from "../reads/pace.js";
import type { Reads } from "../reads/reads.js";
import { ChildThread } from "./child-thread.js";
import type { ThreadData } from "./own-thread.js";

// Less than the main thread waits for the public listener's thread.
const METRICS_MS = 500;
const STOP_MS = 2000;
// Others wait while its survivors are copied, up to 65 ms with V8's 48 MB.
const YOUNG_MB = 3;

/** Starts a thread for reads. Calls wait until it has started. */
export function startReadThread(
  data: ThreadData,
  write: (statements: readonly Statement[]) => Promise<unknown[][]>,
): { reads: Reads; started: Promise<unknown>; failed: Promise<Error>; end(): Promise<unknown> } {
  const thread = new ChildThread("thread for reads", new URL("read-worker.js", import.meta.url), data, {
    maxYoungGenerationSizeMb: YOUNG_MB,
  });
  const calls = thread.connect({ write });
  const read =
    (name: keyof Reads) =>
    async ({ signal, projectId, keyId, isAct = false }: ReadCaller, asked: unknown): Promise<never> =>
      withBuffer(await calls.call("read", { name, caller: { projectId, keyId, isAct }, asked }, signal));
  return {
    started: calls.call("metrics"),
    failed: thread.failed,
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
      metrics: () => thread.metrics(calls, METRICS_MS),
      stop: () => calls.call("stop"),
    },
    end: () => thread.end(calls.call("close"), STOP_MS),
  };
}

/** A buffer arrives from another thread as plain bytes. */
function withBuffer(answer: unknown): never {
  const body = answer instanceof Object && "body" in answer ? answer.body : undefined;
  if (!(body instanceof Uint8Array)) return answer as never;
  return { ...Object(answer), body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) } as never;
}
