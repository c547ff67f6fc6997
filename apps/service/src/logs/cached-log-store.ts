import type { ReadyAnswer } from "../http/send-answer.js";
import type { Batch } from "./batch.js";
import type { LogKind } from "./kinds.js";
import type { Listings, LogStore, NewEntry } from "./log-store.js";
import type { LogTable } from "./log-table.js";
import { expiredBefore } from "./retention.js";

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

  async tidy(time: number | undefined, signal: AbortSignal): Promise<string | undefined> {
    await this.#table.prepare(this.#now());
    if (time === undefined) return undefined;
    await this.#table.forgetBatches(time, signal);
    return this.#table.dropBefore(expiredBefore(time), signal);
  }
}
