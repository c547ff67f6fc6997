import { totalmem } from "node:os";
import { setImmediate } from "node:timers/promises";
import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Config } from "../config/config.js";
import { gzipBody, type ReadyAnswer } from "../http/route.js";
import type { Storage } from "../storage/open-storage.js";
import { type LogKind, type LogName, logKinds, MAX_ENTRIES, sortKey, WINDOW_MS } from "./log-store.js";

const MIB = 2 ** 20;
// Small machines have 2 GB for each core: with a process on each core, all processes together use at most a quarter of
// the machine's memory for listings. A database on the same machine needs the rest.
const SHARE = 1 / 16;
// Some 60 full logs: small enough for the smallest container.
const MIN_BYTES = 32 * MIB;
// Some 1000 full logs. Beyond that, the operator decides how much memory faster listings are worth.
const MAX_BYTES = 512 * MIB;

/** How many bytes the cached listings may use, by the setting or by the `memory` that this process may use. */
export function listingCacheBytes(
  { listingCacheMb }: Partial<Pick<Config, "listingCacheMb">> = {},
  memory: number = usableMemory(),
): number {
  if (listingCacheMb !== undefined) return listingCacheMb * MIB;
  return Math.min(Math.max(Math.floor(memory * SHARE), MIN_BYTES), MAX_BYTES);
}

/** How many bytes of memory this process may use: its container's limit, otherwise the machine's memory. */
function usableMemory(): number {
  const limit = process.constrainedMemory();
  // Without a limit, the value is 0 on some systems, and larger than any machine's memory on others.
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

type Readable = Pick<Storage, "kind" | "query">;

interface Newest {
  /** How many entries had ever been written to the log. */
  readonly seq: number;
  /** A JSON array; null if the log is empty. */
  readonly body: Buffer | string | null;
  /** How many bytes each entry has, with commas between the numbers. */
  readonly lengths: string | null;
}

const seqText = sql<{ seq: number }>`select seq from log_head where project_id = ${""} and kind = ${0}`;

/** The newest entries of a log as one text. Its values: project and kind, both twice, and the earliest time. */
export function newestQuery({ kind, query }: Readable): CompiledQuery<Newest> {
  const [body, lengths] =
    kind === "sqlite"
      ? // SQLite joins the rows in the order in which they are read, and a blob is not converted to a string.
        [sql`cast('[' || group_concat(entry, ',') || ']' as blob)`, sql`group_concat(octet_length(entry))`]
      : [sql`'[' || string_agg(entry, ',') || ']'`, sql`string_agg(octet_length(entry)::text, ',')`];
  // In one statement, so that no entry is written in between. The limit is part of the text, since the planner of
  // PostgreSQL must know it.
  return sql<Newest>`
    select coalesce((${seqText}), 0) as seq, ${body} as body, ${lengths} as lengths
    from (
      select entry from log_entry where project_id = ${""} and kind = ${0} and at >= ${""}
      order by at desc, seq desc limit ${sql.lit(MAX_ENTRIES)}
    ) as newest`.compile(query);
}

const newerText = (entry: RawBuilder<unknown>) => sql<{ entry: Buffer | string; seq: number }>`
  select ${entry}, seq from log_entry where project_id = ${""} and kind = ${0} and at >= ${""}
  order by at desc, seq desc limit ${0}`;

const toBuffer = (text: Buffer | string): Buffer => (typeof text === "string" ? Buffer.from(text) : text);

// With more new entries, reading the whole log is as fast.
const MAX_NEWER = 100;
// A late entry is expected behind at most this many newer ones: calls are logged when they end, by their start time.
const LATE = 50;

/** Lists logs from memory: a log is read once, and from then on only its new entries. */
export class Listings {
  readonly #query: Storage["query"];
  readonly #now: () => number;
  readonly #cache: LRUCache<string, Listing>;
  readonly #pending = new Map<string, Promise<ReadyAnswer>>();
  // Compiled once; only the values differ from call to call.
  readonly #seqQuery: CompiledQuery<{ seq: number }>;
  readonly #newestQuery: CompiledQuery<Newest>;
  readonly #newerQuery: CompiledQuery<{ entry: Buffer | string; seq: number }>;

  constructor(storage: Readable, now: () => number, cacheBytes: number = listingCacheBytes()) {
    this.#query = storage.query;
    this.#now = now;
    this.#cache = new LRUCache({ maxSize: cacheBytes, sizeCalculation: ({ size }) => size });
    this.#seqQuery = seqText.compile(storage.query);
    this.#newestQuery = newestQuery(storage);
    this.#newerQuery = newerText(storage.kind === "sqlite" ? sql`cast(entry as blob) as entry` : sql`entry`).compile(
      storage.query,
    );
  }

  /**
   * The entries of the last 30 days, newest first, at most 1000: a JSON array. Concurrent requests for the same log share
   * one read.
   */
  list(projectId: string, kind: LogKind): Promise<ReadyAnswer> {
    const log: LogName = [projectId, logKinds[kind].number];
    const name = log.join();
    // Waits until requests that have already arrived are parsed, so that they share this read.
    const answer =
      this.#pending.get(name) ??
      setImmediate().then(() => {
        this.#pending.delete(name);
        return this.#read(log, name);
      });
    this.#pending.set(name, answer);
    return answer;
  }

  async #read(log: LogName, name: string): Promise<ReadyAnswer> {
    const since = sortKey(new Date(this.#now() - WINDOW_MS).toISOString());
    const cached = this.#cache.get(name);
    const listing = (cached && (await this.#bringUpToDate(cached, log, since))) ?? (await this.#readWhole(log, since));
    if (listing !== cached) this.#cache.set(name, listing);
    return { body: listing.body, gzipped: () => this.#gzipped(name, listing) };
  }

  async #gzipped(name: string, listing: Listing): Promise<Buffer> {
    const { size } = listing;
    const gzipped = await listing.gzipped();
    if (listing.size !== size && this.#cache.peek(name) === listing) {
      // The cache measures an entry only when it is set.
      this.#cache.delete(name);
      this.#cache.set(name, listing);
    }
    return gzipped;
  }

  async #readWhole(log: LogName, since: string): Promise<Listing> {
    const [newest] = await this.#run(this.#newestQuery, [...log, ...log, since]);
    const { seq = 0, body, lengths } = newest ?? {};
    return new Listing(seq, toBuffer(body ?? "[]"), lengths?.split(",").map(Number) ?? []);
  }

  /** Reads only the new entries; undefined if all must be read, because entries have expired or too many are new. */
  async #bringUpToDate(cached: Listing, log: LogName, since: string): Promise<Listing | undefined> {
    const seq = (await this.#run(this.#seqQuery, log))[0]?.seq ?? 0;
    if (cached.seq === seq) return cached.isWithin(since) ? cached : undefined;
    const count = seq - cached.seq;
    // A later read finished first: the cached listing is newer than this one.
    if (count > MAX_NEWER || count < 0) return undefined;
    const listing = (await this.#extend(cached, log, seq, 0)) ?? (await this.#extend(cached, log, seq, LATE));
    return listing?.isWithin(since) ? listing : undefined;
  }

  /** Reads the log since one of its cached entries; undefined if that does not find all new entries. */
  async #extend(cached: Listing, log: LogName, seq: number, position: number): Promise<Listing | undefined> {
    const since = cached.keyAt(position);
    if (since === undefined) return undefined;
    const rows = await this.#run(this.#newerQuery, [...log, since, position + MAX_NEWER + 1]);
    const head = rows.filter((row) => row.seq <= seq);
    const count = head.filter((row) => row.seq > cached.seq).length;
    if (count !== seq - cached.seq) return undefined;
    const entries = head.map(({ entry }) => toBuffer(entry));
    return cached.withHead(seq, entries, head.length - count);
  }

  async #run<Row>(query: CompiledQuery<Row>, parameters: readonly unknown[]): Promise<Row[]> {
    return (await this.#query.executeQuery<Row>({ ...query, parameters })).rows;
  }
}

const [OPEN, COMMA, CLOSE] = [Buffer.from("["), Buffer.from(","), Buffer.from("]")];
const BYTES_OF_LENGTH = 8;
// The objects themselves and their cache entry, as measured.
const OVERHEAD_BYTES = 1024;

/** A log as it was read, newest entry first, with the position of each entry in the text. */
export class Listing implements ReadyAnswer {
  readonly seq: number;
  readonly body: Buffer;
  readonly #lengths: readonly number[];
  #oldest: string | undefined;
  #gzipped: Promise<Buffer> | undefined;
  #gzippedBytes = 0;

  constructor(seq: number, body: Buffer, lengths: readonly number[]) {
    this.seq = seq;
    this.body = compact(body);
    this.#lengths = lengths;
  }

  /** Its size in memory, in bytes; larger once it has been gzipped. */
  get size(): number {
    return this.body.length + this.#gzippedBytes + this.#lengths.length * BYTES_OF_LENGTH + OVERHEAD_BYTES;
  }

  /** The sort key of an entry, counted from 0, the newest; the oldest entry's key if there are fewer. */
  keyAt(position: number): string | undefined {
    const at = Math.min(position, this.#lengths.length - 1);
    const from = 1 + bytesOf(this.#lengths.slice(0, Math.max(0, at)));
    const length = this.#lengths[at];
    return length === undefined ? undefined : sortKeyOf(this.body.subarray(from, from + length));
  }

  /** Whether no entry sorts before a time. */
  isWithin(since: string): boolean {
    const length = this.#lengths.at(-1);
    if (length === undefined) return true;
    this.#oldest ??= sortKeyOf(this.body.subarray(-1 - length, -1));
    return this.#oldest >= since;
  }

  /** The same log with its newest entries replaced, cut to the length of a listing. */
  withHead(seq: number, entries: readonly Buffer[], replaced: number): Listing {
    const kept = this.#lengths.slice(replaced, replaced + Math.max(0, MAX_ENTRIES - entries.length));
    const from = 1 + bytesOf(this.#lengths.slice(0, replaced));
    const parts = entries.flatMap((entry) => [entry, COMMA]);
    // The last kept byte is a comma or the closing bracket; a closing bracket replaces it.
    const body = Buffer.concat([OPEN, ...parts, this.body.subarray(from, from + bytesOf(kept))]);
    CLOSE.copy(body, body.length - 1);
    return new Listing(seq, body, entries.map(({ length }) => length).concat(kept));
  }

  gzipped(): Promise<Buffer> {
    this.#gzipped ??= gzipBody(this.body).then((bytes) => {
      const gzipped = compact(bytes);
      this.#gzippedBytes = gzipped.length;
      return gzipped;
    });
    return this.#gzipped;
  }
}

/** A copy without the unused memory that Node has allocated around the bytes. */
function compact(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** How many bytes entries use in the text, each with the character after it. */
const bytesOf = (lengths: readonly number[]): number => lengths.reduce((sum, length) => sum + length + 1, 0);

function sortKeyOf(entry: Buffer): string {
  const { timestamp } = JSON.parse(entry.toString()) as { timestamp: string };
  return sortKey(timestamp);
}
