import type { ReadyAnswer } from "../http/send-answer.js";
import { startOfDay } from "../storage/day-partitions.js";
import type { Batch } from "./batch.js";
import type { LogKind } from "./kinds.js";
import { type Listings, type LogStore, type NewEntry, WINDOW_MS } from "./log-store.js";
import type { LogTable } from "./log-table.js";

/** The logs as they lie in a database, and their listings. */
export class CachedLogStore implements LogStore {
  readonly #table: LogTable;
  readonly #listings: Listings;
  readonly #now: () => number;

  private constructor(table: LogTable, listings: Listings, now: () => number) {
    this.#table = table;
    this.#listings = listings;
    this.#now = now;
  }

  static async open(table: LogTable, listings: Listings, now: () => number): Promise<CachedLogStore> {
    await table.prepare(now());
    return new CachedLogStore(table, listings, now);
  }

  append(entries: readonly NewEntry[], batch?: Batch): Promise<void> {
    return this.#table.append(entries, batch);
  }

  list(projectId: string, kind: LogKind): Promise<ReadyAnswer> {
    return this.#listings.list(projectId, kind);
  }

  async tidy(signal: AbortSignal): Promise<string | undefined> {
    const now = this.#now();
    await this.#table.prepare(now);
    await this.#table.forgetBatches(signal);
    // Whole days only: within a day, what is old lies beside what is still shown.
    return this.#table.dropBefore(startOfDay(now) - WINDOW_MS, signal);
  }
}
