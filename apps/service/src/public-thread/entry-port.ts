import type { LogKind } from "../logs/kinds.js";
import type { NewEntry } from "../logs/log-store.js";
import type { EntryWriter } from "../logs/log-writer.js";
import type { FromThread } from "./messages.js";

/** Hands entries to the writer of the main thread: those of one turn of the event loop in one message. */
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

  /** Hands over all that has been recorded. */
  flush(): void {
    if (this.#entries.length === 0) return;
    this.#send({ type: "entries", entries: this.#entries });
    this.#entries = [];
  }
}
