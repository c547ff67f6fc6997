import { setTimeout } from "node:timers/promises";
import { isUnavailable } from "@media-ops/database";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "./tables.js";

/** A table in PostgreSQL that is partitioned by day. */
export interface DayTable {
  readonly name: string;
  readonly column: string;
  /** The column's value at which a day begins. */
  boundOf(dayMs: number): string;
  /** The day that begins at a value of the column. */
  dayOf(bound: string): number;
}

/** A partition and its bounds, in ms since 1970; infinite if it is open. */
interface Partition {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

export const DAY_MS: number = 24 * 60 * 60 * 1000;

/** How far ahead partitions are created: enough for a weekend on which creating them fails, and the days after it. */
export const AHEAD_MS: number = 7 * DAY_MS;

export const startOfDay = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

// While the service waits for this lock, all other queries on the table wait behind it.
const LOCK_TIMEOUT = "2s";
const MAX_ATTEMPTS = 5;
const PAUSE_MS = 500;
const DELETE_LIMIT = 1000;

/** A table's partitions by day; each has bounds, so that PostgreSQL reads rows in order without sorting. */
export class DayPartitions {
  readonly #query: Kysely<Tables>;
  readonly #table: DayTable;

  constructor(query: Kysely<Tables>, table: DayTable) {
    this.#query = query;
    this.#table = table;
  }

  /** Creates the missing partitions from one day to another. Rows of these days move into them. */
  async make(firstDay: number, lastDay: number): Promise<void> {
    if ((await this.#longPartitions(this.#query, firstDay, lastDay)).length === 0) return;
    await this.#alone(async (transaction) => {
      // Read again, since another process may have created them meanwhile.
      for (const partition of await this.#longPartitions(transaction, firstDay, lastDay)) {
        await this.#split(transaction, partition, firstDay, lastDay);
      }
    });
  }

  /** Drops the partitions that end before a day. Returns how many were dropped. */
  async dropBefore(day: number): Promise<number> {
    const isOld = ({ to }: Partition): boolean => to <= day;
    const isDue = (partition: Partition): boolean => isOld(partition) && partition.from !== Number.NEGATIVE_INFINITY;
    if ((await this.#partitions(this.#query)).some(isDue)) {
      await this.#alone(async (transaction) => {
        const old = (await this.#partitions(transaction)).filter(isOld);
        for (const { name } of old) {
          const suffix = name.slice(this.#table.name.length + 1);
          await this.#detach(transaction, name, `gone_${suffix}_${Date.now()}`);
        }
        const end = Math.max(...old.map(({ to }) => to));
        if (old.length > 0) await this.#create(transaction, Number.NEGATIVE_INFINITY, end);
      });
    }
    return this.#dropDetached();
  }

  /** Deletes rows from before a day in partitions longer than a day, which cannot be dropped yet. */
  async deleteEarly(day: number, signal: AbortSignal): Promise<void> {
    const { column, boundOf } = this.#table;
    for (const { name } of await this.#longPartitions(this.#query, Number.NEGATIVE_INFINITY, day - DAY_MS)) {
      const partition = sql.table(name);
      const isEarly = sql`${sql.ref(column)} < ${boundOf(day)}`;
      while (!signal.aborted) {
        const early = sql<{ project_id: string }>`select project_id from ${partition} where ${isEarly} limit 1`;
        const [row] = (await early.execute(this.#query)).rows;
        if (!row) break;
        // Project by project, since Citus locks rows of one shard only, and each shard has its own ctids.
        const own = sql`project_id = ${row.project_id}`;
        const { numAffectedRows = 0n } = await sql`
          delete from ${partition} where ${own} and ctid = any(array(
            select ctid from ${partition} where ${own} and ${isEarly}
            limit ${sql.lit(DELETE_LIMIT)} for update skip locked))`.execute(this.#query);
        // Another process is deleting them.
        if (numAffectedRows === 0n) break;
      }
    }
  }

  /** The partitions that contain some of these days, but are longer than one: the open ones, and the gaps. */
  async #longPartitions(query: Kysely<Tables>, firstDay: number, lastDay: number): Promise<Partition[]> {
    return (await this.#partitions(query)).filter(
      ({ from, to }) => to - from !== DAY_MS && from < lastDay + DAY_MS && firstDay < to,
    );
  }

  /** Splits a partition, which may be years long, into one for each day, and one each for the time around them. */
  async #split(query: Kysely<Tables>, { name, from, to }: Partition, firstDay: number, lastDay: number): Promise<void> {
    const end = lastDay + DAY_MS;
    const detached = await this.#detach(query, name, "split");
    if (from < firstDay) await this.#create(query, from, firstDay);
    for (let day = Math.max(from, firstDay); day < Math.min(to, end); day += DAY_MS) {
      await this.#create(query, day, day + DAY_MS);
    }
    if (end < to) await this.#create(query, end, to);
    await sql`insert into ${sql.table(this.#table.name)} select * from ${detached}`.execute(query);
    await sql`drop table ${detached}`.execute(query);
  }

  async #create(query: Kysely<Tables>, from: number, to: number): Promise<void> {
    const { name, boundOf } = this.#table;
    const bound = (ms: number) => {
      if (Number.isFinite(ms)) return sql.lit(boundOf(ms));
      return sql.raw(ms < 0 ? "minvalue" : "maxvalue");
    };
    await sql`
      create table ${sql.table(`${name}_${suffixOf(from, to)}`)} partition of ${sql.table(name)}
      for values from (${bound(from)}) to (${bound(to)})`.execute(query);
  }

  /** Detaches a partition and renames it, so that a new one can have its name. */
  async #detach(query: Kysely<Tables>, partition: string, suffix: string) {
    const { name } = this.#table;
    const detached = sql.table(`${name}_${suffix}`);
    await sql`alter table ${sql.table(name)} detach partition ${sql.table(partition)}`.execute(query);
    await sql`alter table ${sql.table(partition)} rename to ${detached}`.execute(query);
    return detached;
  }

  /** Drops detached partitions, including those that a killed process has left. */
  async #dropDetached(): Promise<number> {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class
      where relnamespace = to_regnamespace(current_schema()) and relkind = 'r' and not relispartition
        and starts_with(relname, ${`${this.#table.name}_gone_`})`.execute(this.#query);
    for (const { name } of rows) {
      await this.#query.transaction().execute(async (transaction) => {
        await this.#takeTurn(transaction);
        await sql`drop table if exists ${sql.table(name)}`.execute(transaction);
      });
    }
    return rows.length;
  }

  /** Changes the table's partitions while no other process does; fails if the table stays busy. */
  async #alone(work: (transaction: Transaction<Tables>) => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#query.transaction().execute(async (transaction) => {
          await this.#takeTurn(transaction);
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

  /** Waits for other processes that change the table's partitions: with Citus, each change locks several PostgreSQL. */
  async #takeTurn(transaction: Transaction<Tables>): Promise<void> {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`days of ${this.#table.name}`}, 0))`.execute(transaction);
  }

  async #partitions(query: Kysely<Tables>): Promise<Partition[]> {
    const { rows } = await sql<{ name: string; bounds: string }>`
      select partition.relname as name, pg_get_expr(partition.relpartbound, partition.oid) as bounds
      from pg_inherits join pg_class as partition on partition.oid = inhrelid
      where inhparent = to_regclass(${this.#table.name})`.execute(query);
    return rows.map(({ name, bounds }) => {
      const [, from, to] = /FROM \('?(.*?)'?\) TO \('?(.*?)'?\)$/.exec(bounds) ?? [];
      return { name, from: this.#timeOf(from), to: this.#timeOf(to) };
    });
  }

  #timeOf(bound = ""): number {
    if (bound === "MINVALUE") return Number.NEGATIVE_INFINITY;
    return bound === "MAXVALUE" ? Number.POSITIVE_INFINITY : this.#table.dayOf(bound);
  }
}

function suffixOf(from: number, to: number): string {
  if (from === Number.NEGATIVE_INFINITY) return "early";
  if (to === Number.POSITIVE_INFINITY) return "late";
  const dayName = (day: number): string => `d${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;
  return to - from === DAY_MS ? dayName(from) : `until_${dayName(to)}`;
}
