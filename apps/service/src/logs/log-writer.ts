import { Health } from "../storage/health.js";
import { type Batch, batchNames } from "./batch.js";
import type { LogKind } from "./kinds.js";
import type { NewEntry } from "./log-store.js";

// One commit writes so many: more would hold up for long those who come next.
const MAX_COMMIT = 2000;
// What nobody waits for waits for company: at most 40 commits a second are its doing.
const COMPANY_MS = 25;
const RETRY_MS = 1000;

/** Options of {@link LogWriter}. */
export interface LogWriterOptions {
  /** Writes entries. If it fails, they are given again as the same batch, since they may be written. */
  commit(entries: readonly NewEntry[], batch: Batch): Promise<void>;
  /** Told once when writing begins to fail, and once when it works again (without an error). */
  onChange?(error: unknown): void;
  /** Told how many recorded entries were given up. */
  onLost?(count: number): void;
  /**
   * How many recorded entries may wait while nothing can be written; beyond that the oldest are given up.
   * @default 50_000
   */
  maxWaiting?: number;
}

/** A batch, and what of it has not been given up. */
interface Tried extends Batch {
  readonly entries: NewEntry[];
}

/** Where entries go that no caller waits for: to the writer of this thread, or to that of another. */
export type EntryWriter = Pick<LogWriter, "record" | "settled">;

/** Writes entries that nobody waits for: soon, many in one commit, and again as long as they cannot be written. */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #maxWaiting: number;
  #recorded: NewEntry[] = [];
  /** The kinds of what is recorded, and of what is just being written. */
  #recordedKinds = new Set<LogKind>();
  #writtenKinds = new Set<LogKind>();
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #health: Health;
  #isClosed = false;
  readonly #nextBatch = batchNames();
  /** The batch that failed; it is tried again before anything else. */
  #failed: Tried | undefined;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#maxWaiting = options.maxWaiting ?? 50_000;
    this.#health = new Health((error) => options.onChange?.(error));
  }

  /** Why the last commit failed; undefined as long as all is well. */
  get error(): unknown {
    return this.#health.error;
  }

  /** How many entries are not yet written. */
  get waiting(): number {
    return this.#recorded.length + (this.#failed?.entries.length ?? 0);
  }

  /** Writes an entry soon, and tries again as long as it cannot be written. */
  record(entry: NewEntry): void {
    this.#recorded.push(entry);
    this.#recordedKinds.add(entry.kind);
    this.#shed();
    this.#timer ??= setTimeout(() => this.#start(), COMPANY_MS);
  }

  /** Whether an entry of a kind may not be written yet. */
  isWaiting(kind: LogKind): boolean {
    return this.#recordedKinds.has(kind) || this.#writtenKinds.has(kind);
  }

  /** Waits until what has been recorded so far, of one kind if it is named, is written or cannot be. */
  async settled(kind?: LogKind): Promise<void> {
    if (kind !== undefined && !this.isWaiting(kind)) return;
    await this.#running;
    if (this.waiting === 0) return;
    this.#start();
    await this.#running;
  }

  /** Writes now all that waits. Rejects where it cannot be written. */
  async flush(): Promise<void> {
    await this.#running;
    while (this.waiting > 0) {
      this.#start();
      await this.#running;
      if (this.error !== undefined) throw this.error;
    }
  }

  /** Gives up what could not be written. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.waiting > 0) this.#options.onLost?.(this.waiting);
    this.#recorded = [];
    this.#failed = undefined;
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#isClosed) return;
      if (this.waiting > 0) this.#timer ??= setTimeout(() => this.#start(), this.#pause());
    });
  }

  async #run(): Promise<void> {
    const tried = this.#failed ?? { ...this.#nextBatch(), entries: this.#recorded.splice(0, MAX_COMMIT) };
    this.#failed = undefined;
    this.#writtenKinds = this.#recordedKinds;
    this.#recordedKinds = new Set(this.#recorded.length > 0 ? this.#writtenKinds : []);
    const { entries, writer, number } = tried;
    try {
      if (entries.length > 0) await this.#options.commit(entries, { writer, number });
      this.#health.note(undefined);
    } catch (error) {
      this.#failed = tried;
      this.#recordedKinds = new Set([...this.#writtenKinds, ...this.#recordedKinds]);
      this.#shed();
      this.#health.note(error);
    } finally {
      this.#writtenKinds = new Set();
    }
  }

  #pause(): number {
    return this.error === undefined ? COMPANY_MS : RETRY_MS;
  }

  #shed(): void {
    const surplus = this.waiting - this.#maxWaiting;
    if (surplus <= 0) return;
    // Of a batch that failed, what is left stays the same batch: if it was written, so was what is left of it.
    const shed = this.#failed?.entries.splice(0, surplus).length ?? 0;
    this.#recorded.splice(0, surplus - shed);
    this.#options.onLost?.(surplus);
  }
}
