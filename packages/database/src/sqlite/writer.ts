import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Statement } from "../database.js";
import { DatabaseError } from "../errors.js";
import type { FileLoss, HeldFileRef } from "./files.js";
import type { StatementBatch, StatementResult } from "./session.js";

/** A request to the thread. A forced statement runs even if the file was moved or deleted: it saves its content. */
export type WriterRequest = Statement | StatementBatch | { readonly forced: Statement } | "look" | "close";

/** The response to each request: the result of the session's method, or its error. */
export type WriterResponse =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly message: string; readonly code: string };

const MAX_CLOSE_MS = 5000;

/** The connection that writes to a file, in its own thread. */
export class Writer {
  readonly #worker: Worker;
  readonly #pending: { resolve(result: unknown): void; reject(error: Error): void }[] = [];
  #broken: Error | undefined;

  private constructor({ file, fd, dev, ino }: HeldFileRef) {
    const workerData = { file, fd, dev, ino } satisfies HeldFileRef;
    this.#worker = new Worker(new URL("writer-thread.js", import.meta.url), { workerData, execArgv: [] });
    this.#worker.on("message", (response: WriterResponse) => {
      const request = this.#pending.shift();
      if (response.ok) request?.resolve(response.result);
      else request?.reject(toError(response.message, response.code));
    });
    this.#worker.on("error", (error) => this.#break(error));
    this.#worker.on("exit", () => this.#break(new Error("The database is closed.")));
  }

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
    return this.#post<StatementResult>({ sql, parameters });
  }

  async runAll(batch: StatementBatch): Promise<unknown[][]> {
    return this.#post<unknown[][]>(batch);
  }

  /** Runs a statement even if the file was moved; returns its rows. */
  async runForced(sql: string): Promise<unknown[]> {
    return (await this.#post<StatementResult>({ forced: { sql, parameters: [] } })).rows;
  }

  /** The change to the file; undefined if there is none. */
  async look(): Promise<FileLoss | undefined> {
    return this.#post<FileLoss | undefined>("look");
  }

  async close(): Promise<void> {
    if (this.#broken) return;
    this.#worker.postMessage("close");
    await Promise.race([once(this.#worker, "exit"), setTimeout(MAX_CLOSE_MS, undefined, { ref: false })]);
    // A thread that waits for the disk must not keep the program from ending; the next start recovers the database.
    if (!this.#broken) void this.#worker.terminate();
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

  #break(error: Error): void {
    this.#broken ??= error;
    for (const { reject } of this.#pending.splice(0)) reject(this.#broken);
  }
}

/** `code` is SQLite's name for an error, such as SQLITE_FULL. */
const toError = (message: string, code: string): Error =>
  code === "moved"
    ? new DatabaseError(code, message)
    : Object.assign(new Error(message), { name: "SqliteError", code });

/** Packs statements of one transaction. */
export function toBatch(statements: readonly Statement[]): StatementBatch {
  const texts = new Map<string, { index: number; count: number }>();
  const order: number[] = [];
  const values: unknown[] = [];
  for (const { sql, parameters } of statements) {
    const text = texts.get(sql) ?? { index: texts.size, count: parameters.length };
    texts.set(sql, text);
    order.push(text.index);
    for (const value of parameters) values.push(value);
  }
  return { texts: Array.from(texts, ([sql, { count }]) => ({ sql, count })), order, values };
}
