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

/** Distributes new tables; a filled database stays until `distributeDatabase` moves it. @throws {DatabaseError} */
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

/** The list of the partitions that are detached while their table is distributed. It exists until all tables are. */
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

/** How Citus distributes an owner's tables. */
export interface Distribution {
  /** "unfinished" while the tables of a filled database are being distributed, or if that was interrupted. */
  readonly state: "local" | "unfinished" | "distributed";
  readonly tables: number;
  readonly shards: number;
  readonly workers: readonly Worker[];
}

interface Worker {
  readonly address: string;
  /** Why it cannot be used; undefined if it can. */
  readonly fault: string | undefined;
}

/** Reads how an owner's tables are distributed, and asks each worker. Undefined without Citus. */
export async function readDistribution(
  query: QueryExecutorProvider,
  tables: DistributedTables | undefined,
): Promise<Distribution | undefined> {
  if (tables === undefined || !(await hasCitus(query))) return undefined;
  const distributed = (await statesOf(query, tables)).filter(({ is_distributed }) => is_distributed);
  const [first] = distributed;
  const state = (await isUnfinished(query, tables)) ? "unfinished" : first ? "distributed" : "local";
  return {
    state,
    tables: distributed.length,
    ...(first ? await readShards(query, first.name) : { shards: 0, workers: [] }),
  };
}

async function readShards(
  query: QueryExecutorProvider,
  table: string,
): Promise<Pick<Distribution, "shards" | "workers">> {
  const { rows } = await sql<{ shards: number; address: string; is_active: boolean }>`
    select count(*) as shards, concat(nodename, ':', nodeport) as address, isactive as is_active
    from pg_dist_shard
      join pg_dist_placement using (shardid)
      join pg_dist_node using (groupid)
    where logicalrelid = ${table}::regclass and noderole = 'primary'
    group by nodename, nodeport, isactive order by address`.execute(query);
  const answers = await sql<{ address: string; success: boolean; result: string }>`
    select concat(nodename, ':', nodeport) as address, success, result
    from run_command_on_workers('select 1')`.execute(query);
  const faults = new Map(
    answers.rows.flatMap(({ address, success, result }) => (success ? [] : [[address, result.trim()] as const])),
  );
  return {
    shards: rows.reduce((sum, { shards }) => sum + shards, 0),
    workers: rows.map(({ address, is_active }) => ({
      address,
      fault: is_active ? faults.get(address) : "it is disabled",
    })),
  };
}

interface ShardPlace {
  /** Its number in the table. The same worker holds the value's rows of the other tables. */
  readonly shard: number;
  readonly table: string;
  readonly worker: string;
}

/** Finds the rows of one value of the column. Undefined if the tables are not distributed. */
export async function placeOfValue(
  query: QueryExecutorProvider,
  tables: DistributedTables | undefined,
  value: string,
): Promise<ShardPlace | undefined> {
  if (tables === undefined || !(await hasCitus(query))) return undefined;
  const table = (await statesOf(query, tables)).find(({ is_distributed }) => is_distributed)?.name;
  if (table === undefined) return undefined;
  const { rows } = await sql<ShardPlace>`
    select shardid as shard, ${table}::text as table, concat(nodename, ':', nodeport) as worker
    from pg_dist_placement join pg_dist_node using (groupid)
    where shardid = get_shard_id_for_distribution_column(${table}::regclass, ${value}::text) and noderole = 'primary'`.execute(
    query,
  );
  return rows[0];
}
