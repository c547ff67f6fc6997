import { type Kysely, sql } from "kysely";
import type { DistributedTables } from "../database.js";
import { DatabaseError } from "../errors.js";

const LOOK_EVERY_MS = 2000;
// A statement is given up after 8 s: until then, a worker that does not answer holds its connection.
const ANSWER_MS = 4000;
const SAMPLE_EVERY_MS = 60_000;
// Enough of them to find one in a shard of each worker.
const SAMPLES = 1000;

interface Sample {
  readonly worker: number;
  readonly value: string;
}

/** Asks Citus's workers whether they answer: statements about a silent one's rows would hold all connections. */
export class WorkerWatch {
  readonly #query: Kysely<unknown>;
  readonly #tables: DistributedTables;
  readonly #table: string;
  /** The values whose rows are on workers that do not answer. */
  #away: ReadonlySet<unknown> = new Set();
  #samples: readonly Sample[] = [];
  #sampledAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isClosed = false;

  /** @param query Over a connection of its own. */
  constructor(query: Kysely<unknown>, tables: DistributedTables) {
    this.#query = query;
    this.#tables = tables;
    [this.#table = ""] = tables.names;
    this.#schedule();
  }

  /** @throws {DatabaseError} if one of a statement's values is one whose rows cannot be reached now. */
  readonly refuse = (values: readonly unknown[]): void => {
    if (this.#away.size === 0) return;
    const value = values.find((one) => this.#away.has(one));
    if (value === undefined) return;
    const message = `PostgreSQL cannot be used now: the worker with the rows of ${value} does not answer.`;
    throw new DatabaseError("unavailable", message);
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
    await this.#query.destroy();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      // While the coordinator cannot be asked, nothing is known.
      this.#looking = this.#look()
        .catch(() => {})
        .finally(() => this.#schedule());
    }, LOOK_EVERY_MS).unref();
  }

  async #look(): Promise<void> {
    await sql`select set_config('statement_timeout', ${`${ANSWER_MS}`}, false)`.execute(this.#query);
    if (performance.now() > this.#sampledAt + SAMPLE_EVERY_MS) await this.#sample();
    const silent: number[] = [];
    for (const { worker, value } of this.#samples) {
      if (this.#isClosed) return;
      if (!(await this.#answers(value))) silent.push(worker);
    }
    const away = silent.length > 0 ? await this.#valuesOn(silent) : [];
    // Shards may have moved.
    if (silent.length > 0) this.#sampledAt = Number.NEGATIVE_INFINITY;
    this.#away = new Set(away);
  }

  async #sample(): Promise<void> {
    const { rows } = await sql<Sample>`
      select distinct on (groupid) groupid as worker, value
      from (
        select value, get_shard_id_for_distribution_column(${this.#table}::regclass, value) as shardid
        from (select 'sample ' || n as value from generate_series(1, ${sql.lit(SAMPLES)}) as n) as made
      ) as sample join pg_dist_placement using (shardid)
      order by groupid`.execute(this.#query);
    this.#samples = rows;
    this.#sampledAt = performance.now();
  }

  /** Reads as other statements do: over a connection that is open, if there is one. */
  async #answers(value: string): Promise<boolean> {
    const { column } = this.#tables;
    try {
      await sql`select from ${sql.table(this.#table)} where ${sql.ref(column)} = ${value} limit 1`.execute(this.#query);
      return true;
    } catch (error) {
      if (error instanceof DatabaseError && error.code === "unavailable") return false;
      throw error;
    }
  }

  async #valuesOn(workers: readonly number[]): Promise<unknown[]> {
    const { column, valuesIn } = this.#tables;
    if (valuesIn === undefined) return [];
    const { rows } = await sql<{ value: string }>`
      select value from (
        select ${sql.ref(column)} as value,
          get_shard_id_for_distribution_column(${this.#table}::regclass, ${sql.ref(column)}) as shardid
        from ${sql.table(valuesIn)}
      ) as listed join pg_dist_placement using (shardid)
      where groupid = any(${[...workers]}::integer[])`.execute(this.#query);
    return rows.map(({ value }) => value);
  }
}
