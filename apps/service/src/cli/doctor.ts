import { access, constants, stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import {
  DatabaseError,
  describePause,
  EARLIEST,
  findDamage,
  type Glimpse,
  lookAtDatabase,
  messageOf,
  placeOf,
  placeOfValue,
  readClock,
  readDistribution,
} from "@media-ops/database";
import { keyFileFault, masterKeyFile } from "@media-ops/secrets";
import { ConfigError } from "@media-ops/settings";
import { z } from "zod";
import type { Config } from "../config/config.js";
import { parseJson } from "../json.js";
import { CONFIRM, newestEntry } from "../logs/retention.js";
import { errorCode, type RequestAnswer, sendRequest } from "../outgoing/request.js";
import { openExistingVault } from "../secrets/open-vault.js";
import { migrations } from "../storage/migrations.js";
import { walBytes } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import { type Command, type Context, HOW_TO_CREATE, toTable } from "./command.js";
import { needProject } from "./projects.js";

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
    const isWrong = findings.some(({ state }) => state === "wrong");
    const isQuiet = ({ state }: Finding): boolean => state === "ok" || state === "not set";
    const rows = findings.map((one) => [isQuiet(one) ? one.state : one.state.toUpperCase(), one.check, one.detail]);
    return {
      text: toTable(["", "check", "result"], rows),
      json: findings,
      exitCode: isWrong ? 1 : findings.every(isQuiet) ? 0 : 3,
    };
  },
};

/** The result of a check, with the next step if it is not ok; "not set" is an optional feature that is not in use. */
interface Finding {
  readonly check: string;
  readonly state: "ok" | "wrong" | "missing" | "not running" | "unknown" | "not set";
  readonly detail: string;
}

/** Without a state, it is "ok"; what is wrong is thrown. */
type CheckResult = string | Omit<Finding, "check">;
type Query = Glimpse<Tables>["query"];

const missing = (what: string): CheckResult => ({ state: "missing", detail: `${what} ${HOW_TO_CREATE}` });
const unknown = (detail: string): CheckResult => ({ state: "unknown", detail });
const notSet = (detail: string): CheckResult => ({ state: "not set", detail });

async function runCheck(check: string, run: () => Promise<CheckResult> | CheckResult): Promise<Finding> {
  try {
    const result = await run();
    return typeof result === "string" ? { check, state: "ok", detail: result } : { check, ...result };
  } catch (error) {
    return { check, state: "wrong", detail: messageOf(error) };
  }
}

async function examine({ config: read, now }: Context, project: string | undefined): Promise<Finding[]> {
  const settings = await runCheck("settings", () => checkSettings(read));
  if (settings.state !== "ok") return [settings];
  const config = read();
  const { databaseUrl, upstreamUrl } = config;
  const opened = await lookAtDatabase<Tables>(databaseUrl, { owner: "service", migrations }).catch(
    (error: Error) => error,
  );
  const glimpse = opened instanceof Error ? undefined : opened;
  // Only this version's tables can be queried.
  const current = glimpse?.tables.kind === "current" ? glimpse : undefined;
  const query = current?.query;
  try {
    return [
      settings,
      await runCheck("database", () => checkDatabase(opened)),
      await runCheck("master key", () => checkMasterKey(config, query)),
      ...(current?.kind === "postgres" ? await checkDistribution(current.query) : []),
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
    throw error instanceof ConfigError ? new Error(error.problems.join(" "), { cause: error }) : error;
  }
}

const CHECK_MS = 30_000;

async function checkDatabase(opened: Glimpse<Tables> | Error): Promise<CheckResult> {
  if (opened instanceof DatabaseError && opened.code === "missing") return missing(opened.message);
  if (opened instanceof Error) throw opened;
  const { kind, tables, query, describe, file } = opened;
  const place = await describe();
  if (tables.kind === "none") {
    if (kind === "postgres") return missing(`${place} holds no tables of the service yet.`);
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
  const projects = await query.selectFrom("project").select("project_id").execute();
  return `${place} opens${await describeIntactness(file)}, its tables are up to date; projects: ${projects.length}`;
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

async function checkMasterKey(config: Config, query: Query | undefined): Promise<CheckResult> {
  if (query === undefined) return unknown("it cannot be checked without the database");
  const exposed = keyFileFault(config);
  if (exposed !== undefined) throw new Error(exposed);
  const vault = await openExistingVault(config, query);
  if (vault === undefined) return missing("the database has none yet.");
  return `${masterKeyFile(config) ?? "MEDIA_MASTER_KEY"} holds the key that the database was created with`;
}

const NOT_DISTRIBUTED = "the tables are not distributed";

/** Checks how Citus distributes the tables. Without Citus, there is no finding. */
async function checkDistribution(query: Query): Promise<Finding[]> {
  const found = await readDistribution(query, migrations.distributed).catch((error: Error) => error);
  if (found === undefined) return [];
  const check = (): CheckResult => {
    if (found instanceof Error) throw found;
    const { state, tables, shards, workers } = found;
    if (state === "local") {
      return notSet(
        `PostgreSQL has Citus, but ${NOT_DISTRIBUTED}. Stop each service and bot, and run: media-ops distribute`,
      );
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
  };
  return [await runCheck("distribution", check)];
}

async function checkProject(opened: Glimpse<Tables> | undefined, project: string): Promise<CheckResult> {
  if (opened === undefined) return unknown("it cannot be found without the database");
  const { kind, query } = opened;
  await needProject(query, project);
  const place = kind === "postgres" ? await placeOfValue(query, migrations.distributed, project) : undefined;
  if (place === undefined) return notSet(`${NOT_DISTRIBUTED}: ${project} is in the one database`);
  return `the rows of ${project} are on the worker ${place.worker}, those of ${place.table} in its shard ${place.shard}`;
}

const LITTLE_DISK_BYTES = 1024 ** 3;
// SQLite checkpoints its log at 16 MiB; a burst of writes makes it a few times as large.
const LARGE_WAL_BYTES = 256 * 1024 ** 2;

async function checkDisk(databaseUrl: string): Promise<CheckResult> {
  const { file } = placeOf(databaseUrl);
  if (file === undefined) return notSet("the database is not on this disk");
  const folder = await nearestFolder(dirname(resolve(file)));
  await access(folder, constants.W_OK);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const found = `${(free / 1024 ** 3).toFixed(1)} GiB free in ${folder}`;
  if (free < LITTLE_DISK_BYTES) throw new Error(`${found}; free some: a full disk stops the logs`);
  const wal = await walBytes(file);
  if (wal <= LARGE_WAL_BYTES) return found;
  const size = `${Math.round(wal / 1024 ** 2)} MiB`;
  throw new Error(
    `${found}, but ${file}-wal has grown to ${size}: another program, such as an sqlite3 shell or a backup tool, keeps a transaction open. End it, and the service shrinks the file; "fuser ${file}" lists the programs that have it open`,
  );
}

async function nearestFolder(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

const CLOCK_TOLERANCE_MS = 5000;

async function checkClock(
  time: number,
  query: Query | undefined,
  upstreamUrl: string | undefined,
): Promise<CheckResult> {
  const shownTime = (ms: number): string => new Date(ms).toISOString();
  const shown = shownTime(time);
  if (time < EARLIEST) throw new Error(`it shows ${shown}, which is long past; set it, and keep it right with NTP`);
  const newest = query && (await newestEntry(query));
  if (newest !== undefined && newest > time + CLOCK_TOLERANCE_MS) {
    throw new Error(
      `it shows ${shown}, but there is a log entry of ${shownTime(newest)}; set it, and keep it right with NTP`,
    );
  }
  const { headers, fault } = upstreamUrl === undefined ? {} : await get(upstreamUrl);
  const theirs = fault === undefined ? Date.parse(headers?.date ?? "") : Number.NaN;
  if (Math.abs(theirs - time) > CLOCK_TOLERANCE_MS) {
    throw new Error(
      `it shows ${shown}, but the media server's shows ${shownTime(theirs)}; tokens would be valid at the wrong time`,
    );
  }
  const record = query && (await readClock(query, "setting"));
  const pause = record && describePause(record, CONFIRM);
  if (pause !== undefined) throw new Error(pause);
  const references = [
    ...(newest === undefined ? [] : ["not behind the log"]),
    ...(Number.isNaN(theirs) ? [] : ["the same as the media server's"]),
  ];
  return `${shown}, ${references.join(", ") || "with nothing to compare it with"}`;
}

// Each log always has some, which are too few or too new.
const MANY_WAITING = 100_000;

async function checkIndex(query: Query | undefined): Promise<CheckResult> {
  if (query === undefined) return unknown("it cannot be checked without the database");
  const { entries, indexed } = await query
    .selectFrom("log_head")
    .select(({ fn }) => [fn.sum<number | null>("seq").as("entries"), fn.sum<number | null>("indexed").as("indexed")])
    .executeTakeFirstOrThrow();
  const waiting = Math.max(0, Number(entries) - Number(indexed));
  if (waiting < MANY_WAITING) return "all log entries are indexed, except the newest";
  const shown = (count: number): string => count.toLocaleString("en-US");
  return `${shown(waiting)} of the ${shown(Number(entries))} log entries ever written are not indexed yet; the service does that in the background, and searches read them one by one until then`;
}

async function checkUpstream(upstreamUrl: string | undefined): Promise<CheckResult> {
  if (upstreamUrl === undefined) return notSet("MEDIA_UPSTREAM_URL is empty: calls of the media API are refused");
  const { status, fault } = await get(upstreamUrl);
  if (fault !== undefined) {
    throw new Error(
      `${upstreamUrl} does not answer: ${messageOf(fault)}. Check MEDIA_UPSTREAM_URL, and that the media server runs.`,
    );
  }
  if (status >= 500) throw new Error(`${upstreamUrl} answers ${status}. Check that the media server runs.`);
  return `${upstreamUrl} answers (${status})`;
}

const ready = z.object({ status: z.literal("ready"), database: z.string() });
const problem = z.object({ type: z.string().startsWith("urn:media-ops:problem:"), detail: z.string() });

/** Checks whether a service that uses the database with this fingerprint, if it is known, answers at the internal port. */
async function checkService({ intakeHost, intakePort }: Config, fingerprint: string | undefined): Promise<CheckResult> {
  if (intakePort === 0) {
    return unknown("MEDIA_INTAKE_PORT=0 lets the service choose a port, so it cannot be found");
  }
  const address = `${intakeHost}:${intakePort}`;
  const { status, fault, body } = await get(`http://${reachable(intakeHost)}:${intakePort}/readyz`);
  if (errorCode(fault) === "ECONNREFUSED") {
    return { state: "not running", detail: `nothing listens at ${address}; to start it: media-ops serve` };
  }
  if (fault !== undefined) {
    throw new Error(`the program that listens at ${address} does not answer: ${messageOf(fault)}`);
  }
  const answer = parseJson(body.toString());
  const answered = ready.safeParse(answer);
  if (status === 200 && answered.success) {
    if (fingerprint === undefined) {
      return unknown(`a service answers at ${address} and is ready; whether it uses this database is unknown`);
    }
    if (answered.data.database === fingerprint) return `runs at ${address}, is ready, and uses this database`;
    throw new Error(
      `the service at ${address} uses another database: it belongs to another installation, or was started before this database was restored. Stop it, or set MEDIA_INTAKE_PORT to this installation's port`,
    );
  }
  const refused = problem.safeParse(answer);
  if (status === 503 && refused.success) {
    throw new Error(`a service answers at ${address}, but is not ready: ${refused.data.detail}`);
  }
  throw new Error(
    `another program answers at ${address} (status ${status}), or a service of another version. Stop it, or set MEDIA_INTAKE_PORT to another port`,
  );
}

/** The address at which to reach a listener: loopback for a service that listens at all addresses. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

const TIMEOUT_MS = 3000;
// Larger than any answer that is checked.
const MAX_BYTES = 10_000;

const get = (url: string): Promise<RequestAnswer> =>
  sendRequest({ url: new URL(url), maxBytes: MAX_BYTES, signal: AbortSignal.timeout(TIMEOUT_MS) });
