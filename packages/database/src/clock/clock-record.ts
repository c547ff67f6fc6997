import { type QueryExecutorProvider, sql } from "kysely";

/** A clock by which nothing may be deleted. */
export interface PausedClock {
  /**
   * - `jumped`: it is more than a day ahead of the stored time.
   * - `contradicted`: timestamps from another machine are more than a day off.
   * - `impossible`: it shows a time before this program was written.
   */
  readonly kind: "jumped" | "contradicted" | "impossible";
  /** What it showed at the last check, in ms since 1970. */
  readonly clock: number;
  /** Since when timestamps from another machine agree with it. */
  readonly agreesSince?: number;
  /** How many of them have agreed. */
  readonly agreements: number;
}

/** What a database remembers of its programs' clocks. */
export interface ClockRecord {
  /** The last time that a trusted clock showed, in ms since 1970. */
  readonly at: number;
  /** Present while the last clock that was checked is not trusted. */
  readonly paused?: PausedClock;
  /** Whether an operator has said that the clock is right, whatever other machines' timestamps say. */
  readonly confirmed?: true;
}

/** A table with the columns `name` and `value`, in which the record has one row. */
export type ClockTable = "setting" | "bot_setting";

/** A jump up to this goes unnoticed: whatever is deleted is kept so much longer than it is needed. */
export const DAY_MS: number = 24 * 60 * 60 * 1000;

const NAME = "clock";

/** Reads the record as it is stored; undefined if there is none. */
export async function readClockText(query: QueryExecutorProvider, table: ClockTable): Promise<string | undefined> {
  const { rows } = await sql<{ value: string }>`
    select value from ${sql.table(table)} where name = ${NAME}`.execute(query);
  return rows[0]?.value;
}

/** Reads the record; undefined if there is none, or none that can be read. */
export async function readClock(query: QueryExecutorProvider, table: ClockTable): Promise<ClockRecord | undefined> {
  return parseClock(await readClockText(query, table));
}

/** Replaces the record, unless it has changed since it was read. Returns whether it was replaced. */
export async function replaceClock(
  query: QueryExecutorProvider,
  table: ClockTable,
  { before, after }: { before: string | undefined; after: ClockRecord },
): Promise<boolean> {
  const value = JSON.stringify(after);
  const statement =
    before === undefined
      ? sql`insert into ${sql.table(table)} (name, value) values (${NAME}, ${value}) on conflict do nothing`
      : sql`update ${sql.table(table)} set value = ${value} where name = ${NAME} and value = ${before}`;
  const { numAffectedRows = 0n } = await statement.execute(query);
  return numAffectedRows > 0n;
}

/** Stores an operator's word that the clock is right. */
export async function confirmClock(query: QueryExecutorProvider, table: ClockTable, now: number): Promise<void> {
  for (;;) {
    const before = await readClockText(query, table);
    if (await replaceClock(query, table, { before, after: { at: now, confirmed: true } })) return;
  }
}

/** Reads a record's text; undefined for one that this version does not know. */
export function parseClock(text: string | undefined): ClockRecord | undefined {
  if (text === undefined) return undefined;
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isRecord(record) ? record : undefined;
}

function isRecord(value: unknown): value is ClockRecord {
  if (typeof value !== "object" || value === null || !("at" in value) || typeof value.at !== "number") return false;
  if (!("paused" in value) || value.paused === undefined) return true;
  const { paused } = value;
  return typeof paused === "object" && paused !== null && "kind" in paused && "clock" in paused;
}
