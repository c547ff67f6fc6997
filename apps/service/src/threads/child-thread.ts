import { setTimeout } from "node:timers/promises";
import { type ResourceLimits, Worker } from "node:worker_threads";
import type { ThreadData } from "./own-thread.js";
import { fromSent, type SentError, ThreadCalls } from "./thread-calls.js";

// Pings are counted instead of measuring time: after a machine's sleep, the last answer would seem too old.
const PING_EVERY_MS = 5000;
const MAX_UNANSWERED = 6;

/** A thread of this process, and whether it still works. */
export class ChildThread {
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

  constructor(name: string, program: URL, workerData: ThreadData, resourceLimits: ResourceLimits = {}) {
    this.#name = name;
    this.#worker = new Worker(program, { workerData, execArgv: [], resourceLimits });
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

  /** The calls to it, once. From then on, it must answer calls of `metrics`. */
  connect(offered: ConstructorParameters<typeof ThreadCalls>[1]): ThreadCalls {
    const calls = new ThreadCalls(this.#worker, {
      ...offered,
      failed: async (error: SentError) => this.#fail(fromSent(error)),
    });
    this.#pings = setInterval(() => {
      if (this.#unanswered >= MAX_UNANSWERED) {
        const seconds = (MAX_UNANSWERED * PING_EVERY_MS) / 1000;
        this.#fail(new Error(`The ${this.#name} has not answered for ${seconds} seconds.`));
      }
      this.#unanswered += 1;
      void this.#askMetrics(calls);
    }, PING_EVERY_MS).unref();
    return calls;
  }

  /** Its metrics; the last known ones if it doesn't answer in time. */
  async metrics(calls: ThreadCalls, withinMs: number): Promise<string> {
    await Promise.race([this.#askMetrics(calls), setTimeout(withinMs, undefined, { ref: false })]);
    return this.#lastMetrics;
  }

  async #askMetrics(calls: ThreadCalls): Promise<void> {
    // A failure is reported otherwise.
    this.#lastMetrics = await calls.call<string>("metrics").catch(() => this.#lastMetrics);
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
