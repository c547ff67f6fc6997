import type { Logger } from "pino";
import { DRAIN_MS, StartError } from "../http/listening.js";
import type { LogKind, NewEntry } from "../logs/log-store.js";
import type { PublicListener, PublicParts } from "../public-listener.js";
import { ChildThread } from "./child-thread.js";

// Less than Prometheus waits for an answer (10 s by default).
const METRICS_MS = 1000;
// A thread that is still running some time after its listener's last call was aborted is stuck.
const STOP_MS = DRAIN_MS + 500;
// A changed listing leaves a text of hundreds of kB outside of the heap. If the young generation were twice as large, 64
// MB of them would be reached before it is full, and then V8 marks the whole heap each time instead. If it were half as
// large, more of what is kept of minted tokens would be copied.
const YOUNG_MB = 24;
// An operator can correct these, so that they need no stack.
const EXPECTED: readonly string[] = ["StartError", "DatabaseError"];

type StartParts = Pick<PublicParts, "writer" | "changes" | "write">;

/** The public listener in its own thread. It reads the database itself; what it writes goes to the main thread's writer. */
export class PublicThread {
  readonly #thread: ChildThread;
  readonly #log: Logger;

  /**
   * Starts to load the thread's program, which takes as long as the main thread's, so create it before loading that.
   *
   * @param connections The thread's maximum number of connections to PostgreSQL; undefined for SQLite.
   * @param program For tests.
   */
  constructor(
    { config, log }: Pick<PublicParts, "config" | "log">,
    connections: number | undefined,
    program: URL = new URL("public-worker.js", import.meta.url),
  ) {
    const limits = { maxYoungGenerationSizeMb: YOUNG_MB };
    this.#thread = new ChildThread("public listener's thread", program, { config, connections }, limits);
    this.#log = log;
  }

  /**
   * Listens, once the database is open and its tables are up to date.
   *
   * @throws {StartError} if it cannot.
   */
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

  /** Ends the thread that was not started. */
  stop(): Promise<void> {
    return this.#end(Promise.resolve());
  }

  /** Resolves once the writer has the entries of all answered calls. */
  async #end(last: Promise<unknown>): Promise<void> {
    if (await this.#thread.end(last, STOP_MS)) return;
    this.#log.error("the public listener's thread did not stop; its last calls are cut off, and may be in no log");
  }
}
