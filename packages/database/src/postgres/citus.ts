import { type QueryExecutorProvider, sql } from "kysely";
import type { DistributedTables } from "../database.js";

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
 * database that was filled without Citus stay where they are.
 */
export async function distributeNewTables(query: QueryExecutorProvider, tables: DistributedTables): Promise<void> {
  if (!(await hasCitus(query))) return;
  const states = await statesOf(query, tables);
  const isBegun = states.some(({ is_distributed }) => is_distributed);
  for (const { name, is_distributed } of states) {
    if (is_distributed) continue;
    if (!isBegun && !(await isEmpty(query, name))) return;
  }
  const [first = ""] = tables.names;
  for (const { name, is_distributed } of states) {
    if (is_distributed) continue;
    // A group of their own: the rows of one value of the column are in one place, whichever table they are in.
    const together = name === first ? "none" : first;
    await sql`select create_distributed_table(${name}::regclass, ${tables.column}::text, colocate_with => ${together}::text)`.execute(
      query,
    );
  }
}

interface TableState {
  readonly name: string;
  readonly is_distributed: boolean;
}

/** The tables in the order of their names in the list. */
async function statesOf(query: QueryExecutorProvider, { names }: DistributedTables): Promise<readonly TableState[]> {
  const { rows } = await sql<TableState>`
    select name, partmethod is not null and partmethod = 'h' as is_distributed
    from unnest(${[...names]}::text[]) with ordinality as listed (name, place)
      left join pg_dist_partition on logicalrelid = to_regclass(name)
    order by place`.execute(query);
  return rows;
}

async function isEmpty(query: QueryExecutorProvider, table: string): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(query);
  return rows.length === 0;
}
