import type { Statement } from "@media-ops/database";
import type { Config } from "../config/config.js";
import type { OpenFileShares } from "../config/share-open-files.js";
import type { LogKind, NewEntry } from "../logs/log-store.js";
import type { EntryWriter } from "../logs/log-writer.js";

/** The data with which the public listener's thread is started. */
export interface ThreadData {
  /** Without the master key, which only the main thread needs. */
  readonly config: Config;
  /** How many connections to PostgreSQL it may have; undefined for SQLite. */
  readonly connections: number | undefined;
}

/** The messages of the main thread. */
export type ToThread =
  /** The database is open, its tables up to date. */
  | { readonly type: "start"; readonly openFiles: OpenFileShares }
  /** Also sent periodically, to check whether the thread still answers. */
  | { readonly type: "metrics" }
  /** Why the database cannot be used; undefined if it can be used again. */
  | { readonly type: "database"; readonly fault: string | undefined }
  | { readonly type: "stop" }
  /** Answers the "settle" of this number. */
  | { readonly type: "settled"; readonly id: number }
  /** Answers the "write" of this number: the rows that its statements returned, or why it failed. */
  | { readonly type: "written"; readonly id: number; readonly rows: unknown[][] }
  | { readonly type: "written"; readonly id: number; readonly fault: string };

/** The messages of the thread. */
export type FromThread =
  | { readonly type: "listening"; readonly url: string }
  /** Answers the oldest "metrics" that is not yet answered. */
  | { readonly type: "metrics"; readonly text: string }
  /** Entries for the main thread, which alone writes. */
  | { readonly type: "entries"; readonly entries: readonly NewEntry[] }
  /** Statements for the main thread, which alone writes. */
  | { readonly type: "write"; readonly id: number; readonly statements: readonly Statement[] }
  /** Requests "settled" for when the entries sent so far are written, or cannot be. */
  | { readonly type: "settle"; readonly id: number; readonly kind: LogKind | undefined }
  /** The thread cannot start or continue; an expected failure needs no stack. */
  | { readonly type: "failed"; readonly message: string; readonly stack: string | undefined };

/** Passes entries to the main thread's writer: those of one turn of the event loop in one message. */
export class EntryPort implements EntryWriter {
  readonly #send: (message: FromThread) => void;
  readonly #settling = new Map<number, () => void>();
  #entries: NewEntry[] = [];
  #lastId = 0;

  constructor(send: (message: FromThread) => void) {
    this.#send = send;
  }

  record(entry: NewEntry): void {
    if (this.#entries.push(entry) === 1) setImmediate(() => this.flush());
  }

  settled(kind?: LogKind): Promise<void> {
    this.flush();
    this.#lastId += 1;
    const id = this.#lastId;
    this.#send({ type: "settle", id, kind });
    return new Promise((resolve) => this.#settling.set(id, resolve));
  }

  /** Receives the main thread's answer to {@link settled}. */
  onSettled(id: number): void {
    this.#settling.get(id)?.();
    this.#settling.delete(id);
  }

  /** Sends all recorded entries. */
  flush(): void {
    if (this.#entries.length === 0) return;
    this.#send({ type: "entries", entries: this.#entries });
    this.#entries = [];
  }
}

/** Passes statements to the main thread. */
export class WritePort {
  readonly #send: (message: FromThread) => void;
  readonly #waiting = new Map<number, { resolve(rows: unknown[][]): void; reject(error: Error): void }>();
  #lastId = 0;

  constructor(send: (message: FromThread) => void) {
    this.#send = send;
  }

  /** Runs statements in one transaction, all or none. Returns the rows of those that return rows, in order. */
  readonly write = (statements: readonly Statement[]): Promise<unknown[][]> => {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#send({ type: "write", id, statements });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  };

  /** Receives the main thread's answer. */
  onWritten(message: Extract<ToThread, { type: "written" }>): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ("fault" in message) waiting?.reject(new Error(message.fault));
    else waiting?.resolve(message.rows);
  }
}
