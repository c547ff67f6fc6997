import { setTimeout } from "node:timers/promises";
import { Health } from "./health.js";

const READ_AT_ONCE = 500;

/** What a {@link Follower} reads, and what it does with it. */
export interface FollowerOptions<Row> {
  /** Reads rows that have changed since a version, in their order, and tells which version they lead to. */
  read(version: number, limit: number): Promise<{ rows: readonly Row[]; version: number }>;
  keep(row: Row): void;
  /** How often it is looked. */
  everyMs: number;
  /** Told when it can no more be read, and when it can again (without an error); what is known stays known. */
  onChange(error: unknown): void;
}

/** Keeps up with rows that others change, so that they can be looked up in memory. */
export class Follower<Row> {
  readonly #options: FollowerOptions<Row>;
  readonly #timer: NodeJS.Timeout;
  #version = 0;
  #reading: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #soon: Promise<void> | undefined;
  #lastSoon = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  private constructor(options: FollowerOptions<Row>) {
    this.#options = options;
    const health = new Health(options.onChange);
    this.#timer = setInterval(() => health.try(() => this.refresh()), options.everyMs).unref();
  }

  /** Reads all there is, and then what changes. */
  static async start<Row>(options: FollowerOptions<Row>): Promise<Follower<Row>> {
    const follower = new Follower(options);
    try {
      await follower.refresh();
    } catch (error) {
      follower.close();
      throw error;
    }
    return follower;
  }

  /** Reads what has changed up to now. Many who ask at once share one reading, which begins after they asked. */
  refresh(): Promise<void> {
    if (!this.#reading) {
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
      });
      return this.#reading;
    }
    this.#next ??= this.#reading
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.refresh();
      });
    return this.#next;
  }

  /** The same, but at most once in so many milliseconds: callers that ask in between share the next reading. */
  refreshSoon(everyMs: number): Promise<void> {
    this.#soon ??= this.#refreshAfter(this.#lastSoon + everyMs - performance.now());
    return this.#soon;
  }

  async #refreshAfter(ms: number): Promise<void> {
    await setTimeout(Math.max(0, ms), undefined, { ref: false });
    this.#lastSoon = performance.now();
    this.#soon = undefined;
    // The database may be closed by then, too.
    if (!this.#isClosed) await this.refresh();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  async #read(): Promise<void> {
    for (;;) {
      const { rows, version } = await this.#options.read(this.#version, READ_AT_ONCE);
      for (const row of rows) this.#options.keep(row);
      this.#version = version;
      if (rows.length < READ_AT_ONCE) return;
    }
  }
}
