import { sql } from "kysely";
import type { Storage } from "../storage/open-storage.js";

/** A step of PostgreSQL's plan. */
export interface Step {
  readonly kind: string;
  readonly relation: string | undefined;
  readonly index: string | undefined;
  readonly direction: string | undefined;
  /** The index condition, which bounds the rows that the step reads. */
  readonly condition: string | undefined;
}

/** A statement that was sent to PostgreSQL, and its plan. */
export interface Planned {
  readonly statement: string;
  readonly steps: readonly Step[];
  /** In how many shards it runs; undefined if none of its tables is distributed. */
  readonly shards: number | undefined;
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Scan Direction"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly PlanNode[];
  readonly "Distributed Query"?: {
    readonly Job: { readonly "Task Count": number };
    readonly Subplans?: readonly { readonly PlannedStmt: readonly { readonly Plan: PlanNode }[] }[];
  };
}

// Values that exclude no day, because a plan omits partitions that cannot match.
const someValue: Readonly<Record<string, string>> = { text: "'2000-01-01'", bigint: "0", integer: "10", bytea: "''" };

interface PlanOptions {
  /** The storage's maximum number of connections. */
  readonly connections: number;
  /** Settings for planning that replace the connection's, such as `enable_sort = on`. */
  readonly settings?: readonly string[];
  readonly of?: RegExp;
  /** The values of their first parameters, in SQL notation. */
  readonly values?: readonly string[];
}

/** The plans of all statements prepared on a storage's connections, each planned once for all values. */
export async function plansOf({ query }: Storage, options: PlanOptions): Promise<Planned[]> {
  const plans = new Map<string, Planned>();
  const hold = async (others: number): Promise<void> => {
    await query.transaction().execute(async (transaction) => {
      for (const planned of await plansOn(transaction, options)) plans.set(planned.statement, planned);
      // While this connection is held, the next transaction gets another one.
      if (others > 0) await hold(others - 1);
    });
  };
  await hold(options.connections - 1);
  return [...plans.values()];
}

async function plansOn(
  query: Storage["query"],
  { settings = [], of = /^/, values: given = [] }: PlanOptions,
): Promise<Planned[]> {
  // A split partition is dropped at once, and cannot be explained later.
  const { rows } = await sql<{ name: string; statement: string; types: string }>`
    select name, statement, array_to_string(parameter_types, ',') as types from pg_prepared_statements
    where statement ~* '^[[:space:]]*(select|insert|update|delete|with)[[:space:]]'
      and statement !~ 'pg_(prepared|class|inherits)|_split'`.execute(query);
  for (const setting of settings) await sql`set local ${sql.raw(setting)}`.execute(query);
  await sql`discard plans`.execute(query);
  const planned: Planned[] = [];
  for (const { name, statement: asked, types } of rows) {
    const statement = asked.replace(/\s+/g, " ").trim();
    if (!of.test(statement)) continue;
    const values = types === "" ? [] : types.split(",").map((type, nth) => given[nth] ?? someValue[type] ?? "'{}'");
    const list = values.length > 0 ? `(${values.join(", ")})` : "";
    const explained = await sql<{ "QUERY PLAN": [{ Plan: PlanNode }] }>`
      explain (format json) execute ${sql.raw(`"${name}"${list}`)}`.execute(query);
    const plans = explained.rows.map(({ "QUERY PLAN": [{ Plan }] }) => Plan);
    const shards = plans.flatMap(shardsOf);
    planned.push({
      statement,
      steps: plans.flatMap(stepsOf),
      shards: shards.length === 0 ? undefined : Math.max(...shards),
    });
  }
  return planned;
}

function stepsOf(node: PlanNode): Step[] {
  const step: Step = {
    kind: node["Node Type"],
    relation: node["Relation Name"],
    index: node["Index Name"],
    direction: node["Scan Direction"],
    condition: node["Index Cond"],
  };
  return [step, ...(node.Plans ?? []).flatMap(stepsOf)];
}

/** In how many shards each part of a plan runs. */
function shardsOf({ "Distributed Query": distributed, Plans: plans = [] }: PlanNode): number[] {
  const own = distributed ? [distributed.Job["Task Count"]] : [];
  const before =
    distributed?.Subplans?.flatMap(({ PlannedStmt: [first] }) => (first ? shardsOf(first.Plan) : [])) ?? [];
  return [...own, ...before, ...plans.flatMap(shardsOf)];
}
