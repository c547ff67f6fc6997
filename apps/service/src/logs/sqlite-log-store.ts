import { setImmediate } from "node:timers/promises";
import type { Statement } from "@media-ops/database";
import { type CompiledQuery, sql } from "kysely";
import type { Storage } from "../storage/open-storage.js";
import {
  byProject,
  headsAfter,
  type LogName,
  type LogReader,
  LogStore,
  logKinds,
  MAX_ENTRIES,
  type NewEntry,
  type NewestEntries,
  type StoredEntry,
  sortKey,
} from "./log-store.js";

/** Reads the logs from SQLite: each is a range of one index, so a listing reads neighbouring pages. */
export class SqliteLogReader implements LogReader {
  readonly #query: Storage["query"];
  readonly #seqQuery: CompiledQuery<{ seq: number }>;
  readonly #newestQuery: CompiledQuery<NewestEntries>;
  readonly #newerQuery: CompiledQuery<StoredEntry>;

  constructor(query: Storage["query"]) {
    this.#query = query;
    // Compiled once; only the values differ from call to call.
    this.#seqQuery = headQuery(query).compile();
    this.#newestQuery = newestQuery(query);
    this.#newerQuery = newestFirst(query)
      .select([sql<Buffer>`cast(entry as blob)`.as("entry"), "seq"])
      .compile();
  }

  async seqOf(log: LogName): Promise<number> {
    return (await this.#run(this.#seqQuery, log))[0]?.seq ?? 0;
  }

  async newest(log: LogName, since: string): Promise<NewestEntries> {
    const [newest] = await this.#run(this.#newestQuery, [...log, ...log, since, MAX_ENTRIES]);
    return newest ?? { seq: 0, body: null, lengths: null };
  }

  newerThan(log: LogName, since: string, limit: number): Promise<readonly StoredEntry[]> {
    return this.#run(this.#newerQuery, [...log, since, limit]);
  }

  async #run<Row>(query: CompiledQuery<Row>, parameters: readonly unknown[]): Promise<Row[]> {
    const { rows } = await this.#query.executeQuery<Row>({ ...query, parameters });
    return rows;
  }
}

/**
 * The newest entries of a log as one text. Its parameters: project and kind, both twice, the earliest time, the limit.
 */
export function newestQuery(query: Storage["query"]): CompiledQuery<NewestEntries> {
  return (
    query
      .selectFrom(newestFirst(query).select("entry").as("newest"))
      // SQLite joins the rows in the order in which they are read, and a blob is not converted to a string.
      .select([
        // In the same statement, so that no entry is written in between.
        sql<number>`coalesce(${headQuery(query)}, 0)`.as("seq"),
        sql<Buffer | null>`cast('[' || group_concat(entry, ',') || ']' as blob)`.as("body"),
        sql<string | null>`group_concat(octet_length(entry))`.as("lengths"),
      ])
      .compile()
  );
}

const headQuery = (query: Storage["query"]) =>
  query.selectFrom("log_head").select("seq").where("project_id", "=", "").where("kind", "=", 0);

const newestFirst = (query: Storage["query"]) =>
  query
    .selectFrom("log_entry")
    .where("project_id", "=", "")
    .where("kind", "=", 0)
    .where("at", ">=", "")
    .orderBy("at", "desc")
    .orderBy("seq", "desc")
    .limit(0);

// Deleting this many takes milliseconds, so that other writers are not blocked.
const DELETE_LIMIT = 500;
const LOGS_LIMIT = 100;

/** The logs in SQLite. */
export class SqliteLogStore extends LogStore {
  /** The batch is not needed: a failed commit has written nothing. */
  async append(entries: readonly NewEntry[]): Promise<void> {
    await this.storage.writeAll(appendStatements(entries));
  }

  protected async dropBefore(day: number, signal: AbortSignal): Promise<string | undefined> {
    const before = sortKey(new Date(day).toISOString());
    let dropped = 0;
    const { query } = this.storage;
    let heads = await headsAfter(query, ["", 0], LOGS_LIMIT);
    for (let last = heads.at(-1); last && !signal.aborted; last = heads.at(-1)) {
      for (const { project_id, kind } of heads) {
        let deleted = DELETE_LIMIT;
        while (deleted === DELETE_LIMIT && !signal.aborted) {
          deleted = await this.#deleteSome([project_id, kind], before);
          dropped += deleted;
        }
      }
      await setImmediate();
      heads = await headsAfter(query, [last.project_id, last.kind], LOGS_LIMIT);
    }
    return dropped === 0 ? undefined : `${dropped} log entries older than 30 days were deleted`;
  }

  async #deleteSome([projectId, kind]: LogName, before: string): Promise<number> {
    const old = this.storage.query
      .selectFrom("log_entry")
      .select(["at", "seq"])
      .where("project_id", "=", projectId)
      .where("kind", "=", kind)
      .where("at", "<", before);
    // Read first, on the read-only connection: most logs have nothing to delete, and need no write.
    if (!(await old.limit(1).executeTakeFirst())) return 0;
    const { numDeletedRows } = await this.storage.query
      .deleteFrom("log_entry")
      .where("project_id", "=", projectId)
      .where("kind", "=", kind)
      .where(({ eb, refTuple }) =>
        eb(refTuple("at", "seq"), "in", old.orderBy("at").orderBy("seq").limit(DELETE_LIMIT).$asTuple("at", "seq")),
      )
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }
}

const COUNT = `
  insert into log_head (project_id, kind, seq) values (?, ?, ?)
  on conflict (project_id, kind) do update set seq = seq + excluded.seq`;
const ADD = `
  with given (at, entry, before) as (values (?, ?, ?))
  insert into log_entry (project_id, kind, at, seq, entry)
  select project_id, kind, given.at, seq - before, given.entry
  from log_head as head join given where head.project_id = ? and head.kind = ?`;
const ADD_NEW = `${ADD} and not exists (
    select 1 from log_entry as known where known.project_id = head.project_id and known.kind = head.kind
      and known.at = given.at and known.entry = given.entry
  )`;

/** The statements that append entries within a transaction. */
export const appendStatements = (entries: readonly NewEntry[]): Statement[] => append(ADD, entries);

/**
 * The statements that append entries within a transaction, except those that their log has already. Their seqs are
 * left out.
 */
export const appendNew = (entries: readonly NewEntry[]): Statement[] => append(ADD_NEW, entries);

function append(sql: string, entries: readonly NewEntry[]): Statement[] {
  return byProject(entries, ({ projectId, kind }) => `${kind} ${projectId}`).flatMap(([, own]) => {
    const [first] = own;
    if (!first) return [];
    const log = [first.projectId, logKinds[first.kind].number];
    return [
      { sql: COUNT, parameters: [...log, own.length] },
      ...own.map(({ timestamp, text }, at) => {
        return { sql, parameters: [sortKey(timestamp), text, own.length - 1 - at, ...log] };
      }),
    ];
  });
}
