import type { LogKind, NewEntry } from "../logs/log-store.js";
import type { EntryWriter } from "../logs/log-writer.js";
import type { ThreadCalls } from "./thread-calls.js";

// Each message costs both threads as much as several entries. Readers don't wait: see `settled`.
const GATHER_MS = 10;

/** Passes entries to the main thread's writer: those of some milliseconds in one message. */
export class EntryPort implements EntryWriter {
  readonly #calls: Pick<ThreadCalls, "call">;
  #entries: NewEntry[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(calls: Pick<ThreadCalls, "call">) {
    this.#calls = calls;
  }

  record(entry: NewEntry): void {
    this.#entries.push(entry);
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  async settled(kind?: LogKind): Promise<void> {
    void this.flush();
    await this.#calls.call("settled", kind);
  }

  /** Sends all recorded entries. Resolves once the writer has them. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const entries = this.#entries;
    this.#entries = [];
    if (entries.length > 0) await this.#calls.call("entries", entries);
  }
}
