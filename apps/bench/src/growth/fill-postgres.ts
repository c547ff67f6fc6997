import { type Kysely, sql, type Transaction } from "kysely";
import { kindNumbers, open, type Tables } from "../databases/open.js";
import { type EntriesOptions, makeEntries, measured } from "../service/entries.js";
import { openFeeder, show } from "../service/feeder.js";

const DAY_MS = 24 * 60 * 60 * 1000;
// So many different entries; they come again and again, each time with another timestamp.
const CYCLE = 10_000;
const AT_ONCE = 2;
// A statement that takes long is broken off.
const PIECE = 50_000;

/** An entry without the time at its beginning. */
interface Template {
  readonly projectId: string;
  readonly kind: number;
  readonly rest: string;
  /** The number of it among those of its log, from 1, and how many those are. */
  rank: number;
  of: number;
}

/**
 * Puts so many entries into a database as the service would have written them, in the order of their time and into the same
 * days, but within PostgreSQL, which is many times faster. Gives how many bytes they have as JSON, and the newest of the
 * measured log.
 */
export async function fillPostgres(
  url: string,
  { count, from, until }: EntriesOptions,
  newestCount: number,
): Promise<{ json: number; newest: string[] }> {
  if (count % CYCLE !== 0) throw new Error(`Entries are put into PostgreSQL in multiples of ${CYCLE}.`);
  await makeDays(url, from, until);
  const templates = makeTemplates();
  const clock: Clock = { fromUs: Math.floor(from * 1000), stepUs: Math.floor(((until - from) * 1000) / count) };
  const database = await open(url);
  const started = Date.now();
  try {
    await database.query.transaction().execute((transaction) => keepTemplates(transaction, templates));
    const rest = piecesOf(count, Math.ceil(count / PIECE))[Symbol.iterator]();
    let done = 0;
    const work = async (): Promise<void> => {
      for (const { first, end } of rest) {
        await database.query.transaction().execute((transaction) => insert(transaction, { first, end, clock }));
        done += end - first;
        if (done % (PIECE * 20) === 0) show(`storing entries: ${done} of ${count}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await database.query.transaction().execute((transaction) => finish(transaction, count / CYCLE));
    await settle(database.query);
  } finally {
    await database.close();
  }
  show(`storing entries: ${count}, done in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return { json: jsonBytes(templates, clock, count), newest: newestOf(templates, { clock, count, newestCount }) };
}

/** The service makes the days, as time goes on. */
async function makeDays(url: string, from: number, until: number): Promise<void> {
  for (let now = from; now < until; now += 5 * DAY_MS) await (await openFeeder(url, now)).close();
  await (await openFeeder(url)).close();
}

function makeTemplates(): Template[] {
  const logs = new Map<string, number>();
  const made = [...makeEntries({ count: CYCLE, from: 0, until: DAY_MS })].map((entry): Template => {
    const kind = kindNumbers[entry.kind];
    const log = `${entry.projectId} ${kind}`;
    const rank = (logs.get(log) ?? 0) + 1;
    logs.set(log, rank);
    const rest = entry.text.slice(entry.text.indexOf(`${entry.timestamp}"`) + entry.timestamp.length);
    return { projectId: entry.projectId, kind, rest, rank, of: 0 };
  });
  return made.map((one) => ({ ...one, of: logs.get(`${one.projectId} ${one.kind}`) ?? 0 }));
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

/** When each entry was: so many microseconds since 1970, and so many from one to the next. */
interface Clock {
  readonly fromUs: number;
  readonly stepUs: number;
}

/** Every other one tells microseconds, the others milliseconds. */
const isExact = (n: number): boolean => n % 2 === 0;

/** The entries from one number on, in the order of their time. */
async function insert(
  transaction: Transaction<Tables>,
  { first, end, clock: { fromUs, stepUs } }: { first: number; end: number; clock: Clock },
): Promise<void> {
  await sql`
    insert into log_entry (project_id, kind, at, seq, entry)
    select project_id, kind, rtrim(rtrim(at, '0'), '.'), n / ${sql.lit(CYCLE)} * of + rank,
      '{"timestamp":"' || at || 'Z' || rest
    from (
      select number as n, project_id, kind, rank, of, rest, to_char(
        timestamp 'epoch' + (${sql.lit(fromUs)}::bigint + number * ${sql.lit(stepUs)}) * interval '1 microsecond',
        case number % 2 when 0 then 'YYYY-MM-DD"T"HH24:MI:SS.US' else 'YYYY-MM-DD"T"HH24:MI:SS.MS' end
      ) as at
      from generate_series(${sql.lit(first)}::bigint, ${sql.lit(end - 1)}::bigint) as number
      join template on template.n = number % ${sql.lit(CYCLE)}
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

/** Does now what would otherwise be done in the background while we measure. */
async function settle(query: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'log_entry'::regclass`.execute(query);
  for (const { name } of rows) {
    await sql`vacuum (analyze) ${sql.table(name)}`.execute(query);
    // It goes on though nobody waits for it any more.
    await sql`checkpoint`.execute(query).catch(() => {});
  }
}

/** Numbers from 0 up to a count, in so many pieces. */
function piecesOf(count: number, pieces: number): { first: number; end: number }[] {
  const bound = (piece: number): number => Math.floor((count * piece) / pieces);
  return Array.from({ length: pieces }, (_, piece) => ({ first: bound(piece), end: bound(piece + 1) }));
}

function timestampOf(n: number, { fromUs, stepUs }: Clock): string {
  const us = fromUs + n * stepUs;
  const text = new Date(Math.floor(us / 1000)).toISOString().slice(0, -1);
  return isExact(n) ? `${text}${String(us % 1000).padStart(3, "0")}Z` : `${text}Z`;
}

function textOf(templates: readonly Template[], n: number, clock: Clock): string {
  return `{"timestamp":"${timestampOf(n, clock)}${templates[n % CYCLE]?.rest ?? ""}`;
}

function jsonBytes(templates: readonly Template[], clock: Clock, count: number): number {
  let cycle = 0;
  for (let n = 0; n < CYCLE; n++) cycle += Buffer.byteLength(textOf(templates, n, clock));
  return cycle * (count / CYCLE);
}

function newestOf(
  templates: readonly Template[],
  { clock, count, newestCount }: { clock: Clock; count: number; newestCount: number },
): string[] {
  const newest: string[] = [];
  for (let n = count - 1; n >= 0 && newest.length < newestCount; n--) {
    const { projectId, kind } = templates[n % CYCLE] ?? {};
    if (projectId === measured.projectId && kind === kindNumbers[measured.kind])
      newest.push(textOf(templates, n, clock));
  }
  return newest;
}
