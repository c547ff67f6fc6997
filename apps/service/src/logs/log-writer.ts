import { Health } from "../health.js";
import { PartlyWritten } from "../storage/postgres-writer.js";
import { type Batch, batchNames, type LogKind, type NewEntry } from "./log-store.js";

// A larger commit would delay the entries after it for long.
const MAX_COMMIT = 2000;
// Batches entries that no caller awaits, so that they cause at most 40 commits a second.
const BATCH_MS = 25;
const RETRY_MS = 1000;

/** Options of {@link LogWriter}. */
export interface LogWriterOptions {
  /**
   * Writes entries. If it fails, they are passed again as the same batch, since they may have been written. If it fails
   * with `PartlyWritten`, only those of some projects are.
   */
  commit(entries: readonly NewEntry[], batch: Batch): Promise<void>;
  /** Called with an error when writing begins to fail, and without one when it works again. */
  onChange?(error: unknown): void;
  /**
   * How many recorded entries may wait while writing fails; beyond that, the oldest are lost.
   *
   * @default 50_000
   */
  maxWaiting?: number;
}

/** A failed batch, with those of its entries that are not lost. */
interface FailedBatch extends Batch {
  readonly entries: NewEntry[];
}

/** Accepts entries that no caller awaits, in this thread or for another. */
export type EntryWriter = Pick<LogWriter, "record" | "settled">;

/** Writes entries that no caller awaits: soon, many in one commit, and retried until they can be written. */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #maxWaiting: number;
  readonly #health: Health;
  readonly #nextBatch = batchNames();
  #recorded: NewEntry[] = [];
  #recordedKinds = new Set<LogKind>();
  /** The kinds in the current commit. */
  #writtenKinds = new Set<LogKind>();
  /** Written again before any other entries. */
  #failed: FailedBatch | undefined;
  /** Batches of which only some projects' entries have failed: the other projects do not wait for them. */
  #stuck: FailedBatch[] = [];
  /** Later entries of the projects in stuck batches. */
  #held: NewEntry[] = [];
  #retryStuckAt = 0;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #lost = 0;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#maxWaiting = options.maxWaiting ?? 50_000;
    this.#health = new Health((error) => options.onChange?.(error));
  }

  /** The error of the last commit; undefined if it succeeded. */
  get error(): unknown {
    return this.#health.error;
  }

  /** How many entries are not yet written. */
  get waiting(): number {
    const failed = [this.#failed, ...this.#stuck].reduce((sum, batch) => sum + (batch?.entries.length ?? 0), 0);
    return this.#recorded.length + this.#held.length + failed;
  }

  /** How many entries were given up because they could not be written. */
  get lost(): number {
    return this.#lost;
  }

  /** Writes an entry soon, and retries until it can be written. */
  record(entry: NewEntry): void {
    this.#recorded.push(entry);
    this.#recordedKinds.add(entry.kind);
    this.#dropSurplus();
    this.#timer ??= setTimeout(() => this.#start(), BATCH_MS);
  }

  /** Whether an entry of a kind may still be unwritten. */
  isWaiting(kind: LogKind): boolean {
    return this.#recordedKinds.has(kind) || this.#writtenKinds.has(kind);
  }

  /** Waits until the entries recorded so far, or those of one kind, are written or have failed. */
  async settled(kind?: LogKind): Promise<void> {
    if (kind !== undefined && !this.isWaiting(kind)) return;
    await this.#running;
    if (this.waiting === 0) return;
    this.#start();
    await this.#running;
  }

  /** Writes all recorded entries now. Rejects if they cannot be written. */
  async flush(): Promise<void> {
    await this.#running;
    while (this.waiting > 0) {
      this.#start();
      await this.#running;
      if (this.error !== undefined) throw this.error;
    }
  }

  /** Gives up all unwritten entries. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#lost += this.waiting;
    this.#recorded = [];
    this.#held = [];
    this.#failed = undefined;
    this.#stuck = [];
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#isClosed || this.waiting === 0) return;
      this.#timer ??= setTimeout(() => this.#start(), this.error === undefined ? BATCH_MS : RETRY_MS);
    });
  }

  async #run(): Promise<void> {
    const stuckError = await this.#retryStuck();
    const batch = this.#failed ?? { ...this.#nextBatch(), entries: this.#take() };
    this.#failed = undefined;
    this.#writtenKinds = this.#recordedKinds;
    this.#recordedKinds = new Set(this.#recorded.length > 0 ? this.#writtenKinds : []);
    const { entries, writer, number } = batch;
    try {
      if (entries.length > 0) await this.#options.commit(entries, { writer, number });
      this.#health.note(stuckError);
    } catch (error) {
      if (error instanceof PartlyWritten) this.#stuck.push(failedPart(batch, error));
      else this.#failed = batch;
      this.#recordedKinds = new Set([...this.#writtenKinds, ...this.#recordedKinds]);
      this.#dropSurplus();
      this.#health.note(error);
    } finally {
      this.#writtenKinds = new Set();
    }
  }

  /** The entries of the next batch, without those of projects in stuck batches. */
  #take(): NewEntry[] {
    const entries = this.#recorded.splice(0, MAX_COMMIT);
    if (this.#stuck.length === 0) return entries;
    const stuck = new Set(this.#stuck.flatMap((batch) => batch.entries.map(({ projectId }) => projectId)));
    this.#held.push(...entries.filter(({ projectId }) => stuck.has(projectId)));
    return entries.filter(({ projectId }) => !stuck.has(projectId));
  }

  /** Writes stuck batches again from time to time. Returns the error if some still fail. */
  async #retryStuck(): Promise<unknown> {
    if (this.#stuck.length === 0 || performance.now() < this.#retryStuckAt) {
      return this.#stuck.length === 0 ? undefined : this.error;
    }
    let failure: unknown;
    const still: FailedBatch[] = [];
    for (const batch of this.#stuck) {
      const { entries, writer, number } = batch;
      await this.#options.commit(entries, { writer, number }).catch((error) => {
        failure = error;
        still.push(error instanceof PartlyWritten ? failedPart(batch, error) : batch);
      });
    }
    if (this.#isClosed) return failure;
    this.#stuck = still;
    this.#retryStuckAt = performance.now() + RETRY_MS;
    // Those of projects that are still stuck are held again.
    this.#recorded.unshift(...this.#held.splice(0));
    return failure;
  }

  #dropSurplus(): void {
    const surplus = this.waiting - this.#maxWaiting;
    if (surplus <= 0) return;
    let left = surplus;
    // The rest of a failed batch keeps its name: if the batch was written after all, so was the rest.
    for (const entries of [...this.#stuck, this.#failed].map((batch) => batch?.entries)) {
      left -= entries?.splice(0, left).length ?? 0;
    }
    left -= this.#held.splice(0, left).length;
    this.#recorded.splice(0, left);
    this.#lost += surplus;
  }
}

/** The entries of a batch that could not be written. */
const failedPart = (batch: FailedBatch, { failed }: PartlyWritten): FailedBatch => ({
  ...batch,
  entries: batch.entries.filter(({ projectId }) => failed.has(projectId)),
});
