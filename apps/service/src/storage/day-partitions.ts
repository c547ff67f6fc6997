import { setTimeout } from "node:timers/promises";
import { isUnavailable } from "@media-ops/database";
import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import type { Storage } from "./open-storage.js";
import type { Tables } from "./tables.js";

/** A table in PostgreSQL that is partitioned by day. */
export interface DayTable {
  readonly name: "log_entry" | "ended";
  /** The column that says which day a row belongs to. */
  readonly column: "at" | "until";
  /** Where a day begins, as a value of that column. */
  boundOf(dayMs: number): string;
}

/** A partition and its bounds; undefined where it is open. */
interface Partition {
  readonly name: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Days from one to another, both included, by their beginnings in ms since 1970. */
interface Days {
  readonly first: number;
  readonly last: number;
}

export const DAY_MS: number = 24 * 60 * 60 * 1000;

/** How far ahead days are made: a weekend with a broken housekeeper, and the days after it. */
export const AHEAD_MS: number = 7 * DAY_MS;

export const startOfDay = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

// Who wants the whole table for itself waits no longer, as everybody waits behind it.
const LOCK_TIMEOUT = "2s";
const MAX_ATTEMPTS = 5;
const PAUSE_MS = 500;
const DELETED_AT_ONCE = 1000;

/**
 * The days of a table: one partition each, and one before the first and one behind the last, so that every row finds a
 * place. There is no default partition: where each has bounds, a walk in their order needs no sorting.
 */
export class DayPartitions {
  readonly #query: Storage["query"];
  readonly #table: DayTable;

  constructor(query: Storage["query"], table: DayTable) {
    this.#query = query;
    this.#table = table;
  }

  /** Makes the days from one to another, but for those that are there. What has come for them before moves to its day. */
  async make(firstDayMs: number, lastDayMs: number): Promise<void> {
    const days = { first: firstDayMs, last: lastDayMs };
    if ((await this.#spans(this.#query, days)).length === 0) return;
    await this.#alone(async (transaction) => {
      // Another process may have been faster.
      for (const span of await this.#spans(transaction, days)) await this.#split(transaction, span, days);
    });
  }

  /** Takes away what lies before a day: whole days are dropped. Gives how many partitions there were. */
  async dropBefore(dayMs: number): Promise<number> {
    const bound = this.#table.boundOf(dayMs);
    const isOld = ({ to }: Partition): boolean => to !== undefined && !this.#isBefore(bound, to);
    if ((await this.#partitions(this.#query)).some((partition) => isOld(partition) && partition.from !== undefined)) {
      await this.#alone(async (transaction) => {
        const old = (await this.#partitions(transaction)).filter(isOld);
        for (const { name } of old) await this.#discard(transaction, name);
        const end = old
          .map(({ to }) => to ?? "")
          .reduce((one, other) => (this.#isBefore(one, other) ? other : one), "");
        if (old.length > 0) await this.#create(transaction, "early", undefined, end);
      });
    }
    return this.#dropDetached();
  }

  /** Deletes rows from before a day that lie in partitions of more than a day, of which it is not yet the time. */
  async deleteEarly(dayMs: number, signal: AbortSignal): Promise<void> {
    const { column, boundOf } = this.#table;
    for (const { name } of await this.#spans(this.#query, { first: 0, last: dayMs - DAY_MS })) {
      const span = sql.table(name);
      while (!signal.aborted) {
        const { numAffectedRows = 0n } = await sql`
          delete from ${span} where ctid = any(array(
            select ctid from ${span} where ${sql.ref(column)} < ${boundOf(dayMs)}
            limit ${sql.lit(DELETED_AT_ONCE)} for update skip locked))`.execute(this.#query);
        if (numAffectedRows < DELETED_AT_ONCE) break;
      }
    }
  }

  /** The partitions that hold some of these days and more than one day: those without an end, and the gaps between days. */
  async #spans(query: Kysely<Tables>, { first, last }: Days): Promise<Partition[]> {
    const { boundOf } = this.#table;
    return (await this.#partitions(query)).filter(
      ({ name, from, to }) =>
        !this.#isDay(name) &&
        (from === undefined || this.#isBefore(from, boundOf(last + DAY_MS))) &&
        (to === undefined || this.#isBefore(boundOf(first), to)),
    );
  }

  /**
   * Makes the days that lie in a partition, and moves their rows. What is left of it before and behind them stays a partition:
   * if a clock was wrong, or nobody was there for long, what lies in between is not worth a partition for each day.
   */
  async #split(query: Kysely<Tables>, { name, from, to }: Partition, days: Days): Promise<void> {
    const { boundOf } = this.#table;
    const [start, end] = [boundOf(days.first), boundOf(days.last + DAY_MS)];
    const hasBefore = from === undefined || this.#isBefore(from, start);
    const hasBehind = to === undefined || this.#isBefore(end, to);
    await this.#detach(query, name);
    for (let day = days.first; day <= days.last; day += DAY_MS) {
      const [dayStart, dayEnd] = [boundOf(day), boundOf(day + DAY_MS)];
      const isWithin =
        (from === undefined || !this.#isBefore(dayStart, from)) && (to === undefined || !this.#isBefore(to, dayEnd));
      if (isWithin) await this.#create(query, dayName(day), dayStart, dayEnd);
    }
    // The first partition stays the first one, any other keeps its end, by which it is named.
    const isFirst = from === undefined && to !== undefined;
    if (hasBefore && !isFirst) {
      await this.#create(query, from === undefined ? "early" : `until_${dayName(days.first)}`, from, start);
    }
    if (hasBehind && isFirst) await this.#create(query, `until_${this.#dayNameOf(to)}`, end, to);
    if (isFirst) {
      await this.#moveOut(query, name, sql`>= ${start}`);
      await this.#attach(query, name, undefined, start);
    } else if (hasBehind) {
      await this.#moveOut(query, name, sql`< ${end}`);
      await this.#attach(query, name, end, to);
    } else {
      await this.#moveOut(query, name, sql`is not null`);
      await sql`drop table ${sql.table(name)}`.execute(query);
    }
  }

  #isDay(name: string): boolean {
    return name.startsWith(`${this.#table.name}_d`);
  }

  #dayNameOf(bound: string): string {
    return dayName(this.#table.column === "until" ? Number(bound) : Date.parse(bound));
  }

  /** Moves rows of a partition that is detached to where they belong now. */
  async #moveOut(query: Kysely<Tables>, partition: string, which: RawBuilder<unknown>): Promise<void> {
    const { name, column } = this.#table;
    await sql`
      with moved as (delete from ${sql.table(partition)} where ${sql.ref(column)} ${which} returning *)
      insert into ${sql.table(name)} select * from moved`.execute(query);
  }

  async #create(query: Kysely<Tables>, suffix: string, from: string | undefined, to: string): Promise<void> {
    const { name } = this.#table;
    await sql`
      create table ${sql.table(`${name}_${suffix}`)} partition of ${sql.table(name)}
      ${forValues(from, to)}`.execute(query);
  }

  async #attach(query: Kysely<Tables>, partition: string, from: string | undefined, to: string | undefined) {
    await sql`
      alter table ${sql.table(this.#table.name)} attach partition ${sql.table(partition)}
      ${forValues(from, to)}`.execute(query);
  }

  async #detach(query: Kysely<Tables>, partition: string): Promise<void> {
    await sql`alter table ${sql.table(this.#table.name)} detach partition ${sql.table(partition)}`.execute(query);
  }

  /** Takes a partition away, and gives it a name by which it is known that it may go. */
  async #discard(query: Kysely<Tables>, partition: string): Promise<void> {
    const { name } = this.#table;
    await this.#detach(query, partition);
    const gone = `${name}_gone_${partition.slice(name.length + 1)}_${Date.now()}`;
    await sql`alter table ${sql.table(partition)} rename to ${sql.table(gone)}`.execute(query);
  }

  /** What was detached, now or before somebody died. */
  async #dropDetached(): Promise<number> {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class
      where relnamespace = to_regnamespace(current_schema()) and relkind = 'r' and not relispartition
        and starts_with(relname, ${`${this.#table.name}_gone_`})`.execute(this.#query);
    for (const { name } of rows) await sql`drop table if exists ${sql.table(name)}`.execute(this.#query);
    return rows.length;
  }

  /** Changes the table's partitions while nobody else does, and gives up soon where it is much in use. */
  async #alone(work: (transaction: Transaction<Tables>) => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#query.transaction().execute(async (transaction) => {
          await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(transaction);
          await sql`lock table ${sql.table(this.#table.name)} in access exclusive mode`.execute(transaction);
          await work(transaction);
        });
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isUnavailable(error)) throw error;
        await setTimeout(PAUSE_MS);
      }
    }
  }

  async #partitions(query: Kysely<Tables>): Promise<Partition[]> {
    const { rows } = await sql<{ name: string; bounds: string }>`
      select partition.relname as name, pg_get_expr(partition.relpartbound, partition.oid) as bounds
      from pg_inherits join pg_class as partition on partition.oid = inhrelid
      where inhparent = to_regclass(${this.#table.name})`.execute(query);
    return rows.map(({ name, bounds }) => {
      const [, from, to] = /FROM \((.*)\) TO \((.*)\)/.exec(bounds) ?? [];
      return { name, from: toBound(from), to: toBound(to) };
    });
  }

  #isBefore(one: string, other: string): boolean {
    return this.#table.column === "until" ? Number(one) < Number(other) : one < other;
  }
}

/** The days of the logs. */
export const entryDays = (query: Storage["query"]): DayPartitions =>
  new DayPartitions(query, {
    name: "log_entry",
    column: "at",
    boundOf: (dayMs) => new Date(dayMs).toISOString().slice(0, 10),
  });

/** The days until which it is remembered what has ended. */
export const endedDays = (query: Storage["query"]): DayPartitions =>
  new DayPartitions(query, { name: "ended", column: "until", boundOf: String });

function forValues(from: string | undefined, to: string | undefined) {
  const bound = (value: string | undefined, open: string) => (value === undefined ? sql.raw(open) : sql.lit(value));
  return sql`for values from (${bound(from, "minvalue")}) to (${bound(to, "maxvalue")})`;
}

const toBound = (text = ""): string | undefined => (/^'.*'$/.test(text) ? text.slice(1, -1) : undefined);

const dayName = (dayMs: number): string => `d${new Date(dayMs).toISOString().slice(0, 10).replaceAll("-", "")}`;
