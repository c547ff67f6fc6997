import { copyFile, cp, mkdir, mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, serveHttp } from "@media-ops/testing/servers";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createProject } from "../projects/projects.js";
import { openStorage, type Storage } from "../storage/open-storage.js";
import { runCli } from "./run.js";
import { commandLine } from "./test/command-line.js";

/** Runs the doctor with other settings. */
async function doctorBy(runWith: Made["runWith"], env: Record<string, string> = {}) {
  const { code, stdout } = await runWith(env, "doctor", "--json");
  const findings: { check: string; state: string; detail: string }[] = JSON.parse(stdout);
  const by = (value: "state" | "detail"): Record<string, string> =>
    Object.fromEntries(findings.map((one) => [one.check, one[value]]));
  return { code, states: by("state"), details: by("detail") };
}

/** Starts a server on the loopback address, and returns its port. */
async function listenWith(answer: RequestListener): Promise<string> {
  const { port, close } = await serveHttp(answer);
  onTestFinished(close);
  return String(port);
}

const closedPort = async (): Promise<string> => String(await freePort());

type Made = Awaited<ReturnType<typeof commandLine>>;

let template = "";
beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), "media-service-"));
  const env = { MEDIA_DATABASE_URL: `sqlite:${template}/media.db` };
  await runCli(["projects", "create", "demo"], { env, now: Date.now, write() {}, complain() {} });
});
afterAll(() => rm(template, { recursive: true }));

/** Gives it a database with a project, and its key file. */
const withProject = ({ folder }: Made): Promise<void> => cp(template, join(folder, "data"), { recursive: true });
const well = {
  settings: "ok",
  database: "ok",
  "master key": "ok",
  disk: "ok",
  clock: "ok",
  index: "ok",
  "media server": "not set",
};

/** A situation: the doctor's exit code, what differs from a stopped service that is well, and how to get there. */
interface Situation {
  readonly code: 0 | 1 | 3;
  readonly states?: Record<string, string>;
  readonly details: Record<string, RegExp>;
  /** Whether there is no database. @default false */
  readonly isEmpty?: boolean;
  /** May return settings. */
  prepare?(made: Made): Promise<unknown>;
}

const unopened = { "master key": "unknown", index: "unknown" };
const atPort = async (answer: RequestListener) => ({ MEDIA_INTAKE_PORT: await listenWith(answer) });

const situations: Readonly<Record<string, Situation>> = {
  "an empty folder": {
    code: 3,
    states: { database: "missing", ...unopened },
    details: { database: /There is no database at .*\/data\/media\.db/, service: /nothing listens at 127/ },
    isEmpty: true,
  },
  "a service that is stopped": { code: 3, details: { database: /projects: 1$/ } },
  "a database without its key file": {
    code: 1,
    states: { "master key": "wrong" },
    details: {
      "master key": /could not be read from .*media\.db\.key: ENOENT/,
      clock: /Z, with nothing to compare it with$/,
    },
    prepare: ({ folder }) => rm(join(folder, "data/media.db.key")),
  },
  "another master key": {
    code: 1,
    states: { "master key": "wrong" },
    details: { "master key": /not the master key that the database was made with/ },
    prepare: async () => ({ MEDIA_MASTER_KEY: "6".repeat(64) }),
  },
  "a file that is not a database": {
    code: 1,
    states: { database: "wrong", ...unopened },
    details: { database: /not a database/ },
    isEmpty: true,
    async prepare({ folder }) {
      await mkdir(join(folder, "data"));
      await writeFile(join(folder, "data/media.db"), "x".repeat(5000));
    },
  },
  "a database that is older than this version": {
    code: 1,
    states: { database: "wrong", ...unopened },
    details: { database: /tables of an older version/ },
    prepare: (made) =>
      inDatabase(made, ({ query }) =>
        query
          .withTables<{ service_migrations: { name: string } }>()
          .deleteFrom("service_migrations")
          .where("name", "=", "003-segments")
          .execute(),
      ),
  },
  "a PostgreSQL that cannot be reached": {
    code: 1,
    states: { database: "wrong", ...unopened, disk: "not set" },
    details: { database: /^PostgreSQL could not be opened: .*ECONNREFUSED/ },
    isEmpty: true,
    prepare: async () => ({
      MEDIA_DATABASE_URL: "postgres://media:hunter2@127.0.0.1:1/media",
      MEDIA_MASTER_KEY: "6".repeat(64),
    }),
  },
  "a media server that is down": {
    code: 1,
    states: { "media server": "wrong" },
    details: { "media server": /does not answer: .*ECONNREFUSED/ },
    prepare: async () => ({ MEDIA_UPSTREAM_URL: `http://127.0.0.1:${await closedPort()}` }),
  },
  "a clock that is behind the newest log entry": {
    code: 1,
    states: { clock: "wrong" },
    details: { clock: /there is a log entry of/ },
    async prepare(made) {
      const at = new Date(Date.now() + 3_600_000).toISOString().slice(0, -1);
      const entry = { project_id: "demo", kind: 1, seq: 1 };
      await inDatabase(made, async ({ query }) => {
        await query.insertInto("log_head").values(entry).execute();
        await query
          .insertInto("log_entry")
          .values({ ...entry, at, entry: "{}" })
          .execute();
      });
    },
  },
  "a clock that is not trusted, so that old data is kept for longer": {
    code: 1,
    states: { clock: "wrong" },
    details: {
      clock:
        /^Old data is deleted at most one day in an hour.*40 days after the last trusted time.*media-ops retention confirm/,
    },
    async prepare(made) {
      const now = Date.now();
      const value = JSON.stringify({ at: now - 40 * 86_400_000, paused: { kind: "jumped", clock: now } });
      await inDatabase(made, ({ query }) => query.insertInto("setting").values({ name: "clock", value }).execute());
    },
  },
  "log entries that are not indexed yet": {
    code: 3,
    details: { index: /^1,530,866 of the 2,000,000 log entries ever written are not indexed yet/ },
    async prepare(made) {
      const heads = [1, 2].map((kind) => ({ project_id: "demo", kind, seq: 1_000_000, indexed: 234_567 }));
      await inDatabase(made, ({ query }) => query.insertInto("log_head").values(heads).execute());
    },
  },
  "another program at the port": {
    code: 1,
    states: { service: "wrong" },
    details: { service: /another program answers at 127/ },
    prepare: () => atPort((_, response) => response.end("hello")),
  },
  "a program at the port whose answer never ends": {
    code: 1,
    states: { service: "wrong" },
    details: { service: /another program answers/ },
    prepare: () =>
      atPort((_, response) => {
        const more = (): boolean => response.write("x".repeat(10_000)) && more();
        response.on("drain", more);
        more();
      }),
  },
  "a service that is not ready": {
    code: 1,
    states: { service: "wrong" },
    details: { service: /is not ready: Not ready: the disk is full/ },
    prepare() {
      const problem = { type: "urn:media-ops:problem:service-unavailable", detail: "Not ready: the disk is full." };
      return atPort((_, response) => response.writeHead(503).end(JSON.stringify(problem)));
    },
  },
  "a port that is chosen at random": {
    code: 3,
    states: { service: "unknown" },
    details: { service: /MEDIA_INTAKE_PORT=0/ },
    prepare: async () => ({ MEDIA_INTAKE_PORT: "0" }),
  },
};

it.each(Object.entries(situations))("the doctor recognises %s", async (_, situation) => {
  const { code, states, details, isEmpty = false, prepare } = situation;
  const made = await commandLine();
  if (!isEmpty) await withProject(made);
  const env = { MEDIA_INTAKE_PORT: await closedPort(), ...Object(await prepare?.(made)) };
  const before = await everythingIn(made.folder);
  const seen = await doctorBy(made.runWith, env);
  expect(seen.states).toEqual({ ...well, service: "not running", ...states });
  expect(seen.code).toBe(code);
  for (const [check, detail] of Object.entries(details)) expect(seen.details[check]).toMatch(detail);
  expect(JSON.stringify(seen)).not.toContain("hunter2");
  // The doctor creates nothing.
  expect(await everythingIn(made.folder)).toEqual(before);
});

it("the doctor checks nothing else if the settings are wrong", async () => {
  const { runWith } = await commandLine();
  const seen = await doctorBy(runWith, { MEDIA_PORT: "http", MEDIA_LOG_LEVEL: "loud" });
  expect(seen).toMatchObject({ code: 1, states: { settings: "wrong" } });
  expect(Object.keys(seen.states)).toEqual(["settings"]);
  expect(seen.details.settings).toMatch(/MEDIA_PORT must be .* "http"\. MEDIA_LOG_LEVEL must be .* "loud"/);
});

it("the doctor distinguishes its own service from another installation's, even if that has a copy of its database", async () => {
  const [own, other, empty] = [await commandLine(), await commandLine(), await commandLine()];
  await own.json("projects", "create", "demo");
  const { internalUrl } = await own.serveHere();
  const env = { MEDIA_INTAKE_PORT: new URL(internalUrl).port };
  const ownDatabase = { MEDIA_DATABASE_URL: `sqlite:${own.folder}/data/media.db` };
  const seen = await doctorBy(other.runWith, { ...env, ...ownDatabase });
  expect(seen).toMatchObject({ code: 0, states: { ...well, service: "ok" } });
  expect(seen.details.service).toMatch(/is ready, and uses this database$/);

  await own.json("backup", join(own.folder, "copy.db"));
  await mkdir(join(other.folder, "data"));
  await copyFile(join(own.folder, "copy.db"), join(other.folder, "data/media.db"));
  await copyFile(join(own.folder, "data/media.db.key"), join(other.folder, "data/media.db.key"));
  const foreign = await doctorBy(other.runWith, env);
  expect(foreign).toMatchObject({ code: 1, states: { ...well, service: "wrong" } });
  expect(foreign.details.service).toMatch(/uses another database: it belongs to another installation/);

  expect(await doctorBy(empty.runWith, env)).toMatchObject({ code: 3, states: { service: "unknown" } });
  expect(await readdir(empty.folder)).toEqual([]);
});

it("the doctor's table shows the same findings", async () => {
  const { runWith } = await commandLine();
  const { code, stdout } = await runWith({ MEDIA_INTAKE_PORT: await closedPort() }, "doctor");
  expect(code).toBe(3);
  expect(stdout).toMatch(/^ok +settings /m);
  expect(stdout).toMatch(/^MISSING +database +There is no database/m);
  expect(stdout).toMatch(/^UNKNOWN +master key /m);
  expect(stdout).toMatch(/^NOT RUNNING +service /m);
});

/** Runs work on the database that the commands use. */
async function inDatabase({ folder }: Made, work: (storage: Storage) => Promise<unknown>): Promise<void> {
  const storage = await openStorage(`sqlite:${folder}/data/media.db`);
  await work(storage);
  await storage.close();
}

async function everythingIn(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).sort();
}

it("the doctor reports a write-ahead log that another program keeps from shrinking, and the next step", async () => {
  const made = await commandLine();
  await withProject(made);
  const file = join(made.folder, "data/media.db");
  const storage = await openStorage(`sqlite:${file}`);
  onTestFinished(() => storage.close());
  await createProject(storage.query, "other", Date.now());
  const diskWith = async (mib: number) => {
    // SQLite ignores bytes after the last commit.
    await truncate(`${file}-wal`, mib * 2 ** 20);
    const { states, details } = await doctorBy(made.runWith, { MEDIA_INTAKE_PORT: await closedPort() });
    return { state: states.disk, detail: details.disk };
  };
  expect(await diskWith(256)).toMatchObject({ state: "ok" });
  expect(await diskWith(300)).toEqual({
    state: "wrong",
    detail: expect.stringMatching(/media\.db-wal has grown to 300 MiB: another program.* transaction open\. End it/),
  });
});
