import type { Statement } from "@media-ops/database";
import { CompiledQuery } from "kysely";
import { AHEAD_MS, DAY_MS, DayPartitions, startOfDay } from "../storage/day-partitions.js";
import type { Storage } from "../storage/open-storage.js";
import {
  type Batch,
  byProject,
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

/** The log entries' partitions. */
export const entryDays = (query: Storage["query"]): DayPartitions =>
  new DayPartitions(query, {
    name: "log_entry",
    column: "at",
    boundOf: (dayMs) => new Date(dayMs).toISOString().slice(0, 10),
    dayOf: (bound) => Date.parse(bound),
  });

const SEQ = "select seq from log_head where project_id = $1 and kind = $2";

// The limit is part of the text, since the planner must know it.
const NEWEST = `
  select coalesce((${SEQ}), 0) as seq,
    '[' || string_agg(entry, ',') || ']' as body, string_agg(octet_length(entry)::text, ',') as lengths
  from (
    select entry from log_entry where project_id = $1 and kind = $2 and at >= $3
    order by at desc, seq desc limit ${MAX_ENTRIES}
  ) as newest`;

const NEWER = `
  select entry, seq from log_entry where project_id = $1 and kind = $2 and at >= $3
  order by at desc, seq desc limit $4`;

/** Reads the logs from PostgreSQL: in each day's partition, the entries of a log are neighbours in one index. */
export class PostgresLogReader implements LogReader {
  readonly #query: Storage["query"];

  constructor(query: Storage["query"]) {
    this.#query = query;
  }

  async seqOf(log: LogName): Promise<number> {
    const { rows } = await this.#query.executeQuery(CompiledQuery.raw(SEQ, [...log]));
    return (rows[0] as { seq: number } | undefined)?.seq ?? 0;
  }

  async newest(log: LogName, since: string): Promise<NewestEntries> {
    const { rows } = await this.#query.executeQuery(CompiledQuery.raw(NEWEST, [...log, since]));
    const { seq, body, lengths } = rows[0] as { seq: number; body: string | null; lengths: string | null };
    return { seq, body: body === null ? null : Buffer.from(body), lengths };
  }

  async newerThan(log: LogName, since: string, limit: number): Promise<readonly StoredEntry[]> {
    const { rows } = await this.#query.executeQuery(CompiledQuery.raw(NEWER, [...log, since, limit]));
    return (rows as { entry: string; seq: number }[]).map(({ entry, seq }) => ({ entry: Buffer.from(entry), seq }));
  }
}

const GIVEN = `
  given as (
    select kind, at, entry, n
    from unnest($2::integer[], $3::text[], $4::text[]) with ordinality as given (kind, at, entry, n)
  )`;
const APPEND = `with ${GIVEN}, ${appendFrom("given")}`;
// Writers of the project must exclude one another. The limit keeps PostgreSQL from reading the whole log for a join.
const APPEND_NEW = `
  with ${GIVEN}, fresh as (
    select kind, at, entry, n from given
    where not exists (
      select 1 from log_entry as known
      where known.project_id = $1 and known.kind = given.kind and known.at = given.at and known.entry = given.entry
      limit 1
    )
  ), ${appendFrom("fresh")}`;
const APPEND_BATCH = `with ${GIVEN}, ${newFrom("given", "$5, $6")}, ${appendFrom("new")}`;

const FORGET_LIMIT = 1000;
// A writer repeats a batch within seconds of PostgreSQL's return. Rows have the database's time, since the clocks of
// several machines differ; it may be wrong too, so the earlier of both counts.
const FORGET_BATCHES = `
  delete from last_batch where (project_id, writer) in (
    select project_id, writer from last_batch where at < least(now(), to_timestamp($1::bigint / 1000.0)) - interval '1 day'
    limit ${FORGET_LIMIT})`;

/** The logs in PostgreSQL: one partition for each day. */
export class PostgresLogStore extends LogStore {
  readonly #days = entryDays(this.storage.query);

  /** Runs one statement for each project, so that none needs more than one shard. */
  async append(entries: readonly NewEntry[], batch?: Batch): Promise<void> {
    const sql = batch ? APPEND_BATCH : APPEND;
    await this.storage.writeAll(
      byProject(entries, (entry) => entry.projectId).map(([projectId, own]) => ({
        sql,
        parameters: [projectId, ...columnsOf(own), ...(batch ? [batch.writer, batch.number] : [])],
      })),
    );
  }

  override async prepare(): Promise<void> {
    const today = startOfDay(this.now());
    await this.#days.make(today - DAY_MS, today + AHEAD_MS);
  }

  protected async dropBefore(day: number, signal: AbortSignal): Promise<string | undefined> {
    const dropped = await this.#days.dropBefore(day);
    await this.#days.deleteEarly(day, signal);
    return dropped === 0 ? undefined : `${dropped} partitions of log entries older than 30 days were dropped`;
  }

  protected override async forgetBatches(time: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const forget = CompiledQuery.raw(FORGET_BATCHES, [time]);
      const { numAffectedRows = 0n } = await this.storage.query.executeQuery(forget);
      if (numAffectedRows < FORGET_LIMIT) return;
    }
  }
}

/**
 * The part of a statement that selects the rows of a common table expression as `new`, or none if their batch was
 * written before. It updates the writer's row in the same transaction, and a repeated batch waits for that: the batch
 * is kept once, even if the first attempt reaches the database after the second.
 *
 * @param batch The parameters for the writer and the number.
 */
export function newFrom(table: string, batch: string): string {
  return `
  unwritten as (
    insert into last_batch (project_id, writer, number) values ($1, ${batch})
    on conflict (project_id, writer) do update set number = excluded.number, at = excluded.at
    where last_batch.number < excluded.number returning number
  ), new as (
    select ${table}.* from ${table} cross join unwritten
  )`;
}

/**
 * The end of a statement that appends the rows `kind, at, entry, n` of a common table expression to the logs of project
 * $1. Each log's number is incremented first: other writers of the log wait for it, so numbers become visible in order,
 * and entries of a time that is being indexed are noted as late.
 */
export function appendFrom(table: string): string {
  return `
  head as (
    insert into log_head (project_id, kind, seq) select $1, kind, count(*) from ${table} group by kind order by kind
    on conflict (project_id, kind) do update set seq = log_head.seq + excluded.seq returning kind, seq, sealed_at
  ), numbered as (
    select new.kind, new.at, new.entry, new.at < head.sealed_at as is_late,
      head.seq - count(*) over (partition by new.kind) + row_number() over (partition by new.kind order by new.n) as seq
    from ${table} as new join head on head.kind = new.kind
  ), late as (
    insert into log_late (project_id, kind, at, seq) select $1, kind, at, seq from numbered where is_late
  )
  insert into log_entry (project_id, kind, at, seq, entry) select $1, kind, at, seq, entry from numbered`;
}

/**
 * The statement that appends entries to the logs of a project, except those that they have already. The project's row
 * must be locked.
 */
export function appendNew(projectId: string, entries: readonly NewEntry[]): Statement {
  const given = new Map(entries.map((entry) => [`${entry.kind} ${entry.text}`, entry]));
  return { sql: APPEND_NEW, parameters: [projectId, ...columnsOf([...given.values()])] };
}

/** The numbers of the kinds, the sort keys and the texts of entries. */
export function columnsOf(entries: readonly NewEntry[]): [number[], string[], string[]] {
  return [
    entries.map(({ kind }) => logKinds[kind].number),
    entries.map(({ timestamp }) => sortKey(timestamp)),
    entries.map(({ text }) => text),
  ];
}
