import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Statement } from "@media-ops/database";
import type { Logger } from "pino";
import { DRAIN_MS, StartError } from "../http/listening.js";
import type { LogKind, NewEntry } from "../logs/log-store.js";
import type { PublicListener, PublicParts } from "../public-listener.js";
import type { ReadCaller } from "../reads/pace.js";
import type { Reads } from "../reads/reads.js";
import type { ThreadData } from "./own-thread.js";
import { fromSent, type SentError, ThreadCalls } from "./thread-calls.js";

// Pings are counted instead of measuring time: after a machine's sleep, the last answer would seem too old.
const PING_EVERY_MS = 5000;
const MAX_UNANSWERED = 6;

/** A thread of this process, and whether it still works. */
class ChildThread {
  /** Settles with the reason if it fails, ends by itself, or no longer answers. */
  readonly failed: Promise<Error>;
  readonly #name: string;
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  #fail: (error: Error) => void = () => {};
  #pings: NodeJS.Timeout | undefined;
  #unanswered = 0;
  #isEnding = false;
  #lastMetrics = "";
  #calls: ThreadCalls | undefined;

  constructor(name: string, program: URL, workerData: ThreadData, youngMb: number) {
    this.#name = name;
    this.#worker = new Worker(program, {
      workerData,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: youngMb },
    });
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
    this.#worker.on("error", this.#fail);
    this.#exited = new Promise((resolve) => {
      this.#worker.on("exit", (code) => {
        if (!this.#isEnding) this.#fail(new Error(`The ${name} ended by itself, with exit code ${code}.`));
        resolve();
      });
    });
  }

  /** Makes calls to it possible. From then on, it must answer those of `metrics`. */
  connect(offered: ConstructorParameters<typeof ThreadCalls>[1]): ThreadCalls {
    this.#calls = new ThreadCalls(this.#worker, {
      ...offered,
      failed: async (error: SentError) => this.#fail(fromSent(error)),
    });
    this.#pings = setInterval(() => {
      if (this.#unanswered >= MAX_UNANSWERED) {
        const seconds = (MAX_UNANSWERED * PING_EVERY_MS) / 1000;
        this.#fail(new Error(`The ${this.#name} has not answered for ${seconds} seconds.`));
      }
      this.#unanswered += 1;
      void this.#askMetrics();
    }, PING_EVERY_MS).unref();
    return this.#calls;
  }

  /** Its metrics; the last known ones if it doesn't answer in time. */
  async metrics(withinMs: number): Promise<string> {
    await Promise.race([this.#askMetrics(), setTimeout(withinMs, undefined, { ref: false })]);
    return this.#lastMetrics;
  }

  async #askMetrics(): Promise<void> {
    // A failure is reported otherwise.
    const metrics = await this.#calls?.call<string>("metrics").catch(() => undefined);
    this.#lastMetrics = metrics ?? this.#lastMetrics;
    this.#unanswered = 0;
  }

  /** Ends it after its last call. Returns whether it ended in time. */
  async end(last: Promise<unknown>, withinMs: number): Promise<boolean> {
    clearInterval(this.#pings);
    this.#isEnding = true;
    // A last call that fails has ended, too.
    const ended = Promise.race([last.catch(() => {}), this.#exited]).then(() => true);
    const isInTime = await Promise.race([ended, setTimeout(withinMs, false, { ref: false })]);
    await this.#worker.terminate();
    return isInTime;
  }
}

// Less than Prometheus waits for an answer (10 s by default).
const PUBLIC_METRICS_MS = 1000;
// A thread that is still running some time after its listener's last call was aborted is stuck.
const PUBLIC_STOP_MS = DRAIN_MS + 500;
// A changed listing leaves hundreds of kB outside of the heap. Twice as large, V8 would mark the whole heap before this
// is full; half as large, it would copy more of what is kept of minted tokens.
const PUBLIC_YOUNG_MB = 24;
// An operator can correct these, so that they need no stack.
const EXPECTED: readonly string[] = ["StartError", "DatabaseError"];

/** The public listener in its own thread. What it writes goes to the main thread's writer. */
export class PublicThread {
  readonly #thread: ChildThread;
  readonly #log: Logger;

  /** Starts to load the thread's program: create it before loading the main one, which takes as long. */
  constructor(
    { config, log }: Pick<PublicParts, "config" | "log">,
    connections: number | undefined,
    program: URL = new URL("public-worker.js", import.meta.url),
  ) {
    this.#thread = new ChildThread("public listener's thread", program, { config, connections }, PUBLIC_YOUNG_MB);
    this.#log = log;
  }

  /** Listens, once the database is open. @throws {StartError} if it cannot. */
  async start({ writer, write, changes }: Pick<PublicParts, "writer" | "changes" | "write">): Promise<PublicListener> {
    const thread = this.#thread;
    const calls = thread.connect({
      async entries(entries: readonly NewEntry[]) {
        for (const entry of entries) writer.record(entry);
      },
      settled: (kind: LogKind | undefined) => writer.settled(kind),
      write,
    });
    changes.on("change", (fault) => void calls.call("database", fault?.message));
    const failure = thread.failed.then((error) => {
      throw error;
    });
    const url = await Promise.race([calls.call<string>("start"), failure]).catch((error: Error) => {
      const cause = error.cause instanceof Error ? error.cause : error;
      throw EXPECTED.includes(cause.name) ? new StartError(cause.message) : cause;
    });
    return {
      url,
      failed: thread.failed,
      metrics: () => thread.metrics(PUBLIC_METRICS_MS),
      stop: () =>
        this.#end(
          calls.call("stop").catch(({ cause }: Error) => {
            this.#log.error({ err: cause }, "the public listener's thread did not stop as it should");
          }),
        ),
    };
  }

  stop(): Promise<void> {
    return this.#end(Promise.resolve());
  }

  /** Resolves once the writer has the entries of all answered calls. */
  async #end(last: Promise<unknown>): Promise<void> {
    if (await this.#thread.end(last, PUBLIC_STOP_MS)) return;
    this.#log.error("the public listener's thread did not stop; its last calls are cut off, and may be in no log");
  }
}

// Less than the main thread waits for the public listener's thread.
const READS_METRICS_MS = 500;
const READS_STOP_MS = 2000;
// Others wait while its survivors are copied, up to 65 ms with V8's 48 MB.
const READS_YOUNG_MB = 3;

/** Starts a thread for reads. Calls wait until it has started. */
export function startReadThread(
  data: ThreadData,
  write: (statements: readonly Statement[]) => Promise<unknown[][]>,
): { reads: Reads; started: Promise<unknown>; failed: Promise<Error>; end(): Promise<unknown> } {
  const thread = new ChildThread("thread for reads", new URL("read-worker.js", import.meta.url), data, READS_YOUNG_MB);
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
      metrics: () => thread.metrics(READS_METRICS_MS),
      stop: () => calls.call("stop"),
    },
    end: () => thread.end(calls.call("close"), READS_STOP_MS),
  };
}

/** A buffer arrives from another thread as plain bytes. */
function withBuffer(answer: unknown): never {
  const body = answer instanceof Object && "body" in answer ? answer.body : undefined;
  if (!(body instanceof Uint8Array)) return answer as never;
  return { ...Object(answer), body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) } as never;
}
