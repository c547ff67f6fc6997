import { access, constants, stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { DatabaseError, findDamage, type Glimpse, lookAtDatabase, placeOf } from "@media-ops/database";
import { keyFileFault, masterKeyFile } from "@media-ops/secrets";
import { ConfigError } from "@media-ops/settings";
import type { Config } from "../../config/config.js";
import { openExistingVault } from "../../secrets/open-vault.js";
import { migrations, walBytes } from "../../storage/open-storage.js";
import type { Tables } from "../../storage/tables.js";
import { type Command, type Context, HOW_TO_CREATE, toTable } from "../command.js";
import { ask } from "./ask.js";
import { exitCodeFor, type Finding, look, type Seen } from "./finding.js";
import { lookAtClock } from "./look-at-clock.js";
import { lookAtService } from "./look-at-service.js";

const CHECK_MS = 30_000;
const LITTLE_DISK_BYTES = 1024 ** 3;
// SQLite writes its log back into the database from 16 MiB on; a burst makes it a few times as large.
const LARGE_WAL_BYTES = 256 * 1024 ** 2;

export const doctorCommand: Command = {
  name: "doctor",
  parameters: [],
  summary: "Checks the settings, the database, the master key, the disk, the clock, the media server and the service.",
  help: `It creates nothing. What it says of each:
ok           it was checked, and is well
WRONG        it must be mended; the line says how
MISSING      there is none yet
NOT RUNNING  nothing listens at the service's port
UNKNOWN      it could not be checked
not set      it is optional, and not in use
It ends with 0 if all is well, with 1 if anything is WRONG, and with 3 if nothing is wrong, but something is MISSING, NOT RUNNING or UNKNOWN.`,
  async run(context) {
    const findings = await examine(context);
    const rows = findings.map(({ check, state, detail }) => [
      isQuiet(state) ? state : state.toUpperCase(),
      check,
      detail,
    ]);
    return { text: toTable(["", "what", "seen"], rows), json: findings, exitCode: exitCodeFor(findings) };
  },
};

const isQuiet = (state: Finding["state"]): boolean => state === "ok" || state === "not set";

async function examine({ config: read, now }: Context): Promise<Finding[]> {
  const settings = await look("settings", () => lookAtSettings(read));
  if (settings.state !== "ok") return [settings];
  const config = read();
  const { databaseUrl, upstreamUrl } = config;
  const opened = await lookAtDatabase<Tables>(databaseUrl, { owner: "service", migrations }).catch(toError);
  const glimpse = opened instanceof Error ? undefined : opened;
  // Without this version's tables, little can be asked.
  const query = glimpse?.tables.kind === "current" ? glimpse.query : undefined;
  try {
    return [
      settings,
      await look("database", () => describeDatabase(opened)),
      await look("master key", () => lookAtMasterKey(config, query)),
      await look("disk", () => lookAtDisk(databaseUrl)),
      await look("clock", () => lookAtClock(now, { query, upstreamUrl })),
      await look("media server", () => lookAtUpstream(upstreamUrl)),
      await look("service", async () => lookAtService(config, await glimpse?.fingerprint())),
    ];
  } finally {
    await glimpse?.close();
  }
}

function lookAtSettings(read: Context["config"]): Seen {
  try {
    read();
    return "all can be used";
  } catch (error) {
    if (error instanceof ConfigError) throw new Error(error.problems.join(" "), { cause: error });
    throw error;
  }
}

async function describeDatabase(opened: Glimpse<Tables> | Error): Promise<Seen> {
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
  return found.kind === "intact" ? ", is intact" : ` (too large to be read for damage within ${CHECK_MS / 1000} s)`;
}

const noDatabase = (what: string): Seen => ({ state: "missing", detail: `${what} ${HOW_TO_CREATE}` });

async function lookAtMasterKey(config: Config, query: Glimpse<Tables>["query"] | undefined): Promise<Seen> {
  if (query === undefined) return { state: "unknown", detail: "it cannot be checked without the database" };
  const exposed = await keyFileFault(config);
  if (exposed !== undefined) throw new Error(exposed);
  const vault = await openExistingVault(config, query);
  if (vault === undefined) return { state: "missing", detail: `the database has none yet. ${HOW_TO_CREATE}` };
  const file = masterKeyFile(config);
  return `${file === undefined ? "MEDIA_MASTER_KEY" : file} holds the one that the database was made with`;
}

async function lookAtDisk(databaseUrl: string): Promise<Seen> {
  const { file } = placeOf(databaseUrl);
  if (file === undefined) return { state: "not set", detail: "the database is not on this disk" };
  const folder = await nearestFolder(dirname(resolve(file)));
  await access(folder, constants.W_OK);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const seen = `${(free / 1024 ** 3).toFixed(1)} GiB free in ${folder}`;
  if (free < LITTLE_DISK_BYTES) throw new Error(`${seen}; make room: a full disk stops the logs`);
  const wal = await walBytes(file);
  if (wal > LARGE_WAL_BYTES) {
    const size = `${Math.round(wal / 1024 ** 2)} MiB`;
    throw new Error(
      `${seen}, but ${file}-wal has grown to ${size}: another program, such as an sqlite3 shell or a backup tool, keeps a transaction open. End it, and the service makes the file small again; "fuser ${file}" lists the programs that have it open`,
    );
  }
  return seen;
}

/** A folder that is there: the folder itself, or where it would be created. */
async function nearestFolder(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

async function lookAtUpstream(upstreamUrl: string | undefined): Promise<Seen> {
  if (upstreamUrl === undefined) {
    return { state: "not set", detail: "MEDIA_UPSTREAM_URL is empty: calls of the media API cannot be passed on" };
  }
  const answer = await ask(upstreamUrl);
  if (answer.kind !== "answered") {
    throw new Error(
      `${upstreamUrl} does not answer: ${answer.reason}. Is MEDIA_UPSTREAM_URL right, and the media server up?`,
    );
  }
  if (answer.status >= 500) throw new Error(`${upstreamUrl} answers ${answer.status}. Is the media server up?`);
  return `${upstreamUrl} answers (${answer.status})`;
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
