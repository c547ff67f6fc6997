import { type Distribution, type Glimpse, placeOfValue, readDistribution } from "@media-ops/database";
import { migrations } from "../../storage/migrations.js";
import type { Tables } from "../../storage/tables.js";
import { needProject } from "../projects.js";
import { type CheckResult, type Finding, runCheck } from "./checks.js";

type Opened = Pick<Glimpse<Tables>, "kind" | "query">;

const NOT_DISTRIBUTED = "the tables are not distributed";

/** Checks how Citus distributes the tables. Without Citus, there is no finding. */
export async function examineDistribution(opened: Opened | undefined): Promise<Finding[]> {
  if (opened?.kind !== "postgres") return [];
  const found = await readDistribution(opened.query, migrations.distributed).catch(toError);
  return found === undefined ? [] : [await runCheck("distribution", () => describe(found))];
}

function describe(found: Distribution | Error): CheckResult {
  if (found instanceof Error) throw found;
  const { state, tables, shards, workers } = found;
  if (state === "local") {
    const detail = `PostgreSQL has Citus, but ${NOT_DISTRIBUTED}. Stop each service and bot, and run: media-ops distribute`;
    return { state: "not set", detail };
  }
  if (state === "unfinished") {
    throw new Error("the tables are not distributed completely. Run until it succeeds: media-ops distribute");
  }
  const described = `${tables} tables are distributed by ${migrations.distributed?.column}, in ${shards} shards on ${workers.length} workers`;
  const faults = workers.flatMap(({ address, fault }) => (fault === undefined ? [] : [`${address} (${fault})`]));
  if (faults.length === 0) return described;
  throw new Error(
    `${described}; these cannot be used: ${faults.join(", ")}. Their projects are refused until they can`,
  );
}

/** Finds the worker that holds a project's rows. */
export async function checkProject(opened: Opened | undefined, project: string): Promise<CheckResult> {
  if (opened === undefined) return { state: "unknown", detail: "it cannot be found without the database" };
  await needProject(opened.query, project);
  const place =
    opened.kind === "postgres" ? await placeOfValue(opened.query, migrations.distributed, project) : undefined;
  if (place === undefined) return { state: "not set", detail: `${NOT_DISTRIBUTED}: ${project} is in the one database` };
  return `the rows of ${project} are on the worker ${place.worker}, those of ${place.table} in its shard ${place.shard}`;
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
