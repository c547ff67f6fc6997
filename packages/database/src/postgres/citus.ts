import { type QueryExecutorProvider, sql } from "kysely";
import { isEmpty } from "../copy/tables.js";
import type { DistributedTables } from "../database.js";
import { DatabaseError } from "../errors.js";

/** Whether a PostgreSQL database has the extension Citus, which distributes tables over several PostgreSQL. */
export async function hasCitus(query: QueryExecutorProvider): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(query);
  return rows.length > 0;
}

/** Whether an owner's tables are distributed; those of a database without Citus are not. */
export async function areDistributed(
  query: QueryExecutorProvider,
  tables: DistributedTables | undefined,
): Promise<boolean> {
  if (tables === undefined || !(await hasCitus(query))) return false;
  return (await statesOf(query, tables)).some(({ is_distributed }) => is_distributed);
}

/**
 * Distributes an owner's new tables: all of an empty database, or those that a migration has added. The tables of a
 * database that was filled without Citus stay where they are, until `distributeDatabase` moves them.
 *
 * @throws {DatabaseError} if that has begun, but is not finished.
 */
export async function distributeNewTables(query: QueryExecutorProvider, tables: DistributedTables): Promise<void> {
  if (!(await hasCitus(query))) return;
  if (await isUnfinished(query, tables)) {
    throw new DatabaseError(
      "migrate",
      "The tables are not distributed completely: that is still running, or was interrupted. Run media-ops distribute, or media-bot distribute for the bot's tables, until it succeeds, and start again.",
    );
  }
  const states = await statesOf(query, tables);
  const left = states.filter(({ is_distributed }) => !is_distributed);
  const isBegun = left.length < states.length;
  for (const { name } of left) if (!isBegun && !(await isEmpty(query, name))) return;
  for (const { name } of left) await distributeTable(query, tables, name);
}

/** Distributes one table with its rows. The first in the list must be the first to be distributed. */
export async function distributeTable(
  query: QueryExecutorProvider,
  { column, names: [first = ""] }: DistributedTables,
  name: string,
): Promise<void> {
  // A group of their own: the rows of one value of the column are in one place, whichever table they are in.
  const together = name === first ? "none" : first;
  await sql`select create_distributed_table(${name}::regclass, ${column}::text, colocate_with => ${together}::text)`.execute(
    query,
  );
}

/**
 * The table that lists the partitions that are detached while their table is distributed. It exists from the time
 * at which the first table is distributed until all are.
 */
export const detachedTable = ({ column }: DistributedTables): string => `detached_for_${column}`;

/** Whether the distribution of a filled database has begun, but is not finished. */
export async function isUnfinished(query: QueryExecutorProvider, tables: DistributedTables): Promise<boolean> {
  const { rows } = await sql`select where to_regclass(${detachedTable(tables)}) is not null`.execute(query);
  return rows.length > 0;
}

/** A table, and whether Citus distributes it. */
export interface TableState {
  readonly name: string;
  readonly is_distributed: boolean;
  readonly is_partitioned: boolean;
}

/** The tables in the order of their names in the list. */
export async function statesOf(
  query: QueryExecutorProvider,
  { names }: DistributedTables,
): Promise<readonly TableState[]> {
  const { rows } = await sql<TableState>`
    select name, partmethod is not null and partmethod = 'h' as is_distributed, relkind = 'p' as is_partitioned
    from unnest(${[...names]}::text[]) with ordinality as listed (name, place)
      left join pg_class on pg_class.oid = to_regclass(name)
      left join pg_dist_partition on logicalrelid = to_regclass(name)
    order by place`.execute(query);
  return rows;
}
