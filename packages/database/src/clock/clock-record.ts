import { type QueryExecutorProvider, sql } from "kysely";

/** A clock that is not trusted, so that nothing may be deleted. */
export interface PausedClock {
  /**
   * - `jumped`: it is more than a day ahead of the stored time.
   * - `contradicted`: timestamps from another machine are more than a day off.
   * - `impossible`: it shows a time before this program was written.
   */
  readonly kind: "jumped" | "contradicted" | "impossible";
  /** Its time at the last check, in ms since 1970. */
  readonly clock: number;
  /** The time from which on timestamps from another machine agree with it. */
  readonly agreesSince?: number;
  /** The number of timestamps that have agreed. */
  readonly agreements: number;
}

/** The record of the clocks of the programs on a database. */
export interface ClockRecord {
  /** The last time that a trusted clock showed, in ms since 1970. */
  readonly at: number;
  /** Present while the last clock that was checked is not trusted. */
  readonly paused?: PausedClock;
  /** Whether an operator has confirmed the clock, which overrides other machines' timestamps. */
  readonly confirmed?: true;
}

/** A table with the columns `name` and `value`, in which the record has one row. */
export type ClockTable = "setting" | "bot_setting";

/** A smaller jump goes unnoticed: data is kept this much longer than needed. */
export const DAY_MS: number = 24 * 60 * 60 * 1000;

const NAME = "clock";

/** Reads the stored text of the record; undefined if there is none. */
export async function readClockText(query: QueryExecutorProvider, table: ClockTable): Promise<string | undefined> {
  const { rows } = await sql<{ value: string }>`
    select value from ${sql.table(table)} where name = ${NAME}`.execute(query);
  return rows[0]?.value;
}

/** Reads the record; undefined if there is none, or if it cannot be read. */
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

/** Stores an operator's confirmation that the clock is right. */
export async function confirmClock(query: QueryExecutorProvider, table: ClockTable, now: number): Promise<void> {
  for (;;) {
    const before = await readClockText(query, table);
    if (await replaceClock(query, table, { before, after: { at: now, confirmed: true } })) return;
  }
}

/** Reads a record's text; undefined if this version does not know its format. */
export function parseClock(text = ""): ClockRecord | undefined {
  try {
    const record: unknown = JSON.parse(text);
    return isRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is ClockRecord {
  if (typeof value !== "object" || value === null || !("at" in value) || typeof value.at !== "number") return false;
  if (!("paused" in value) || value.paused === undefined) return true;
  const { paused } = value;
  return typeof paused === "object" && paused !== null && "kind" in paused && "clock" in paused;
}

/** How the timestamps that another machine sent since the last check compare with the clock. */
export interface ClockWitnesses {
  /** The number of timestamps within an hour of the clock. */
  readonly agreeing: number;
  /** The number of timestamps that are more than a day off. */
  readonly disagreeing: number;
}

/** A right clock never shows a time before this code was written. */
export const EARLIEST: number = Date.parse("2026-01-01T00:00:00Z");

/** With fewer, one message with a wrong time could confirm a wrong clock. */
const LEAST_AGREEMENTS = 3;

/**
 * Decides whether data may be deleted by a clock. The earliest clock wins: deleting too late is harmless. A clock that
 * is a day or more ahead of the stored time is trusted after a day in which the witnesses have agreed with it, if no
 * trusted clock has been seen meanwhile: a trusted one replaces the record.
 *
 * @example
 * judgeClock({ at: now - HOUR }, now, none).record; // { at: now }: all is well
 * judgeClock({ at: now - 31 * DAY }, now, none).record.paused?.kind; // "jumped"
 * @returns the record to store, which names a pause if nothing may be deleted by this clock, and whether the clock is
 * more than a day behind the stored time.
 */
export function judgeClock(
  record: ClockRecord,
  now: number,
  witnesses: ClockWitnesses,
): { readonly record: ClockRecord; readonly wentBack: boolean } {
  if (now < EARLIEST) {
    const paused: PausedClock = { kind: "impossible", clock: now, agreements: 0 };
    return { record: { at: record.at, paused }, wentBack: false };
  }
  const wentBack = now < record.at - DAY_MS;
  // A stored time in the future would hide the next jump up to it.
  const known: ClockRecord = wentBack ? { at: now } : record;
  const isFlowing = now - known.at <= DAY_MS;
  return { record: isFlowing ? continued(known, now, witnesses) : jumped(known, now, witnesses), wentBack };
}

/** The record after a check that finds the clock in the expected range. */
function continued({ at, paused, confirmed }: ClockRecord, now: number, witnesses: ClockWitnesses): ClockRecord {
  const { agreeing, disagreeing } = witnesses;
  if (agreeing > 0) return { at: now };
  if (confirmed) return { at: now, confirmed };
  // Until another timestamp agrees: no timestamps prove nothing.
  const isContradicted = disagreeing > 0 || paused?.kind === "contradicted";
  return isContradicted ? { at, paused: { kind: "contradicted", clock: now, agreements: 0 } } : { at: now };
}

/** The record after a check that finds the clock far ahead. */
function jumped({ at, paused }: ClockRecord, now: number, { agreeing, disagreeing }: ClockWitnesses): ClockRecord {
  const isSameClock = paused?.kind === "jumped" && Math.abs(now - paused.clock) <= DAY_MS;
  if (agreeing === 0 && (disagreeing > 0 || !isSameClock)) {
    return { at, paused: { kind: "jumped", clock: now, agreements: 0 } };
  }
  const before = isSameClock ? paused : undefined;
  const agreesSince = before?.agreesSince ?? (agreeing > 0 ? now : undefined);
  const agreements = (before?.agreements ?? 0) + agreeing;
  const isProven = agreeing > 0 && now - (agreesSince ?? now) >= DAY_MS && agreements >= LEAST_AGREEMENTS;
  if (isProven) return { at: now };
  return { at, paused: { kind: "jumped", clock: now, agreements, ...(agreesSince !== undefined && { agreesSince }) } };
}
