import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { DatabaseError } from "../errors.js";
import type { Statement } from "../statement.js";
import type { Batch } from "./batch.js";
import type { HeldFile, Loss } from "./held-file.js";
import type { Outcome, Runner } from "./session.js";

/** What the writer's thread is told to do. */
export type Message = Statement | First | Batch | Anyway | "look" | "close";

/** A statement that is run though the file is not where it was: one that saves its content. */
interface Anyway {
  readonly anyway: string;
}

/** The first statement of a transaction. */
interface First {
  readonly begin: Statement;
}

/** What it says to each message: the result of the session's method. */
export type Answer = { ok: true; result: unknown } | Failed;

interface Failed {
  readonly ok: false;
  readonly message: string;
  readonly code: string | undefined;
}

const MAX_CLOSE_MS = 5000;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** SQLite said no. `code` is its own name for it, such as SQLITE_FULL. */
class SqliteError extends Error {
  override readonly name = "SqliteError";
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

/** The connection that writes to a file, in a thread of its own. */
export class Writer implements Runner {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #broken: Error | undefined;
  /** Why nothing may be written now. */
  fault: DatabaseError | undefined;
  /** Called when a commit finds that the file is not where it was. */
  onMoved: () => void = () => {};

  private constructor({ file, fd, dev, ino }: HeldFile) {
    const workerData = { file, fd, dev, ino } satisfies HeldFile;
    this.#worker = new Worker(new URL("writer-thread.js", import.meta.url), { workerData, execArgv: [] });
    this.#worker.on("message", (answer: Answer) => {
      const waiting = this.#waiting.shift();
      if (answer.ok) waiting?.resolve(answer.result);
      else waiting?.reject(this.#toError(answer));
    });
    this.#worker.on("error", (error) => this.#break(error));
    this.#worker.on("exit", () => this.#break(new Error("The database is closed.")));
  }

  /** Opens a file that is there. */
  static async open(held: HeldFile): Promise<Writer> {
    const writer = new Writer(held);
    try {
      await writer.#answer();
    } catch (error) {
      await writer.close();
      throw error;
    }
    return writer;
  }

  async run({ sql, parameters }: Statement): Promise<Outcome> {
    return this.#ask<Outcome>({ sql, parameters });
  }

  async begin({ sql, parameters }: Statement): Promise<Outcome> {
    return this.#ask<Outcome>({ begin: { sql, parameters } });
  }

  async runAll(batch: Batch): Promise<unknown[][]> {
    return this.#ask<unknown[][]>(batch);
  }

  /** What has happened to the file; undefined if all is well. */
  async look(): Promise<Loss | undefined> {
    return this.#post<Loss | undefined>("look");
  }

  /** Runs a statement though nothing may be written now; gives its rows. */
  async runAnyway(sql: string): Promise<unknown[]> {
    return (await this.#post<Outcome>({ anyway: sql })).rows;
  }

  async close(): Promise<void> {
    if (this.#broken) return;
    const waited = new AbortController();
    const exited = once(this.#worker, "exit").then(() => waited.abort());
    this.#worker.postMessage("close");
    await Promise.race([exited, setTimeout(MAX_CLOSE_MS, undefined, waited).catch(() => {})]);
    // A thread that hangs in the disk does not keep the program from ending; the next start mends what it leaves behind.
    if (!this.#broken) void this.#worker.terminate();
  }

  async #ask<Result>(message: Statement | First | Batch): Promise<Result> {
    const isRollback = "sql" in message && message.sql === "rollback";
    if (this.fault && !isRollback) throw this.fault;
    return this.#post(message);
  }

  async #post<Result>(message: Message): Promise<Result> {
    if (this.#broken) throw this.#broken;
    this.#worker.postMessage(message);
    // The thread answers with what the session's method of the same name gives.
    return (await this.#answer()) as Result;
  }

  #answer(): Promise<unknown> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #toError({ message, code }: Failed): Error {
    if (code !== "moved") return new SqliteError(message, code);
    this.fault ??= new DatabaseError("moved", message);
    this.onMoved();
    return this.fault;
  }

  #break(error: Error): void {
    this.#broken ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#broken);
  }
}
