import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Statement } from "../database.js";
import { DatabaseError } from "../errors.js";
import type { FileLoss, HeldFileRef } from "./held-file.js";
import type { Runner, StatementBatch, StatementResult } from "./session.js";

/** A request to the writer's thread. */
export type WriterRequest = Statement | FirstStatement | StatementBatch | ForcedStatement | "look" | "close";

/** A statement that runs even if the file was moved or deleted: one that saves its content. */
interface ForcedStatement {
  readonly forced: string;
}

/** The first statement of a transaction. */
interface FirstStatement {
  readonly begin: Statement;
}

/** The response to each request: the result of the session's method, or its error. */
export type WriterResponse = { readonly ok: true; readonly result: unknown } | WriterFailure;

interface WriterFailure {
  readonly ok: false;
  readonly message: string;
  readonly code: string;
}

const MAX_CLOSE_MS = 5000;

interface PendingRequest {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** An error of SQLite. `code` is its own name for it, such as SQLITE_FULL. */
class SqliteError extends Error {
  override readonly name = "SqliteError";
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** The connection that writes to a file, in a thread of its own. */
export class Writer implements Runner {
  readonly #worker: Worker;
  readonly #pending: PendingRequest[] = [];
  #broken: Error | undefined;
  /** Why nothing may be written now. */
  fault: DatabaseError | undefined;
  /** Called when a commit finds that the file is not where it was. */
  onMoved: () => void = () => {};

  private constructor({ file, fd, dev, ino }: HeldFileRef) {
    const workerData = { file, fd, dev, ino } satisfies HeldFileRef;
    this.#worker = new Worker(new URL("writer-thread.js", import.meta.url), { workerData, execArgv: [] });
    this.#worker.on("message", (response: WriterResponse) => {
      const request = this.#pending.shift();
      if (response.ok) request?.resolve(response.result);
      else request?.reject(this.#toError(response));
    });
    this.#worker.on("error", (error) => this.#break(error));
    this.#worker.on("exit", () => this.#break(new Error("The database is closed.")));
  }

  /** Opens a file that is there. */
  static async open(held: HeldFileRef): Promise<Writer> {
    const writer = new Writer(held);
    try {
      await writer.#response();
    } catch (error) {
      await writer.close();
      throw error;
    }
    return writer;
  }

  async run({ sql, parameters }: Statement): Promise<StatementResult> {
    return this.#ask<StatementResult>({ sql, parameters });
  }

  async begin({ sql, parameters }: Statement): Promise<StatementResult> {
    return this.#ask<StatementResult>({ begin: { sql, parameters } });
  }

  async runAll(batch: StatementBatch): Promise<unknown[][]> {
    return this.#ask<unknown[][]>(batch);
  }

  /** What has happened to the file; undefined if all is well. */
  async look(): Promise<FileLoss | undefined> {
    return this.#post<FileLoss | undefined>("look");
  }

  /** Runs a statement even if nothing may be written now; returns its rows. */
  async runForced(sql: string): Promise<unknown[]> {
    return (await this.#post<StatementResult>({ forced: sql })).rows;
  }

  async close(): Promise<void> {
    if (this.#broken) return;
    const waited = new AbortController();
    const exited = once(this.#worker, "exit").then(() => waited.abort());
    this.#worker.postMessage("close");
    await Promise.race([exited, setTimeout(MAX_CLOSE_MS, undefined, waited).catch(() => {})]);
    // A thread that waits for the disk must not keep the program from ending; the next start recovers the database.
    if (!this.#broken) void this.#worker.terminate();
  }

  async #ask<Result>(request: Statement | FirstStatement | StatementBatch): Promise<Result> {
    const isRollback = "sql" in request && request.sql === "rollback";
    if (this.fault && !isRollback) throw this.fault;
    return this.#post(request);
  }

  async #post<Result>(request: WriterRequest): Promise<Result> {
    if (this.#broken) throw this.#broken;
    this.#worker.postMessage(request);
    // The thread responds with the result of the session's method of the same name.
    return (await this.#response()) as Result;
  }

  #response(): Promise<unknown> {
    return new Promise((resolve, reject) => this.#pending.push({ resolve, reject }));
  }

  #toError({ message, code }: WriterFailure): Error {
    if (code !== "moved") return new SqliteError(message, code);
    this.fault ??= new DatabaseError("moved", message);
    this.onMoved();
    return this.fault;
  }

  #break(error: Error): void {
    this.#broken ??= error;
    for (const { reject } of this.#pending.splice(0)) reject(this.#broken);
  }
}
