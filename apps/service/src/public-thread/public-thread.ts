import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { messageOf } from "@media-ops/database";
import type { Logger } from "pino";
import { DRAIN_MS, StartError } from "../http/listening.js";
import type { LogKind } from "../logs/log-store.js";
import type { EntryWriter } from "../logs/log-writer.js";
import type { PublicListener, PublicParts } from "../public-listener.js";
import type { FromThread, ToThread } from "./messages.js";
import type { ThreadData } from "./thread.js";

// Less than Prometheus waits for an answer (10 s by default).
const METRICS_MS = 1000;
// A thread that is still running some time after its listener's last call was aborted is stuck.
const STOP_MS = DRAIN_MS + 500;
const PING_EVERY_MS = 5000;
// Pings are counted instead of measuring time: after a machine's sleep, the last answer would seem too old.
const MAX_UNANSWERED = 6;
const TOKEN_KEY = /^(?:api|signing) key /;

/** The public listener in its own thread. It only reads the database; its log entries go to the main thread. */
export class PublicThread implements PublicListener {
  url = "";
  readonly failed: Promise<Error>;
  readonly #worker: Worker;
  readonly #log: Logger;
  readonly #exited: Promise<void>;
  readonly #asked: (() => void)[] = [];
  #writer: EntryWriter | undefined;
  #write: PublicParts["write"] | undefined;
  #vault: PublicParts["vault"] | undefined;
  #pings: NodeJS.Timeout | undefined;
  #fail: (error: Error) => void = () => {};
  #onListening: () => void = () => {};
  #isStopping = false;
  #unanswered = 0;
  #lastMetrics = "";

  /**
   * Starts to load the thread's program, which takes as long as the main thread's, so create it before loading that.
   *
   * @param connections The thread's maximum number of connections to PostgreSQL; undefined for SQLite.
   * @param program For tests.
   */
  constructor(
    { config, log }: Pick<PublicParts, "config" | "log">,
    connections: number | undefined,
    program: URL = new URL("worker.js", import.meta.url),
  ) {
    const workerData: ThreadData = {
      config: { ...config, masterKey: undefined, masterKeyFile: undefined },
      connections,
    };
    this.#worker = new Worker(program, { workerData, execArgv: [] });
    this.#log = log;
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
    this.#exited = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
    this.#worker.on("message", (message: FromThread) => this.#onMessage(message));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", (code) => {
      if (!this.#isStopping)
        this.#fail(new Error(`The public listener's thread ended by itself, with exit code ${code}.`));
    });
  }

  /**
   * Listens, once the database is open and its tables are up to date.
   *
   * @throws {StartError} if it cannot.
   */
  async start(
    parts: Pick<PublicParts, "writer" | "openFiles" | "changes" | "vault" | "write">,
  ): Promise<PublicListener> {
    this.#writer = parts.writer;
    this.#write = parts.write;
    this.#vault = parts.vault;
    parts.changes.on("change", (fault) => this.#send({ type: "database", fault: fault?.message }));
    const listening = new Promise<void>((resolve) => {
      this.#onListening = resolve;
    });
    this.#send({ type: "start", openFiles: parts.openFiles });
    const failure = await Promise.race([listening, this.failed]);
    if (failure) throw failure;
    this.#pings = setInterval(() => this.#ping(), PING_EVERY_MS).unref();
    return this;
  }

  /** Its metrics; the last known ones if the thread is too busy to answer. */
  async metrics(): Promise<string> {
    await Promise.race([this.#askMetrics(), setTimeout(METRICS_MS, undefined, { ref: false })]);
    return this.#lastMetrics;
  }

  #askMetrics(): Promise<void> {
    this.#send({ type: "metrics" });
    return new Promise((resolve) => this.#asked.push(resolve));
  }

  /** Ends the thread, started or not. Resolves once the writer has the entries of all answered calls. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#pings);
    this.#send({ type: "stop" });
    const isLate = setTimeout(STOP_MS, true, { ref: false });
    if (!(await Promise.race([this.#exited, isLate]))) return;
    this.#log.error("the public listener's thread did not stop; its last calls are cut off, and may be in no log");
    await this.#worker.terminate();
  }

  #onMessage(message: FromThread): void {
    switch (message.type) {
      case "listening":
        this.url = message.url;
        this.#onListening();
        return;
      case "metrics":
        this.#unanswered = 0;
        this.#lastMetrics = message.text;
        this.#asked.shift()?.();
        return;
      case "entries":
        for (const entry of message.entries) this.#writer?.record(entry);
        return;
      case "write":
        void this.#answerWrite(message);
        return;
      case "open":
        void this.#answerOpen(message);
        return;
      case "settle":
        void this.#settle(message.id, message.kind);
        return;
      case "failed":
        this.#fail(toError(message));
    }
  }

  async #settle(id: number, kind: LogKind | undefined): Promise<void> {
    await this.#writer?.settled(kind);
    this.#send({ type: "settled", id });
  }

  async #answerWrite({ id, statements }: Extract<FromThread, { type: "write" }>): Promise<void> {
    try {
      this.#send({ type: "written", id, rows: (await this.#write?.(statements)) ?? [] });
    } catch (error) {
      this.#send({ type: "written", id, fault: messageOf(error) });
    }
  }

  async #answerOpen({ id, sealed, purpose }: Extract<FromThread, { type: "open" }>): Promise<void> {
    try {
      // Only what tokens are signed and verified with: the thread that talks to the world gets no other secret.
      if (!TOKEN_KEY.test(purpose)) throw new Error("The public listener's thread gets only keys of tokens.");
      if (!this.#vault) throw new Error("The public listener's thread has not been started.");
      this.#send({ type: "opened", id, text: await this.#vault.open(sealed, purpose) });
    } catch (error) {
      this.#send({ type: "opened", id, fault: messageOf(error) });
    }
  }

  #ping(): void {
    if (this.#unanswered >= MAX_UNANSWERED) {
      const seconds = (MAX_UNANSWERED * PING_EVERY_MS) / 1000;
      this.#fail(new Error(`The public listener's thread has not answered for ${seconds} seconds.`));
    }
    this.#unanswered += 1;
    void this.#askMetrics();
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }
}

/** An expected failure has no stack: an operator can correct it. */
function toError({ message, stack }: Extract<FromThread, { type: "failed" }>): Error {
  if (stack === undefined) return new StartError(message);
  const error = new Error(message);
  error.stack = stack;
  return error;
}
