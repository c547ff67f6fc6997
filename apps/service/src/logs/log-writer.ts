import { Health } from "../health.js";
import { PartlyWritten } from "../storage/postgres-writer.js";
import { batchNames, byProject, type LogKind, type NewEntry, type ProjectBatch } from "./log-store.js";

// A larger commit would delay the entries after it for long.
const MAX_COMMIT = 2000;
// Batches entries that no caller awaits, so that they cause at most 40 commits a second.
const BATCH_MS = 25;
const RETRY_MS = 1000;

/** Options of {@link LogWriter}. */
export interface LogWriterOptions {
  /** Writes a batch of each project; those that fail are passed again, as they may have been written. */
  commit(batches: readonly ProjectBatch[]): Promise<void>;
  /** Called with an error when writing begins to fail, and without one when it works again. */
  onChange?(error: unknown): void;
  /** How many recorded entries may wait while writing fails; beyond that, the oldest are lost. @default 50_000 */
  maxWaiting?: number;
}

interface FailedBatch extends ProjectBatch {
  readonly entries: NewEntry[];
  readonly retryAt: number;
}

/** Accepts entries that no caller awaits, in this thread or for another. */
export type EntryWriter = Pick<LogWriter, "record" | "settled">;

/** Writes entries that no caller awaits: soon, many in one commit, and retried until they can be written. */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #maxWaiting: number;
  readonly #health: Health;
  readonly #nextBatch = batchNames();
  /** Entries without a batch. Those of a project with a failed batch wait for it. */
  #recorded: NewEntry[] = [];
  /** At most one of each project, the oldest first. */
  #failed: FailedBatch[] = [];
  /** How many entries of each kind are not written, those of the current commit included. */
  readonly #unwritten = new Map<LogKind, number>();
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #lost = 0;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#maxWaiting = options.maxWaiting ?? 50_000;
    this.#health = new Health((error) => options.onChange?.(error));
  }

  get error(): unknown {
    return this.#health.error;
  }

  /** How many entries are not yet written, without those of the current commit. */
  get waiting(): number {
    return this.#failed.reduce((sum, { entries }) => sum + entries.length, this.#recorded.length);
  }

  get lost(): number {
    return this.#lost;
  }

  record(entry: NewEntry): void {
    this.#recorded.push(entry);
    this.#unwritten.set(entry.kind, (this.#unwritten.get(entry.kind) ?? 0) + 1);
    this.#dropSurplus();
    this.#timer ??= setTimeout(() => this.#start(), BATCH_MS);
  }

  /** Whether an entry of a kind may still be unwritten. */
  isWaiting(kind: LogKind): boolean {
    return (this.#unwritten.get(kind) ?? 0) > 0;
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

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#lost += this.waiting;
    this.#recorded = [];
    this.#failed = [];
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
    const batches = this.#take();
    if (batches.length === 0) return;
    let failed: readonly ProjectBatch[] = [];
    try {
      await this.#options.commit(batches);
      if (this.#failed.length === 0) this.#health.note(undefined);
    } catch (error) {
      const isPart = error instanceof PartlyWritten;
      failed = isPart ? batches.filter(({ projectId }) => error.failed.has(projectId)) : batches;
      // The other projects do not wait for those that cannot be written.
      const retryAt = isPart ? performance.now() + RETRY_MS : 0;
      if (!this.#isClosed) {
        this.#failed.push(...failed.map((batch) => ({ ...batch, entries: [...batch.entries], retryAt })));
      }
      this.#health.note(error);
    }
    for (const batch of batches) if (!failed.includes(batch)) this.#forget(batch.entries);
    this.#dropSurplus();
  }

  /** The failed batches that are due, and new ones of projects without. */
  #take(): ProjectBatch[] {
    const now = performance.now();
    const due = this.#failed.filter(({ retryAt }) => retryAt <= now);
    const projects = new Set(this.#failed.map(({ projectId }) => projectId));
    this.#failed = this.#failed.filter((batch) => !due.includes(batch));
    const most = MAX_COMMIT - due.reduce((sum, { entries }) => sum + entries.length, 0);
    const [fresh, others]: [NewEntry[], NewEntry[]] = [[], []];
    for (const entry of this.#recorded) {
      const isTaken = fresh.length < most && !projects.has(entry.projectId);
      (isTaken ? fresh : others).push(entry);
    }
    this.#recorded = others;
    const batch = fresh.length > 0 ? this.#nextBatch() : undefined;
    return [
      ...due,
      ...byProject(fresh, ({ projectId }) => projectId).map(([projectId, entries]) => ({ projectId, entries, batch })),
    ];
  }

  #dropSurplus(): void {
    let surplus = this.waiting - this.#maxWaiting;
    if (surplus <= 0) return;
    this.#lost += surplus;
    // The rest of a failed batch keeps its name: if the batch was written after all, so was the rest.
    for (const entries of [...this.#failed.map((batch) => batch.entries), this.#recorded]) {
      const dropped = entries.splice(0, surplus);
      this.#forget(dropped);
      surplus -= dropped.length;
    }
  }

  #forget(entries: readonly NewEntry[]): void {
    for (const { kind } of entries) this.#unwritten.set(kind, (this.#unwritten.get(kind) ?? 0) - 1);
  }
}
