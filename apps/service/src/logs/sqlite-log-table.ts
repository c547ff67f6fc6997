import { setImmediate } from "node:timers/promises";
import type { Statement } from "@media-ops/database";
import { type CompiledQuery, sql } from "kysely";
import type { Storage } from "../storage/open-storage.js";
import { kindNumbers } from "./kinds.js";
import { MAX_ENTRIES, type NewEntry } from "./log-store.js";
import type { Listed, LogName, LogReader, LogTable, Newer } from "./log-table.js";
import { sortKey } from "./sort-key.js";

// A piece this small is deleted within a few milliseconds, and whoever wants to write comes in between.
const DELETED_AT_ONCE = 500;
const LOGS_LOOKED_AT_AT_ONCE = 100;

/** Reads the logs in SQLite: each is a range of one index, so that a listing is one walk through neighbouring pages. */
export class SqliteLogReader implements LogReader {
  readonly #query: Storage["query"];
  readonly #seqQuery: CompiledQuery<{ seq: number }>;
  readonly #newestQuery: CompiledQuery<Listed>;
  readonly #newerQuery: CompiledQuery<Newer>;

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
    const { rows } = await this.#query.executeQuery(withValues(this.#seqQuery, log));
    return rows[0]?.seq ?? 0;
  }

  async newest(log: LogName, since: string): Promise<Listed> {
    const { rows } = await this.#query.executeQuery(
      withValues(this.#newestQuery, [...log, ...log, since, MAX_ENTRIES]),
    );
    return rows[0] ?? { seq: 0, body: null, lengths: null };
  }

  async newerThan(log: LogName, from: string, limit: number): Promise<readonly Newer[]> {
    return (await this.#query.executeQuery(withValues(this.#newerQuery, [...log, from, limit]))).rows;
  }
}

/** Writes the logs in SQLite, and deletes what is old. */
export class SqliteLogTable implements LogTable {
  readonly #storage: Storage;
  readonly #query: Storage["query"];

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#query = storage.query;
  }

  /** The batch does not matter: a commit that fails has written nothing. */
  async append(entries: readonly NewEntry[]): Promise<void> {
    await this.#storage.writeAll(byLog(entries).flatMap((own) => statementsOf(own)));
  }

  async prepare(): Promise<void> {}

  async forgetBatches(): Promise<void> {}

  async dropBefore(day: number, signal: AbortSignal): Promise<string | undefined> {
    const dropped = await this.#dropBefore(sortKey(new Date(day).toISOString()), signal);
    return dropped === 0 ? undefined : `${dropped} log entries older than 30 days were deleted`;
  }

  async #dropBefore(before: string, signal: AbortSignal): Promise<number> {
    let dropped = 0;
    let from: LogName = ["", 0];
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

  async #deletePiece([projectId, kind]: LogName, before: string): Promise<number> {
    const old = this.#query
      .selectFrom("log_entry")
      .select(["at", "seq"])
      .where("project_id", "=", projectId)
      .where("kind", "=", kind)
      .where("at", "<", before);
    // Asked first of the connection that only reads: most logs have nothing to delete, and need not wait for a turn.
    if (!(await old.limit(1).executeTakeFirst())) return 0;
    const { numDeletedRows } = await this.#query
      .deleteFrom("log_entry")
      .where("project_id", "=", projectId)
      .where("kind", "=", kind)
      .where(({ eb, refTuple }) =>
        eb(refTuple("at", "seq"), "in", old.orderBy("at").orderBy("seq").limit(DELETED_AT_ONCE).$asTuple("at", "seq")),
      )
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }

  async #logsAfter([projectId, kind]: LogName): Promise<LogName[]> {
    const rows = await this.#query
      .selectFrom("log_head")
      .select(["project_id", "kind"])
      .where(({ eb, refTuple, tuple }) => eb(refTuple("project_id", "kind"), ">", tuple(projectId, kind)))
      .orderBy("project_id")
      .orderBy("kind")
      .limit(LOGS_LOOKED_AT_AT_ONCE)
      .execute();
    return rows.map((row) => [row.project_id, row.kind]);
  }
}

const COUNT_ALL = `
  insert into log_head (project_id, kind, seq) values (?, ?, ?)
  on conflict (project_id, kind) do update set seq = seq + excluded.seq`;
const ADD_ALL = `
  insert into log_entry (project_id, kind, at, seq, entry)
  select head.project_id, head.kind, value ->> 0, head.seq - ? + key + 1, value ->> 1
  from log_head as head join json_each(?) where head.project_id = ? and head.kind = ?`;

/** The statements that write entries of one log: a text on its way to the writer's thread costs less than many values. */
function statementsOf(entries: readonly NewEntry[]): Statement[] {
  const [first] = entries;
  if (!first) return [];
  const log = [first.projectId, kindNumbers[first.kind]];
  const rows = JSON.stringify(entries.map(({ timestamp, text }) => [sortKey(timestamp), text]));
  return [
    { sql: COUNT_ALL, parameters: [...log, entries.length] },
    { sql: ADD_ALL, parameters: [entries.length, rows, ...log] },
  ];
}

/** The entries of each log by themselves, in the order in which they came. */
function byLog(entries: readonly NewEntry[]): NewEntry[][] {
  const logs = new Map<string, NewEntry[]>();
  for (const entry of entries) {
    const name = `${entry.kind} ${entry.projectId}`;
    const own = logs.get(name);
    if (own) own.push(entry);
    else logs.set(name, [entry]);
  }
  return [...logs.values()];
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

/** The newest entries of a log as one text: of which project, which kind (both twice), since when, how many. */
export function newestQuery(query: Storage["query"]): CompiledQuery<Listed> {
  return (
    query
      .selectFrom(newestFirst(query).select("entry").as("newest"))
      // SQLite joins the rows in the order in which the walk yields them, and a blob is not made a string on its way.
      .select([
        // In one statement, so that no entry comes in between.
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

function withValues<Row>(query: CompiledQuery<Row>, parameters: readonly unknown[]): CompiledQuery<Row> {
  return { ...query, parameters };
}
