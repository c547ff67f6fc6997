import { setTimeout } from "node:timers/promises";
import { hasCode } from "@media-ops/database";
import { type Kysely, type RawBuilder, sql } from "kysely";
import { DAY_MS } from "./day-partitions.js";
import type { Storage } from "./open-storage.js";
import type { Tables } from "./tables.js";

type Query = Kysely<Tables>;

interface Day {
  readonly name: string;
  readonly bytes: number;
  readonly isBegun: boolean;
}

interface CompactedDay {
  readonly before: number;
  readonly after: number;
}

// Entries are written within seconds of their time, or after an outage.
const OVER_MS = 6 * 60 * 60 * 1000;
// A smaller day is not worth a lock on the table.
const MIN_BYTES = 2 ** 20;
// They are copied in 0.1 s.
const CHUNK = 3000;
// While compaction waits for a lock on the table, all other queries on it wait, too.
const LOCK_TIMEOUT = "250ms";
const RETRY_MS = 10_000;
const LOCK_NOT_AVAILABLE = "55P03";

/** Compacts past days, which grow to almost twice their JSON; they stay writable. Returns a log message, if any was. */
export async function compactDays(
  { query, isDistributed }: Pick<Storage, "query" | "isDistributed">,
  time: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const lastDay = `log_entry_d${dateOf(time - OVER_MS - DAY_MS).replaceAll("-", "")}`;
  const days = await (isDistributed ? reindexDays : copyDays)(query, lastDay, signal);
  if (days.length === 0) return undefined;
  const megabytes = (size: keyof CompactedDay): number =>
    Math.round(days.reduce((sum, day) => sum + day[size], 0) / 1e6);
  return `${days.length} past days of log entries were compacted, from ${megabytes("before")} to ${megabytes("after")} MB`;
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const LOCK = sql`hashtext('log_entry'), hashtext(current_schema())`;

/** Takes the right to compact, by a function for advisory locks. Returns false if another process has it. */
async function lock(query: Query, take: "pg_try_advisory_lock" | "pg_try_advisory_xact_lock"): Promise<boolean> {
  const { rows } = await sql<{ is_held: boolean }>`select ${sql.raw(take)}(${LOCK}) as is_held`.execute(query);
  return rows[0]?.is_held === true;
}

type SizeFunction = "pg_total_relation_size" | "citus_total_relation_size";

async function dueDays(query: Query, lastDay: string, size: SizeFunction): Promise<Day[]> {
  const { rows } = await sql<Day>`
    select * from (
      select relname::text as name, ${sql.raw(size)}(partition.oid) as bytes,
        exists (select from pg_trigger where tgrelid = partition.oid and tgname = 'log_entry_arrive') as "isBegun"
      from pg_inherits join pg_class as partition on partition.oid = inhrelid
      where inhparent = to_regclass('log_entry') and relname ~ '^log_entry_d[0-9]{8}$' and relname <= ${lastDay}
        and obj_description(partition.oid, 'pg_class') is distinct from 'compacted'
    ) as day
    where bytes >= ${sql.lit(MIN_BYTES)}
    order by "isBegun" desc, name desc`.execute(query);
  return rows;
}

async function sizeOf(query: Query, table: string, size: SizeFunction): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select ${sql.raw(size)}(${table}::regclass) as bytes`.execute(query);
  return rows[0]?.bytes ?? 0;
}

/** Copies each day into a new table, in the order of its key; any process continues what another has begun. */
async function copyDays(query: Query, lastDay: string, signal: AbortSignal): Promise<CompactedDay[]> {
  const compacted: CompactedDay[] = [];
  while (!signal.aborted) {
    const started = performance.now();
    const step = await query
      .transaction()
      .execute((transaction) => nextStep(transaction, lastDay))
      .catch((error: unknown) => {
        if (error instanceof Error && hasCode(error.cause, LOCK_NOT_AVAILABLE)) return "locked" as const;
        throw error;
      });
    if (step === "none") break;
    if (typeof step === "object") {
      compacted.push(step);
      await sql`drop table if exists ${sql.table(step.gone)}`.execute(query);
    }
    // Leaves half of the time to other work.
    const pause = step === "locked" ? RETRY_MS : performance.now() - started;
    await setTimeout(pause, undefined, { signal }).catch(() => {});
  }
  return compacted;
}

/** Makes the next step; returns "none" if there is none, or another process makes it. */
async function nextStep(query: Query, lastDay: string): Promise<"none" | "copied" | (CompactedDay & { gone: string })> {
  if (!(await lock(query, "pg_try_advisory_xact_lock"))) return "none";
  const [day] = await dueDays(query, lastDay, "pg_total_relation_size");
  if (!day) return "none";
  await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(query);
  if (!day.isBegun) await beginCopy(query, day.name);
  else if ((await copyRows(query, day.name)) === 0) {
    const gone = await replaceDay(query, day.name);
    return { before: day.bytes, after: await sizeOf(query, day.name, "pg_total_relation_size"), gone };
  }
  return "copied";
}

const KEY = sql.raw("project_id, kind, at, seq");
const COLUMNS = sql.raw("project_id, kind, at, seq, entry");

/** The statements that end the copying of a day, wherever it was interrupted. */
export const endCopying: readonly string[] = [
  "drop table if exists log_entry_copy, log_entry_staged, log_entry_arrived",
  "drop function if exists log_entry_arrive() cascade",
];

/** Creates the copy, and keeps the rows that arrive from now on. Drops what is left of the copy of an expired day. */
async function beginCopy(query: Query, day: string): Promise<void> {
  const [from, to] = boundsOf(day);
  const lz4 = await sql`
    select from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)`.execute(query);
  const compression = sql.raw(lz4.rows.length > 0 ? "lz4" : "pglz");
  await runAll(query, [
    ...endCopying.map((statement) => sql.raw(statement)),
    // The check spares PostgreSQL reading all rows when the copy becomes a partition.
    sql`create table log_entry_copy (
      like log_entry,
      constraint ${sql.id(`${day}_key`)} primary key (${KEY}) with (fillfactor = 100),
      constraint log_entry_copy_day check (at >= ${from} and at < ${to})
    )`,
    sql`comment on table log_entry_copy is 'compacted'`,
    // Compresses entries: its rows are padded to above 2 KB, and an entry stays compressed when it is copied to a table
    // of short rows. Longer entries become a fifth shorter with lz4, and only few with PostgreSQL's own method.
    sql`create unlogged table log_entry_staged (like log_entry, pad text not null default repeat(' ', 1900))
      with (toast_tuple_target = 128, autovacuum_enabled = false)`,
    sql`alter table log_entry_staged
      alter project_id set storage plain, alter at set storage plain, alter pad set storage plain,
      alter entry set storage main, alter entry set compression ${compression}`,
    sql`create table log_entry_arrived (like log_entry)`,
    sql`create function log_entry_arrive() returns trigger language plpgsql as
      'begin insert into log_entry_arrived values (new.*); return null; end'`,
    // Waits for the transactions that have written to the day, so the copy misses none of their rows.
    sql`create trigger log_entry_arrive after insert on ${sql.table(day)}
      for each row execute function log_entry_arrive()`,
  ]);
}

async function copyRows(query: Query, day: string): Promise<number> {
  const last = await sql<{ project_id: string; kind: number; at: string; seq: number }>`
    select ${KEY} from log_entry_copy
    order by project_id desc, kind desc, at desc, seq desc limit 1`.execute(query);
  const { project_id, kind, at, seq } = last.rows[0] ?? { project_id: "", kind: 0, at: "", seq: 0 };
  await sql`
    insert into log_entry_staged (${COLUMNS}) select ${COLUMNS} from ${sql.table(day)}
    where (${KEY}) > (${project_id}, ${kind}, ${at}, ${seq}) order by ${KEY} limit ${sql.lit(CHUNK)}`.execute(query);
  const copied = await sql`
    insert into log_entry_copy (${COLUMNS}) select ${COLUMNS} from log_entry_staged`.execute(query);
  await sql`truncate log_entry_staged`.execute(query);
  return Number(copied.numAffectedRows);
}

// Rows that arrived before their chunk was copied are in the copy already.
const moveArrived = sql`
  with arrived as (delete from log_entry_arrived returning ${COLUMNS})
  insert into log_entry_copy (${COLUMNS}) select ${COLUMNS} from arrived on conflict do nothing`;

/** Puts the complete copy in the day's place. Returns the new name of the table that was there. */
async function replaceDay(query: Query, day: string): Promise<string> {
  const [from, to] = boundsOf(day);
  const gone = `log_entry_gone_${day.slice(-9)}_${Date.now()}`;
  await runAll(query, [
    // As much as possible before others have to wait.
    moveArrived,
    sql`lock table log_entry_copy in access exclusive mode`,
    // Not its partitions: a vacuum of today may take long.
    sql`lock table only log_entry in access exclusive mode`,
    sql`alter table log_entry detach partition ${sql.table(day)}`,
    moveArrived,
    sql`alter table ${sql.table(day)} rename to ${sql.table(gone)}`,
    sql`alter table log_entry_copy rename to ${sql.table(day)}`,
    sql`alter table log_entry attach partition ${sql.table(day)} for values from (${from}) to (${to})`,
    sql`alter table ${sql.table(day)} drop constraint log_entry_copy_day`,
    sql`drop table log_entry_staged, log_entry_arrived`,
    sql`drop function log_entry_arrive() cascade`,
  ]);
  return gone;
}

async function runAll(query: Query, statements: readonly RawBuilder<unknown>[]): Promise<void> {
  for (const statement of statements) await statement.execute(query);
}

function boundsOf(day: string): [from: RawBuilder<unknown>, to: RawBuilder<unknown>] {
  const [, year, month, date] = /_d(\d{4})(\d\d)(\d\d)$/.exec(day) ?? [];
  const from = `${year}-${month}-${date}`;
  return [sql.lit(from), sql.lit(dateOf(Date.parse(from) + DAY_MS))];
}

/** Rebuilds only indexes: Citus has no triggers, and its columnar tables make listings 25 times as long. */
function reindexDays(query: Query, lastDay: string, signal: AbortSignal): Promise<CompactedDay[]> {
  // A reindexing is no transaction, so the lock belongs to a connection.
  return query.connection().execute(async (session) => {
    const compacted: CompactedDay[] = [];
    if (!(await lock(session, "pg_try_advisory_lock"))) return compacted;
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(session);
    const cancel = (): void => {
      // A bigint would be taken for a number that Citus has given to the process.
      void sql`select pg_cancel_backend(${rows[0]?.pid}::integer)`.execute(query).catch(() => {});
    };
    signal.addEventListener("abort", cancel);
    try {
      for (const { name, bytes } of await dueDays(session, lastDay, "citus_total_relation_size")) {
        if (signal.aborted) break;
        if (!(await dropInvalidIndexes(session, name))) continue;
        await reindex(session, name);
        compacted.push({ before: bytes, after: await sizeOf(session, name, "citus_total_relation_size") });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener("abort", cancel);
      // If the connection is lost, so is the lock.
      await sql`select pg_advisory_unlock(${LOCK})`.execute(session).catch(() => {});
    }
    return compacted;
  });
}

async function reindex(session: Query, day: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname::text as name from pg_index join pg_class on pg_class.oid = indexrelid
    where indrelid = ${day}::regclass and indisprimary`.execute(session);
  const index = sql.table(rows[0]?.name ?? "");
  await sql`alter index ${index} set (fillfactor = 100)`.execute(session);
  const limits = await sql<{ statement: string; lock: string }>`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`.execute(session);
  const [before] = limits.rows;
  await setLimits(session, "0", "0");
  try {
    await sql`reindex index concurrently ${index}`.execute(session);
  } finally {
    // A lost connection is not used again.
    if (before) await setLimits(session, before.statement, before.lock).catch(() => {});
  }
  await sql`comment on table ${sql.table(day)} is 'compacted'`.execute(session);
}

const setLimits = (session: Query, statement: string, lock: string): Promise<unknown> =>
  sql`select set_config('statement_timeout', ${statement}, false), set_config('lock_timeout', ${lock}, false)`.execute(
    session,
  );

/** Drops the indexes that a killed reindexing has left in a day's shards. Returns whether none is left. */
async function dropInvalidIndexes(session: Query, day: string): Promise<boolean> {
  const drop = `do $$
    declare invalid regclass;
    begin
      perform set_config('lock_timeout', '${LOCK_TIMEOUT}', true);
      for invalid in select indexrelid from pg_index where indrelid = '%s'::regclass and not indisvalid loop
        execute 'drop index ' || invalid;
      end loop;
    end $$`;
  const { rows } = await sql<{ is_done: boolean }>`
    select bool_and(success) as is_done from run_command_on_shards(${day}::regclass, ${drop})`.execute(session);
  return rows[0]?.is_done === true;
}
