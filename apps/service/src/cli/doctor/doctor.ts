import { access, constants, stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import {
  DatabaseError,
  type Distribution,
  findDamage,
  type Glimpse,
  lookAtDatabase,
  messageOf,
  placeOf,
  placeOfValue,
  readDistribution,
} from "@media-ops/database";
import { keyFileFault, masterKeyFile } from "@media-ops/secrets";
import { ConfigError } from "@media-ops/settings";
import type { Config } from "../../config/config.js";
import { openExistingVault } from "../../secrets/open-vault.js";
import { migrations } from "../../storage/migrations.js";
import { walBytes } from "../../storage/open-storage.js";
import type { Tables } from "../../storage/tables.js";
import { type Command, type Context, HOW_TO_CREATE, toTable } from "../command.js";
import { needProject } from "../projects.js";
import {
  type CheckResult,
  checkClock,
  checkIndex,
  checkService,
  exitCodeFor,
  type Finding,
  get,
  runCheck,
} from "./checks.js";

const CHECK_MS = 30_000;
const LITTLE_DISK_BYTES = 1024 ** 3;
// SQLite checkpoints its log at 16 MiB; a burst of writes makes it a few times as large.
const LARGE_WAL_BYTES = 256 * 1024 ** 2;

/** `doctor`. */
export const doctorCommand: Command = {
  name: "doctor",
  parameters: [],
  options: [{ name: "project", value: "<name>", summary: "show also which worker of Citus holds this project" }],
  summary:
    "Checks the settings, the database, the master key, the disk, the clock, the index, the media server and the service.",
  help: `Creates nothing. The results:
ok           checked, no problem found
WRONG        must be repaired; the line says how
MISSING      does not exist yet
NOT RUNNING  nothing listens at the service's port
UNKNOWN      could not be checked
not set      optional, and not in use
Exits with 0 if everything is ok, with 1 if anything is WRONG, else with 3.`,
  async run(context, _, { values: { project } }) {
    const findings = await examine(context, project);
    const rows = findings.map(({ check, state, detail }) => [
      isQuiet(state) ? state : state.toUpperCase(),
      check,
      detail,
    ]);
    return { text: toTable(["", "check", "result"], rows), json: findings, exitCode: exitCodeFor(findings) };
  },
};

const isQuiet = (state: Finding["state"]): boolean => state === "ok" || state === "not set";

async function examine({ config: read, now }: Context, project: string | undefined): Promise<Finding[]> {
  const settings = await runCheck("settings", () => checkSettings(read));
  if (settings.state !== "ok") return [settings];
  const config = read();
  const { databaseUrl, upstreamUrl } = config;
  const opened = await lookAtDatabase<Tables>(databaseUrl, { owner: "service", migrations }).catch(toError);
  const glimpse = opened instanceof Error ? undefined : opened;
  // Only this version's tables can be queried.
  const current = glimpse?.tables.kind === "current" ? glimpse : undefined;
  const query = current?.query;
  try {
    return [
      settings,
      await runCheck("database", () => checkDatabase(opened)),
      await runCheck("master key", () => checkMasterKey(config, query)),
      ...(await examineDistribution(current)),
      ...(project === undefined ? [] : [await runCheck("project", () => checkProject(current, project))]),
      await runCheck("disk", () => checkDisk(databaseUrl)),
      await runCheck("clock", () => checkClock(now(), query, upstreamUrl)),
      await runCheck("index", () => checkIndex(query)),
      await runCheck("media server", () => checkUpstream(upstreamUrl)),
      await runCheck("service", async () => checkService(config, await glimpse?.fingerprint())),
    ];
  } finally {
    await glimpse?.close();
  }
}

function checkSettings(read: Context["config"]): CheckResult {
  try {
    read();
    return "all are valid";
  } catch (error) {
    if (error instanceof ConfigError) throw new Error(error.problems.join(" "), { cause: error });
    throw error;
  }
}

async function checkDatabase(opened: Glimpse<Tables> | Error): Promise<CheckResult> {
  if (opened instanceof DatabaseError && opened.code === "missing") return noDatabase(opened.message);
  if (opened instanceof Error) throw opened;
  const { kind, tables, query, describe } = opened;
  const place = await describe();
  if (tables.kind === "none") {
    if (kind === "postgres") return noDatabase(`${place} holds no tables of the service yet.`);
    throw new Error(
      `${place} is not a database of the service: it holds none of its tables. Check MEDIA_DATABASE_URL.`,
    );
  }
  if (tables.kind === "newer") {
    throw new Error(
      `${place} was written by a newer version of the service (its migration ${tables.migration} is unknown here). Use that version.`,
    );
  }
  if (tables.kind === "older") {
    throw new Error(`${place} has the tables of an older version. Start this version, which brings them up to date.`);
  }
  const { projects } = await query
    .selectFrom("project")
    .select(({ fn }) => fn.countAll<number>().as("projects"))
    .executeTakeFirstOrThrow();
  return `${place} opens${await describeIntactness(opened.file)}, its tables are up to date; projects: ${projects}`;
}

async function describeIntactness(file: string | undefined): Promise<string> {
  if (file === undefined) return "";
  const found = await findDamage(file, CHECK_MS);
  if (found.kind === "damaged") {
    throw new Error(
      `${file} is damaged: ${found.fault}. Stop the service, and restore the latest backup: media-ops restore <backup>`,
    );
  }
  return found.kind === "intact" ? ", is intact" : ` (too large to be checked for damage within ${CHECK_MS / 1000} s)`;
}

const noDatabase = (what: string): CheckResult => ({ state: "missing", detail: `${what} ${HOW_TO_CREATE}` });

async function checkMasterKey(config: Config, query: Glimpse<Tables>["query"] | undefined): Promise<CheckResult> {
  if (query === undefined) return { state: "unknown", detail: "it cannot be checked without the database" };
  const exposed = keyFileFault(config);
  if (exposed !== undefined) throw new Error(exposed);
  const vault = await openExistingVault(config, query);
  if (vault === undefined) return { state: "missing", detail: `the database has none yet. ${HOW_TO_CREATE}` };
  const file = masterKeyFile(config);
  return `${file === undefined ? "MEDIA_MASTER_KEY" : file} holds the key that the database was created with`;
}

async function checkDisk(databaseUrl: string): Promise<CheckResult> {
  const { file } = placeOf(databaseUrl);
  if (file === undefined) return { state: "not set", detail: "the database is not on this disk" };
  const folder = await nearestFolder(dirname(resolve(file)));
  await access(folder, constants.W_OK);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const found = `${(free / 1024 ** 3).toFixed(1)} GiB free in ${folder}`;
  if (free < LITTLE_DISK_BYTES) throw new Error(`${found}; free some: a full disk stops the logs`);
  const wal = await walBytes(file);
  if (wal > LARGE_WAL_BYTES) {
    const size = `${Math.round(wal / 1024 ** 2)} MiB`;
    throw new Error(
      `${found}, but ${file}-wal has grown to ${size}: another program, such as an sqlite3 shell or a backup tool, keeps a transaction open. End it, and the service shrinks the file; "fuser ${file}" lists the programs that have it open`,
    );
  }
  return found;
}

/** The folder, or its nearest existing parent, in which it would be created. */
async function nearestFolder(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

async function checkUpstream(upstreamUrl: string | undefined): Promise<CheckResult> {
  if (upstreamUrl === undefined) {
    return { state: "not set", detail: "MEDIA_UPSTREAM_URL is empty: calls of the media API are refused" };
  }
  const { status, fault } = await get(upstreamUrl);
  if (fault !== undefined) {
    throw new Error(
      `${upstreamUrl} does not answer: ${messageOf(fault)}. Check MEDIA_UPSTREAM_URL, and that the media server runs.`,
    );
  }
  if (status >= 500) throw new Error(`${upstreamUrl} answers ${status}. Check that the media server runs.`);
  return `${upstreamUrl} answers (${status})`;
}

const NOT_DISTRIBUTED = "the tables are not distributed";

/** Checks how Citus distributes the tables. Without Citus, there is no finding. */
async function examineDistribution(opened: Glimpse<Tables> | undefined): Promise<Finding[]> {
  if (opened?.kind !== "postgres") return [];
  const found = await readDistribution(opened.query, migrations.distributed).catch(toError);
  return found === undefined ? [] : [await runCheck("distribution", () => describeDistribution(found))];
}

function describeDistribution(found: Distribution | Error): CheckResult {
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
async function checkProject(opened: Glimpse<Tables> | undefined, project: string): Promise<CheckResult> {
  if (opened === undefined) return { state: "unknown", detail: "it cannot be found without the database" };
  await needProject(opened.query, project);
  const place =
    opened.kind === "postgres" ? await placeOfValue(opened.query, migrations.distributed, project) : undefined;
  if (place === undefined) return { state: "not set", detail: `${NOT_DISTRIBUTED}: ${project} is in the one database` };
  return `the rows of ${project} are on the worker ${place.worker}, those of ${place.table} in its shard ${place.shard}`;
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
