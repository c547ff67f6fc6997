import { type QueryExecutorProvider, sql } from "kysely";
import type { DistributedTables } from "../database.js";
import { hasCitus, isUnfinished, statesOf } from "./citus.js";

/** How Citus distributes an owner's tables. */
export interface Distribution {
  /** "unfinished" while the tables of a filled database are being distributed, or if that was interrupted. */
  readonly state: "local" | "unfinished" | "distributed";
  /** How many tables are distributed. */
  readonly tables: number;
  /** How many shards each of them has. */
  readonly shards: number;
  /** The PostgreSQL that hold the shards. */
  readonly workers: readonly Worker[];
}

/** A PostgreSQL that holds shards. */
interface Worker {
  /** Such as "10.0.0.5:5432". */
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

/** The shard that holds the rows of one value of the column, such as a project. */
interface ShardPlace {
  /** Its number in the table. The same worker holds the value's rows of the other tables. */
  readonly shard: number;
  readonly table: string;
  /** The worker's address, such as "10.0.0.5:5432". */
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
