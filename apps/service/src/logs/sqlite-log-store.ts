import { setImmediate } from "node:timers/promises";
import type { Statement } from "@media-ops/database";
import { type CompiledQuery, sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { ReadyAnswer } from "../http/send-answer.js";
import type { Storage } from "../storage/open-storage.js";
import { kindNumbers, type LogKind } from "./kinds.js";
import { Listing } from "./listing.js";
import { type LogStore, MAX_ENTRIES, type NewEntry, WINDOW_MS } from "./log-store.js";
import { sortKey } from "./sort-key.js";

// A piece this small is deleted within a few milliseconds, and whoever wants to write comes in between.
const DELETED_AT_ONCE = 500;
const LOGS_LOOKED_AT_AT_ONCE = 100;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Which log of which project. */
interface Log {
  project_id: string;
  kind: number;
}

interface Listed {
  body: Buffer | null;
  /** How many bytes each entry has. */
  lengths: string | null;
}

interface Newer {
  entry: Buffer;
  seq: number;
}

// A few hundred full logs: those that are being looked at.
const MAX_CACHE_BYTES = 32 * 1024 * 1024;
// With more, the log is read anew as fast.
const MAX_NEWER = 100;

/** The logs in SQLite: each log is a range of one index, so that a listing is one walk through neighbouring pages. */
export class SqliteLogStore implements LogStore {
  readonly #storage: Storage;
  readonly #query: Storage["query"];
  readonly #now: () => number;
  readonly #cache = new LRUCache<string, Listing>({ maxSize: MAX_CACHE_BYTES, sizeCalculation: ({ size }) => size });
  readonly #headQuery: CompiledQuery<{ seq: number }>;
  readonly #listQuery: CompiledQuery<Listed>;
  readonly #newerQuery: CompiledQuery<Newer>;

  constructor(storage: Storage, now: () => number) {
    const { query } = storage;
    this.#storage = storage;
    this.#query = query;
    this.#now = now;
    // Compiled once; only the values differ from call to call.
    this.#headQuery = query
      .selectFrom("log_head")
      .select("seq")
      .where("project_id", "=", "")
      .where("kind", "=", 0)
      .compile();
    this.#listQuery = listQuery(query);
    this.#newerQuery = newerQuery(query);
  }

  async append(entries: readonly NewEntry[]): Promise<void> {
    await this.#storage.writeAll(entries.flatMap((entry) => entryStatements(entry)));
  }

  async list(projectId: string, kind: LogKind): Promise<ReadyAnswer> {
    const log = [projectId, kindNumbers[kind]];
    const since = sortKey(new Date(this.#now() - WINDOW_MS).toISOString());
    const { rows: heads } = await this.#query.executeQuery(withValues(this.#headQuery, log));
    const seq = heads[0]?.seq ?? 0;
    const cached = this.#cache.get(log.join());
    if (cached?.seq === seq && isWithin(cached, since)) return cached;
    const listing =
      (cached && (await this.#bringUpToDate(cached, log, seq, since))) ?? (await this.#read(log, seq, since));
    this.#cache.set(log.join(), listing);
    return listing;
  }

  async #read(log: readonly unknown[], seq: number, since: string): Promise<Listing> {
    const { rows } = await this.#query.executeQuery(withValues(this.#listQuery, [...log, since, MAX_ENTRIES]));
    const { body, lengths } = rows[0] ?? { body: null, lengths: null };
    return new Listing(seq, body ?? Buffer.from("[]"), lengths?.split(",").map(Number) ?? []);
  }

  /** Reads only what has come since; undefined where that does not do, as entries came late or are too many. */
  async #bringUpToDate(cached: Listing, log: readonly unknown[], seq: number, since: string) {
    const count = seq - cached.seq;
    const { newest } = cached;
    if (newest === undefined || count > MAX_NEWER) return undefined;
    const { rows } = await this.#query.executeQuery(withValues(this.#newerQuery, [...log, newest, MAX_NEWER + 1]));
    const newer = rows.filter((row) => row.seq > cached.seq && row.seq <= seq);
    if (newer.length !== count) return undefined;
    const listing = cached.withNewer(
      seq,
      newer.map(({ entry }) => entry),
    );
    return isWithin(listing, since) ? listing : undefined;
  }

  async dropExpired(signal: AbortSignal): Promise<number> {
    // Whole days only: within a day, what is old lies beside what is still shown.
    const today = Math.floor(this.#now() / DAY_MS) * DAY_MS;
    const before = sortKey(new Date(today - WINDOW_MS).toISOString());
    let dropped = 0;
    let from: Log = { project_id: "", kind: 0 };
    for (;;) {
      const logs = await this.#logsAfter(from);
      for (const log of logs) {
        for (;;) {
          if (signal.aborted) return dropped;
          const deleted = await this.#deletePiece(log, before);
          dropped += deleted;
          if (deleted < DELETED_AT_ONCE) break;
        }
      }
      const last = logs.at(-1);
      if (!last) return dropped;
      from = last;
      await setImmediate();
    }
  }

  async #deletePiece({ project_id, kind }: Log, before: string): Promise<number> {
    const old = this.#query
      .selectFrom("log_entry")
      .select(["at", "seq"])
      .where("project_id", "=", project_id)
      .where("kind", "=", kind)
      .where("at", "<", before);
    // Asked first of the connection that only reads: most logs have nothing to delete, and need not wait for a turn.
    if (!(await old.limit(1).executeTakeFirst())) return 0;
    const { numDeletedRows } = await this.#query
      .deleteFrom("log_entry")
      .where("project_id", "=", project_id)
      .where("kind", "=", kind)
      .where(({ eb, refTuple }) =>
        eb(refTuple("at", "seq"), "in", old.orderBy("at").orderBy("seq").limit(DELETED_AT_ONCE).$asTuple("at", "seq")),
      )
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }

  #logsAfter({ project_id, kind }: Log) {
    return this.#query
      .selectFrom("log_head")
      .select(["project_id", "kind"])
      .where(({ eb, refTuple, tuple }) => eb(refTuple("project_id", "kind"), ">", tuple(project_id, kind)))
      .orderBy("project_id")
      .orderBy("kind")
      .limit(LOGS_LOOKED_AT_AT_ONCE)
      .execute();
  }
}

const countUp = (condition: string): string => `
  insert into log_head (project_id, kind, seq) select ?, ?, 1 where ${condition}
  on conflict (project_id, kind) do update set seq = seq + 1`;
const addEntry = (condition: string): string => `
  insert into log_entry (project_id, kind, at, seq, entry)
  select project_id, kind, ?, seq, ? from log_head where project_id = ? and kind = ? and ${condition}`;
const texts = {
  always: [countUp("true"), addEntry("true")],
  "if new": [countUp("changes() > 0"), addEntry("changes() > 0")],
} as const;

/**
 * The statements that write an entry: the log's number is counted up, and the entry gets it.
 *
 * @param when "if new" writes it only where the statement before these has added a row.
 */
export function entryStatements(
  { projectId, kind, timestamp, text }: NewEntry,
  when: keyof typeof texts = "always",
): Statement[] {
  const [count, add] = texts[when];
  const log = [projectId, kindNumbers[kind]];
  return [
    { sql: count, parameters: log },
    { sql: add, parameters: [sortKey(timestamp), text, ...log] },
  ];
}

/** The newest entries of a log as one text: of which project, which kind, since when, how many. */
export function listQuery(query: Storage["query"]): CompiledQuery<Listed> {
  return (
    query
      .selectFrom(newestFirst(query).select("entry").as("newest"))
      // SQLite joins the rows in the order in which the walk yields them, and a blob is not made a string on its way.
      .select([
        sql<Buffer | null>`cast('[' || group_concat(entry, ',') || ']' as blob)`.as("body"),
        sql<string | null>`group_concat(octet_length(entry))`.as("lengths"),
      ])
      .compile()
  );
}

/** The newest entries of a log one by one, with the same values. */
function newerQuery(query: Storage["query"]): CompiledQuery<Newer> {
  return newestFirst(query)
    .select([sql<Buffer>`cast(entry as blob)`.as("entry"), "seq"])
    .compile();
}

function newestFirst(query: Storage["query"]) {
  return query
    .selectFrom("log_entry")
    .where("project_id", "=", "")
    .where("kind", "=", 0)
    .where("at", ">=", "")
    .orderBy("at", "desc")
    .orderBy("seq", "desc")
    .limit(0);
}

function isWithin({ oldest }: Listing, since: string): boolean {
  return oldest === undefined || oldest >= since;
}

function withValues<Row>(query: CompiledQuery<Row>, parameters: readonly unknown[]): CompiledQuery<Row> {
  return { ...query, parameters };
}
