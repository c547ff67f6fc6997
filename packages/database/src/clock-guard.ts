import { type QueryExecutorProvider, sql } from "kysely";

/** The record of the clocks of the programs on a database. */
export interface ClockRecord {
  readonly at: number;
  /** Why the clock that was checked last is not trusted, and what it showed. */
  readonly paused?: {
    /**
     * `jumped` is more than a day ahead of the last trusted time; timestamps from another machine are more than a day
     * behind `contradicted`; `impossible` is before this program was written.
     */
    readonly kind: "jumped" | "contradicted" | "impossible";
    readonly clock: number;
  };
  /** Whether an operator has confirmed the clock, which overrides other machines' timestamps. */
  readonly confirmed?: true;
}

/** A table with the columns `name` and `value`, in which the record has one row. */
type ClockTable = "setting" | "bot_setting";

interface ClockGuardOptions {
  readonly query: QueryExecutorProvider;
  readonly table: ClockTable;
  now(): number;
  /** The time of the newest data, in ms since 1970, for a database without a record; undefined if there is none. */
  newest(): Promise<number | undefined>;
  /** Receives a doubt about the clock as an error, every hour, and its end as an info. */
  readonly log: { error(message: string): void; info(message: string): void };
  readonly confirm?: string;
  elapsed?(): number;
}

const HOUR_MS = 60 * 60 * 1000;
/** A smaller error of a clock goes unnoticed: data is kept this much longer than needed. */
export const CLOCK_TOLERANCE_MS: number = 24 * HOUR_MS;
/** A right clock never shows a time before this code was written. */
export const EARLIEST: number = Date.parse("2026-01-01T00:00:00Z");
// More timestamps within the same second add no information.
const NOTED_EVERY_MS = 1000;

/**
 * Decides up to which time data may be deleted, for all programs on a database: by the earliest of their clocks, as
 * deleting too late is harmless. A clock that is more than a day ahead of the last trusted time moves that by one day
 * in an hour.
 */
export class ClockGuard {
  readonly #options: ClockGuardOptions;
  readonly #elapsed: () => number;
  #notedAt = Number.NEGATIVE_INFINITY;
  /** How far the most advanced clock of another machine was ahead of `elapsed` in the hour that began at `since`. */
  #noted: { readonly since: number; readonly offset: number } | undefined;
  /** The trusted time that the clock is far ahead of, and since when in `elapsed` it has been seen unchanged. */
  #doubted: { readonly at: number; readonly since: number } | undefined;
  #pause: string | undefined;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ClockGuardOptions) {
    this.#options = options;
    this.#elapsed = options.elapsed ?? (() => performance.now());
  }

  get pause(): string | undefined {
    return this.#pause;
  }

  /** Notes a timestamp that was just received from another machine. */
  note(timestamp: string): void {
    const elapsed = this.#elapsed();
    if (elapsed - this.#notedAt < NOTED_EVERY_MS) return;
    const time = Date.parse(timestamp);
    if (Number.isNaN(time)) return;
    this.#notedAt = elapsed;
    const offset = time - elapsed;
    const { since, offset: most } = this.#notedWithinHour(elapsed) ?? { since: elapsed, offset };
    this.#noted = { since, offset: Math.max(offset, most) };
  }

  /** Returns the time up to which data may be deleted, in ms since 1970: a day before the last trusted time. */
  async check(): Promise<number> {
    const { query, table, newest, log } = this.#options;
    const [now, elapsed] = [this.#options.now(), this.#elapsed()];
    const noted = this.#notedWithinHour(elapsed);
    const theirs = noted && Math.floor(noted.offset + elapsed);
    const stored = (await readClock(query, table)) ?? { at: (await newest()) ?? now };
    if (this.#doubted?.at !== stored.at) this.#doubted = undefined;
    const mayMove = this.#doubted !== undefined && elapsed - this.#doubted.since >= HOUR_MS;
    const record = judgeClock(stored, { now, theirs, mayMove });
    // Of processes that check at the same time, the last one counts: each has judged by a time that was trusted.
    await storeClock(query, table, record);
    if (record.paused?.kind !== "jumped") this.#doubted = undefined;
    else if (this.#doubted?.at !== record.at) this.#doubted = { at: record.at, since: elapsed };
    if (record.paused === undefined && now < stored.at - CLOCK_TOLERANCE_MS) {
      log.error(
        `The clock shows ${shownTime(now)}, but the last trusted time is ${shownTime(stored.at)}. If the clock is wrong, set it, and let NTP keep it. Until then data is deleted by the earlier time: nothing is lost.`,
      );
    }
    this.#report(record);
    return record.at - CLOCK_TOLERANCE_MS;
  }

  #notedWithinHour(elapsed: number) {
    return this.#noted && elapsed - this.#noted.since < HOUR_MS ? this.#noted : undefined;
  }

  #report(record: ClockRecord): void {
    const { log, confirm } = this.#options;
    const pause = describePause(record, confirm);
    if (pause === undefined) {
      if (this.#pause !== undefined) log.info("The clock is trusted again: what has expired is deleted again.");
      this.#reportedAt = Number.NEGATIVE_INFINITY;
    } else if (this.#elapsed() - this.#reportedAt >= HOUR_MS) {
      log.error(pause);
      this.#reportedAt = this.#elapsed();
    }
    this.#pause = pause;
  }
}

/** The record after a check: `theirs` is another machine's time, `mayMove` lets the trusted time move by a day. */
export function judgeClock(
  { at, confirmed }: ClockRecord,
  { now, theirs, mayMove }: { readonly now: number; readonly theirs?: number | undefined; readonly mayMove: boolean },
): ClockRecord {
  if (now < EARLIEST) return { at, paused: { kind: "impossible", clock: now } };
  const isBehind = theirs !== undefined && theirs < now - CLOCK_TOLERANCE_MS;
  const isFlowing = Math.abs(now - at) <= CLOCK_TOLERANCE_MS;
  // Until a timestamp agrees, or the clock jumps.
  const isConfirmed = confirmed === true && isFlowing && (theirs === undefined || isBehind);
  if (isConfirmed) return { at: now, confirmed };
  const time = isBehind ? theirs : now;
  // Also if it is earlier: a trusted time in the future would hide the next jump up to it.
  if (time <= at + CLOCK_TOLERANCE_MS) {
    return isBehind ? { at: time, paused: { kind: "contradicted", clock: now } } : { at: time };
  }
  return { at: mayMove ? at + CLOCK_TOLERANCE_MS : at, paused: { kind: "jumped", clock: now } };
}

/** Describes why deletion is held back, and the next step; undefined if it is not. */
export function describePause({ at, paused }: ClockRecord, confirm?: string): string | undefined {
  if (paused === undefined) return undefined;
  const shown = `as the clock may be wrong: it shows ${shownTime(paused.clock)}`;
  const ifRight = confirm === undefined ? "" : ` ${confirm}`;
  switch (paused.kind) {
    case "impossible":
      return `Nothing is deleted, ${shown}, which is before this version was written. Set it, and let NTP keep it.`;
    case "contradicted":
      return `Old data is deleted by the media server's time, ${shown}, but the media server's timestamps are more than a day behind it. Set the clock that is wrong.${ifRight}`;
    case "jumped": {
      const days = Math.floor((paused.clock - at) / CLOCK_TOLERANCE_MS);
      return `Old data is deleted at most one day in an hour, ${shown}, ${days} ${days === 1 ? "day" : "days"} after the last trusted time, ${shownTime(at)}. If the clock is wrong, set it, and let NTP keep it.${ifRight}`;
    }
  }
}

/** A time as text, even if it is outside the range of Date. */
export function shownTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms} ms after 1970` : date.toISOString();
}

const NAME = "clock";

/** Reads the record; undefined if there is none, or if this version does not know its format. */
export async function readClock(query: QueryExecutorProvider, table: ClockTable): Promise<ClockRecord | undefined> {
  const { rows } = await sql<{ value: string }>`
    select value from ${sql.table(table)} where name = ${NAME}`.execute(query);
  try {
    const { at, paused, confirmed } = JSON.parse(rows[0]?.value ?? "");
    const isKnown = typeof at === "number" && (paused === undefined || typeof paused.clock === "number");
    return isKnown ? { at, ...(paused && { paused }), ...(confirmed && { confirmed }) } : undefined;
  } catch {
    return undefined;
  }
}

async function storeClock(query: QueryExecutorProvider, table: ClockTable, record: ClockRecord): Promise<void> {
  await sql`
    insert into ${sql.table(table)} (name, value) values (${NAME}, ${JSON.stringify(record)})
    on conflict (name) do update set value = excluded.value`.execute(query);
}

/** Stores an operator's confirmation that the clock is right. */
export const confirmClock = (query: QueryExecutorProvider, table: ClockTable, now: number): Promise<void> =>
  storeClock(query, table, { at: now, confirmed: true });
