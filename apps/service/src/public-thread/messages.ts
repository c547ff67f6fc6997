import type { Statement } from "@media-ops/database";
import type { OpenFileShares } from "../config/share-open-files.js";
import type { LogKind, NewEntry } from "../logs/log-store.js";
import type { EntryWriter } from "../logs/log-writer.js";

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
  | { readonly type: "written"; readonly id: number; readonly fault: string }
  /** Answers the "open" of this number: the decrypted text, or why it could not be decrypted. */
  | { readonly type: "opened"; readonly id: number; readonly text: string }
  | { readonly type: "opened"; readonly id: number; readonly fault: string };

/** The messages of the thread. */
export type FromThread =
  | { readonly type: "listening"; readonly url: string }
  /** Answers the oldest "metrics" that is not yet answered. */
  | { readonly type: "metrics"; readonly text: string }
  /** Entries for the main thread, which alone writes. */
  | { readonly type: "entries"; readonly entries: readonly NewEntry[] }
  /** Statements for the main thread, which alone writes. */
  | { readonly type: "write"; readonly id: number; readonly statements: readonly Statement[] }
  /** A key of a token to decrypt for the main thread, which alone has the master key. */
  | { readonly type: "open"; readonly id: number; readonly sealed: string; readonly purpose: string }
  /** Requests "settled" for when the entries sent so far are written, or cannot be. */
  | { readonly type: "settle"; readonly id: number; readonly kind: LogKind | undefined }
  /** The thread cannot start or continue; an expected failure needs no stack. */
  | { readonly type: "failed"; readonly message: string; readonly stack: string | undefined };

// Each message costs both threads as much as several entries. Readers don't wait: see `settled`.
const GATHER_MS = 10;

/** Passes entries to the main thread's writer: those of some milliseconds in one message. */
export class EntryPort implements EntryWriter {
  readonly #send: (message: FromThread) => void;
  readonly #settling = new Map<number, () => void>();
  #entries: NewEntry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(send: (message: FromThread) => void) {
    this.#send = send;
  }

  record(entry: NewEntry): void {
    this.#entries.push(entry);
    this.#timer ??= setTimeout(() => this.flush(), GATHER_MS);
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
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#entries.length === 0) return;
    this.#send({ type: "entries", entries: this.#entries });
    this.#entries = [];
  }
}

/** Calls of the main thread that await an answer. */
class PendingCalls<Result> {
  readonly #waiting = new Map<number, { resolve(result: Result): void; reject(error: Error): void }>();
  #lastId = 0;

  /** @param send Receives the number of the call. */
  call(send: (id: number) => void): Promise<Result> {
    this.#lastId += 1;
    const id = this.#lastId;
    send(id);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  settle(id: number, answer: { readonly result: Result } | { readonly fault: string }): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if ("fault" in answer) waiting?.reject(new Error(answer.fault));
    else waiting?.resolve(answer.result);
  }
}

/** Passes statements to the main thread. */
export class WritePort {
  readonly #send: (message: FromThread) => void;
  readonly #pending = new PendingCalls<unknown[][]>();

  constructor(send: (message: FromThread) => void) {
    this.#send = send;
  }

  /** Runs statements in one transaction, all or none. Returns the rows of those that return rows, in order. */
  readonly write = (statements: readonly Statement[]): Promise<unknown[][]> =>
    this.#pending.call((id) =>
      this.#send({
        type: "write",
        id,
        // A compiled query has more members, which would be copied as well.
        statements: statements.map(({ sql, parameters }) => ({ sql, parameters })),
      }),
    );

  /** Receives the main thread's answer. */
  onWritten(message: Extract<ToThread, { type: "written" }>): void {
    this.#pending.settle(message.id, "fault" in message ? message : { result: message.rows });
  }
}

/** Has keys of tokens decrypted by the main thread. */
export class VaultPort {
  readonly #send: (message: FromThread) => void;
  readonly #pending = new PendingCalls<string>();

  constructor(send: (message: FromThread) => void) {
    this.#send = send;
  }

  open(sealed: string, purpose: string): Promise<string> {
    return this.#pending.call((id) => this.#send({ type: "open", id, sealed, purpose }));
  }

  /** Receives the main thread's answer. */
  onOpened(message: Extract<ToThread, { type: "opened" }>): void {
    this.#pending.settle(message.id, "fault" in message ? message : { result: message.text });
  }
}
