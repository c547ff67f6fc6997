import assert from "node:assert/strict";
import { type Kysely, sql, type Transaction } from "kysely";
import { open, type Tables } from "../databases/open.js";
import { openFeeder, show } from "../service/feeder.js";
import { CYCLE, type MadeEntries, type Template } from "./made-entries.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const AT_ONCE = 2;
// A statement that takes long is broken off.
const PIECE = 50_000;

/** The entries from one number on, before another. */
interface Piece {
  readonly first: number;
  readonly end: number;
}

/** A partition, and when what belongs to it begins and ends. */
interface Day {
  readonly name: string;
  readonly from: number;
  readonly until: number;
}

/**
 * Puts entries into a database as the service would have written them, one after another in the order of their time into
 * the same days, but within PostgreSQL, which is many times faster.
 */
export async function fillPostgres(url: string, entries: MadeEntries): Promise<void> {
  const started = Date.now();
  const { fromUs, stepUs } = entries.clock;
  await makeDays(url, fromUs / 1000, (fromUs + entries.count * stepUs) / 1000);
  const database = await open(url);
  try {
    await database.query.transaction().execute((transaction) => keepTemplates(transaction, entries.templates));
    const days = await daysOf(database.query);
    const rest = days[Symbol.iterator]();
    let done = 0;
    const work = async (): Promise<void> => {
      for (const day of rest) {
        done += await database.query.transaction().execute((transaction) => fillDay(transaction, day, entries));
        if (entries.count > PIECE) show(`storing entries: ${done} of ${entries.count}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await database.query.transaction().execute((transaction) => finish(transaction, entries.count / CYCLE));
    assert.equal(await settle(database.query, days), entries.count, "as many entries are stored as were made");
  } finally {
    await database.close();
  }
  show(`storing entries: ${entries.count}, done in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** The service makes the days, as time goes on. */
async function makeDays(url: string, from: number, until: number): Promise<void> {
  for (let now = from; now < until; now += 7 * DAY_MS) await (await openFeeder(url, now)).close();
  await (await openFeeder(url)).close();
}

async function keepTemplates(transaction: Transaction<Tables>, templates: readonly Template[]): Promise<void> {
  await sql`create unlogged table template (
    n bigint primary key, project_id text collate "C", kind integer, rest text, rank bigint, of bigint
  )`.execute(transaction);
  const column = <Name extends keyof Template>(name: Name): Template[Name][] => templates.map((one) => one[name]);
  await sql`
    insert into template (project_id, kind, rest, rank, of, n)
    select project_id, kind, rest, rank, of, n - 1
    from unnest(
      ${column("projectId")}::text[], ${column("kind")}::integer[], ${column("rest")}::text[], ${column("rank")}::bigint[],
      ${column("of")}::bigint[]
    ) with ordinality as given (project_id, kind, rest, rank, of, n)`.execute(transaction);
}

/** The partitions, but for the first and the last, which are for what comes out of time. */
async function daysOf(query: Kysely<Tables>): Promise<Day[]> {
  const { rows } = await sql<{ name: string; day: string }>`
    select inhrelid::regclass::text as name, substring(inhrelid::regclass::text from '_d(\\d{8})$') as day
    from pg_inherits where inhparent = 'log_entry'::regclass order by 1`.execute(query);
  return rows
    .filter(({ day }) => day !== null)
    .map(({ name, day }) => {
      const from = Date.parse(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`);
      return { name, from, until: from + DAY_MS };
    });
}

/** Gives how many there were. */
async function fillDay(
  transaction: Transaction<Tables>,
  { name, from, until }: Day,
  entries: MadeEntries,
): Promise<number> {
  const [dayFirst, dayEnd] = [entries.firstSince(from), entries.firstSince(until)];
  if (dayFirst === dayEnd) return 0;
  // With wal_level = minimal, what is emptied and filled in one transaction is not written twice.
  await sql`truncate ${sql.table(name)}`.execute(transaction);
  for (let first = dayFirst; first < dayEnd; first += PIECE) {
    await insert(transaction, name, { first, end: Math.min(first + PIECE, dayEnd) }, entries);
  }
  return dayEnd - dayFirst;
}

/** Puts a piece into the day that it belongs to, in the order of time. */
async function insert(
  transaction: Transaction<Tables>,
  day: string,
  { first, end }: Piece,
  { clock: { fromUs, stepUs } }: MadeEntries,
): Promise<void> {
  // "offset 0" keeps the text of a time from being made twice.
  await sql`
    insert into ${sql.table(day)} (project_id, kind, at, seq, entry)
    select project_id, kind, rtrim(rtrim(at, '0'), '.'), n / ${sql.lit(CYCLE)} * of + rank,
      '{"timestamp":"' || at || 'Z' || rest
    from (
      select number as n, project_id, kind, rank, of, rest, to_char(
        timestamp 'epoch' + (${sql.lit(fromUs)}::bigint + number * ${sql.lit(stepUs)}) * interval '1 microsecond',
        case number % 2 when 0 then 'YYYY-MM-DD"T"HH24:MI:SS.US' else 'YYYY-MM-DD"T"HH24:MI:SS.MS' end
      ) as at
      from generate_series(${sql.lit(first)}::bigint, ${sql.lit(end - 1)}::bigint) as number
      join template on template.n = number % ${sql.lit(CYCLE)}
      offset 0
    ) as made`.execute(transaction);
}

async function finish(transaction: Transaction<Tables>, cycles: number): Promise<void> {
  await sql`
    insert into log_head (project_id, kind, seq)
    select project_id, kind, count(*) * ${sql.lit(cycles)} from template group by project_id, kind`.execute(
    transaction,
  );
  await sql`drop table template`.execute(transaction);
}

/** Does now what would otherwise be done in the background while we measure. Gives how many entries there are. */
async function settle(query: Kysely<Tables>, days: readonly Day[]): Promise<number> {
  let stored = 0;
  for (const { name } of days) {
    await sql`vacuum (analyze) ${sql.table(name)}`.execute(query);
    const { rows } = await sql<{ count: number }>`select count(*) from ${sql.table(name)}`.execute(query);
    stored += rows[0]?.count ?? Number.NaN;
  }
  // It goes on though nobody waits for it any more.
  await sql`checkpoint`.execute(query).catch(() => {});
  return stored;
}
