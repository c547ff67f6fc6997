import { setImmediate } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { ReadyAnswer } from "../http/send-answer.js";
import { kindNumbers, type LogKind } from "./kinds.js";
import { Listing } from "./listing.js";
import { type Listings, WINDOW_MS } from "./log-store.js";
import type { LogName, LogReader } from "./log-table.js";
import { sortKey } from "./sort-key.js";

// With more, the log is read anew as fast.
const MAX_NEWER = 100;
// What comes late comes by a few places: calls that go on at once are logged as they end, by when they began.
const LATE = 50;

/** The listings of a database. A log that is listed again and again is read once, and from then on only what is new. */
export class CachedListings implements Listings {
  readonly #reader: LogReader;
  readonly #now: () => number;
  readonly #cache: LRUCache<string, Listing>;
  /** What has been asked for and is not yet looked up. */
  readonly #asked = new Map<string, Promise<ReadyAnswer>>();

  /** @param cacheBytes How much memory the listings may take that are kept. */
  constructor(reader: LogReader, now: () => number, cacheBytes: number) {
    this.#reader = reader;
    this.#now = now;
    this.#cache = new LRUCache({ maxSize: cacheBytes, sizeCalculation: ({ size }) => size });
  }

  /** Callers that ask for the same log before it is looked up share the answer: it is as new as all may expect. */
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
    const { seq, body, lengths } = await this.#reader.newest(log, since);
    return new Listing(seq, body ?? Buffer.from("[]"), lengths?.split(",").map(Number) ?? []);
  }

  /** Reads only what has come since; undefined where that does not do, as entries are too old or too many. */
  async #bringUpToDate(cached: Listing, log: LogName, since: string): Promise<Listing | undefined> {
    const seq = await this.#reader.seqOf(log);
    if (cached.seq === seq) return isWithin(cached, since) ? cached : undefined;
    const count = seq - cached.seq;
    // Another caller read the log later and was faster: the cached listing is newer than this one.
    if (count > MAX_NEWER || count < 0) return undefined;
    const listing = (await this.#extend(cached, log, seq, 0)) ?? (await this.#extend(cached, log, seq, LATE));
    return listing && isWithin(listing, since) ? listing : undefined;
  }

  /** Reads a log from one of its newest entries on; undefined where there is none, or where more has come than is found. */
  async #extend(cached: Listing, log: LogName, seq: number, place: number): Promise<Listing | undefined> {
    const from = cached.keyAt(place);
    if (from === undefined) return undefined;
    const rows = await this.#reader.newerThan(log, from, place + MAX_NEWER + 1);
    const known = rows.filter((row) => row.seq <= seq);
    const newer = known.filter((row) => row.seq > cached.seq);
    if (newer.length !== seq - cached.seq) return undefined;
    return cached.withHead(
      seq,
      known.map(({ entry }) => entry),
      known.length - newer.length,
    );
  }
}

function isWithin({ oldest }: Listing, since: string): boolean {
  return oldest === undefined || oldest >= since;
}
