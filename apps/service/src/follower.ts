import { setTimeout } from "node:timers/promises";
import { Health } from "./health.js";

const READ_LIMIT = 5000;
// If a read fails after this, the calls that wait for the next one fail, too: they have waited long enough.
const PATIENCE_MS = 2000;

/** Options of {@link Follower}. */
export interface FollowerOptions<Row> {
  /** Reads the rows that have changed since a version, in order. Returns them with the version of the last one. */
  read(version: number, limit: number): Promise<{ rows: readonly Row[]; version: number }>;
  keep(row: Row): void;
  everyMs: number;
  /** Called with an error when reading begins to fail, and without one when it works again. Known rows stay known. */
  onChange(error: unknown): void;
}

/** Tracks rows that other processes change, for lookups in memory. */
export class Follower<Row> {
  readonly #options: FollowerOptions<Row>;
  #timer: NodeJS.Timeout | undefined;
  #version = 0;
  #reading: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #soon: Promise<void> | undefined;
  #lastSoon = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #asOf = Number.NEGATIVE_INFINITY;

  private constructor(options: FollowerOptions<Row>) {
    this.#options = options;
  }

  /** Reads all rows, and from then on those that change. */
  static async start<Row>(options: FollowerOptions<Row>): Promise<Follower<Row>> {
    const follower = new Follower(options);
    await follower.refresh();
    const health = new Health(options.onChange);
    follower.#timer = setInterval(() => health.try(() => follower.refresh()), options.everyMs).unref();
    return follower;
  }

  /** Reads the changes up to now. Concurrent callers share one read, which begins after their calls. */
  refresh(): Promise<void> {
    if (!this.#reading) {
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
      });
      return this.#reading;
    }
    const since = performance.now();
    this.#next ??= this.#reading
      .catch((error) => {
        if (performance.now() - since > PATIENCE_MS) throw error;
      })
      .finally(() => {
        this.#next = undefined;
      })
      .then(() => this.refresh());
    return this.#next;
  }

  /** Like `refresh`, but at most once in this many milliseconds: callers in between share the next read. */
  refreshSoon(everyMs: number): Promise<void> {
    this.#soon ??= this.#refreshAfter(this.#lastSoon + everyMs - performance.now());
    return this.#soon;
  }

  /** Waits until the rows are known as they were at most this many milliseconds ago. Rejects if they cannot be read. */
  async upToDate(withinMs: number): Promise<void> {
    if (performance.now() - this.#asOf > withinMs) await this.refresh();
  }

  async #refreshAfter(ms: number): Promise<void> {
    await setTimeout(Math.max(0, ms), undefined, { ref: false });
    this.#lastSoon = performance.now();
    this.#soon = undefined;
    // The database may be closed by now as well.
    if (!this.#isClosed) await this.refresh();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  async #read(): Promise<void> {
    const beganAt = performance.now();
    for (;;) {
      const { rows, version } = await this.#options.read(this.#version, READ_LIMIT);
      for (const row of rows) this.#options.keep(row);
      this.#version = version;
      if (rows.length < READ_LIMIT) break;
    }
    this.#asOf = beganAt;
  }
}
