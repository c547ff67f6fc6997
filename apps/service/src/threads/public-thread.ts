import type { Logger } from "pino";
import { DRAIN_MS, StartError } from "../http/listening.js";
import type { LogKind, NewEntry } from "../logs/log-store.js";
import type { PublicListener, PublicParts } from "../public-listener.js";
import { ChildThread } from "./child-thread.js";

// Less than Prometheus waits for an answer (10 s by default).
const METRICS_MS = 1000;
// A thread that is still running some time after its listener's last call was aborted is stuck.
const STOP_MS = DRAIN_MS + 500;
// A changed listing leaves hundreds of kB outside of the heap. Twice as large, V8 would mark the whole heap before this
// is full; half as large, it would copy more of what is kept of minted tokens.
const YOUNG_MB = 24;
// An operator can correct these, so that they need no stack.
const EXPECTED: readonly string[] = ["StartError", "DatabaseError"];

type StartParts = Pick<PublicParts, "writer" | "changes" | "write">;

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
    const limits = { maxYoungGenerationSizeMb: YOUNG_MB };
    this.#thread = new ChildThread("public listener's thread", program, { config, connections }, limits);
    this.#log = log;
  }

  /** Listens, once the database is open. @throws {StartError} if it cannot. */
  async start({ writer, write, changes }: StartParts): Promise<PublicListener> {
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
      metrics: () => thread.metrics(calls, METRICS_MS),
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
    if (await this.#thread.end(last, STOP_MS)) return;
    this.#log.error("the public listener's thread did not stop; its last calls are cut off, and may be in no log");
  }
}
