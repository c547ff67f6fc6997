import { setImmediate } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { ReadyAnswer } from "../http/send-answer.js";
import type { Batch } from "./batch.js";
import { kindNumbers, type LogKind } from "./kinds.js";
import { Listing } from "./listing.js";
import { type LogStore, type NewEntry, WINDOW_MS } from "./log-store.js";
import type { LogName, LogTable } from "./log-table.js";
import { expiredBefore } from "./retention.js";
import { sortKey } from "./sort-key.js";

// With more, the log is read anew as fast.
const MAX_NEWER = 100;
// What comes late comes by a few places: calls that go on at once are logged as they end, by when they began.
const LATE = 50;

/** The logs as they lie in a database. A log that is looked at again and again is read once, and then what is new. */
export class CachedLogStore implements LogStore {
  readonly #table: LogTable;
  readonly #now: () => number;
  readonly #cache: LRUCache<string, Listing>;
  /** What has been asked for and is not yet looked up. */
  readonly #asked = new Map<string, Promise<ReadyAnswer>>();

  private constructor(table: LogTable, now: () => number, cacheBytes: number) {
    this.#table = table;
    this.#now = now;
    this.#cache = new LRUCache({ maxSize: cacheBytes, sizeCalculation: ({ size }) => size });
  }

  /** @param cacheBytes How much memory the listings may take that are kept. */
  static async open(table: LogTable, now: () => number, cacheBytes: number): Promise<CachedLogStore> {
    await table.prepare(now());
    return new CachedLogStore(table, now, cacheBytes);
  }

  append(entries: readonly NewEntry[], batch?: Batch): Promise<void> {
    return this.#table.append(entries, batch);
  }

  /** Whoever asks for the same log before it is looked up shares the answer: it is as new as all of them may ask for. */
  list(projectId: string, kind: LogKind): Promise<ReadyAnswer> {
    const log: LogName = [projectId, kindNumbers[kind]];
    const name = log.join();
    const asked = this.#asked.get(name);
    if (asked) return asked;
    // By then, all calls that have come in meanwhile have been read.
    const answer = setImmediate().then(() => {
      this.#asked.delete(name);
      return this.#lookUp(log, name);
    });
    this.#asked.set(name, answer);
    return answer;
  }

  async #lookUp(log: LogName, name: string): Promise<ReadyAnswer> {
    const since = sortKey(new Date(this.#now() - WINDOW_MS).toISOString());
    const cached = this.#cache.get(name);
    const upToDate = cached && (await this.#bringUpToDate(cached, log, since));
    const listing = upToDate ?? (await this.#read(log, since));
    if (listing !== cached) this.#cache.set(name, listing);
    return { body: listing.body, gzipped: () => this.#gzipped(name, listing) };
  }

  async #gzipped(name: string, listing: Listing): Promise<Buffer> {
    const { size } = listing;
    const gzipped = await listing.gzipped();
    if (listing.size !== size && this.#cache.peek(name) === listing) {
      // The cache asks for the size of what is new to it.
      this.#cache.delete(name);
      this.#cache.set(name, listing);
    }
    return gzipped;
  }

  async #read(log: LogName, since: string): Promise<Listing> {
    const { seq, body, lengths } = await this.#table.newest(log, since);
    return new Listing(seq, body ?? Buffer.from("[]"), lengths?.split(",").map(Number) ?? []);
  }

  /** Reads only what has come since; undefined where that does not do, as entries are too old or too many. */
  async #bringUpToDate(cached: Listing, log: LogName, since: string): Promise<Listing | undefined> {
    const seq = await this.#table.seqOf(log);
    if (cached.seq === seq) return isWithin(cached, since) ? cached : undefined;
    const count = seq - cached.seq;
    // Whoever has read the log after us, and was faster, knows more than we do.
    if (count > MAX_NEWER || count < 0) return undefined;
    const listing = (await this.#extend(cached, log, seq, 0)) ?? (await this.#extend(cached, log, seq, LATE));
    return listing && isWithin(listing, since) ? listing : undefined;
  }

  /** Reads a log from one of its newest entries on; undefined where there is none, or where more has come than is found. */
  async #extend(cached: Listing, log: LogName, seq: number, place: number): Promise<Listing | undefined> {
    const from = cached.keyAt(place);
    if (from === undefined) return undefined;
    const rows = await this.#table.newerThan(log, from, place + MAX_NEWER + 1);
    const known = rows.filter((row) => row.seq <= seq);
    const newer = known.filter((row) => row.seq > cached.seq);
    if (newer.length !== seq - cached.seq) return undefined;
    return cached.withHead(
      seq,
      known.map(({ entry }) => entry),
      known.length - newer.length,
    );
  }

  async tidy(time: number | undefined, signal: AbortSignal): Promise<string | undefined> {
    await this.#table.prepare(this.#now());
    if (time === undefined) return undefined;
    await this.#table.forgetBatches(time, signal);
    return this.#table.dropBefore(expiredBefore(time), signal);
  }
}

function isWithin({ oldest }: Listing, since: string): boolean {
  return oldest === undefined || oldest >= since;
}
