import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import { DRAIN_MS, StartError } from "../http/listening.js";
import type { EntryWriter } from "../logs/log-writer.js";
import type { PublicListener, PublicParts } from "../outside.js";
import type { FromThread, ThreadData, ToThread } from "./messages.js";

// Less than Prometheus waits for an answer (10 s by default).
const METRICS_MS = 1000;
// A thread that has not ended some time after its listener's last call was cut off is stuck.
const STOP_MS = DRAIN_MS + 500;
const PING_EVERY_MS = 5000;
// Pings are counted instead of measuring time: after a machine has slept, no thread has answered for long.
const MAX_UNANSWERED = 6;

/**
 * Starts the public listener in a thread of its own. It only reads the database; its log entries go to `writer`.
 *
 * @param connections How many connections to PostgreSQL the thread may have; undefined for SQLite.
 */
export async function startPublicThread(
  { config, log, writer }: Pick<PublicParts, "config" | "log" | "writer">,
  connections: number | undefined,
): Promise<PublicListener> {
  const workerData: ThreadData = {
    config: { ...config, masterKey: undefined, masterKeyFile: undefined },
    connections,
  };
  const worker = new Worker(new URL("worker.js", import.meta.url), { workerData, execArgv: [] });
  const thread = new PublicThread(worker, writer, log);
  try {
    await thread.listening();
    return thread;
  } catch (error) {
    await thread.stop();
    throw error;
  }
}

class PublicThread implements PublicListener {
  url = "";
  readonly failed: Promise<Error>;
  readonly #worker: Worker;
  readonly #log: Logger;
  readonly #pings: NodeJS.Timeout;
  readonly #metrics: ((text: string) => void)[] = [];
  #fail: (error: Error) => void = () => {};
  #onListening: () => void = () => {};
  readonly #exited: Promise<void>;
  #unanswered = 0;
  #lastMetrics = "";

  constructor(worker: Worker, writer: EntryWriter, log: Logger) {
    this.#worker = worker;
    this.#log = log;
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
    this.#exited = new Promise((resolve) => worker.once("exit", () => resolve()));
    worker.on("message", (message: FromThread) => this.#onMessage(message, writer));
    worker.on("error", (error) => this.#fail(error));
    // After a failure or a stop nobody listens any more.
    worker.on("exit", (code) => this.#fail(new Error(`The public listener's thread ended by itself, with ${code}.`)));
    this.#pings = setInterval(() => this.#ping(), PING_EVERY_MS).unref();
  }

  /** Waits until it listens. Rejects if it cannot. */
  async listening(): Promise<void> {
    const listening = new Promise<void>((resolve) => {
      this.#onListening = resolve;
    });
    const failure = await Promise.race([listening, this.failed]);
    if (failure) throw failure;
  }

  /** The last known metrics if the thread is too busy to answer. */
  async metrics(): Promise<string> {
    const answered = new Promise<string>((resolve) => this.#metrics.push(resolve));
    this.#send({ type: "metrics" });
    await Promise.race([answered, setTimeout(METRICS_MS, undefined, { ref: false })]);
    return this.#lastMetrics;
  }

  async stop(): Promise<void> {
    clearInterval(this.#pings);
    this.#send({ type: "stop" });
    const isLate = setTimeout(STOP_MS, true, { ref: false });
    if (!(await Promise.race([this.#exited, isLate]))) return;
    this.#log.error("the public listener's thread did not stop; its last calls are cut off, and may be in no log");
    await this.#worker.terminate();
  }

  #onMessage(message: FromThread, writer: EntryWriter): void {
    switch (message.type) {
      case "listening":
        this.url = message.url;
        this.#onListening();
        return;
      case "pong":
        this.#unanswered = 0;
        return;
      case "metrics":
        this.#lastMetrics = message.text;
        this.#metrics.shift()?.(message.text);
        return;
      case "entries":
        for (const entry of message.entries) writer.record(entry);
        return;
      case "settle":
        void writer.settled(message.kind).finally(() => this.#send({ type: "settled", id: message.id }));
        return;
      case "failed":
        this.#fail(toError(message));
    }
  }

  #ping(): void {
    if (this.#unanswered >= MAX_UNANSWERED) {
      const seconds = (MAX_UNANSWERED * PING_EVERY_MS) / 1000;
      this.#fail(new Error(`The public listener's thread has not answered for ${seconds} seconds.`));
    }
    this.#unanswered += 1;
    this.#send({ type: "ping" });
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }
}

/** An expected failure comes without a stack, and is the operator's to mend. */
function toError({ message, stack }: Extract<FromThread, { type: "failed" }>): Error {
  if (stack === undefined) return new StartError(message);
  const error = new Error(message);
  error.stack = stack;
  return error;
}
