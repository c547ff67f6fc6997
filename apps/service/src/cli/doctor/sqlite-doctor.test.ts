import { copyFile, cp, mkdir, mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, serveHttp } from "@media-ops/testing/servers";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createProject } from "../../projects/projects.js";
import { openStorage, type Storage } from "../../storage/open-storage.js";
import { runCli } from "../run.js";
import { commandLine } from "../test/command-line.js";
import { exitCodeFor, type FindingState } from "./checks.js";

interface Seen {
  code: number;
  states: Record<string, string>;
  details: Record<string, string>;
}

/** Runs the doctor with other settings. */
async function doctorBy(runWith: Made["runWith"], env: Record<string, string> = {}): Promise<Seen> {
  const { code, stdout } = await runWith(env, "doctor", "--json");
  const findings: { check: string; state: string; detail: string }[] = JSON.parse(stdout);
  return {
    code,
    states: Object.fromEntries(findings.map(({ check, state }) => [check, state])),
    details: Object.fromEntries(findings.map(({ check, detail }) => [check, detail])),
  };
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

/** A situation: its setup, which may return settings, and the doctor's expected findings. */
type Situation = readonly [
  name: string,
  prepare: (made: Made) => Promise<unknown>,
  code: number,
  states: Record<string, string>,
  details: Record<string, RegExp>,
];

const situations: readonly Situation[] = [
  [
    "an empty folder",
    async () => {},
    3,
    { ...well, database: "missing", "master key": "unknown", index: "unknown", service: "not running" },
    { database: /There is no database at .*\/data\/media\.db/, service: /nothing listens at 127/ },
  ],
  [
    "settings that are wrong",
    async () => ({ MEDIA_PORT: "http", MEDIA_LOG_LEVEL: "loud" }),
    1,
    { settings: "wrong" },
    { settings: /MEDIA_PORT must be .* "http"\. MEDIA_LOG_LEVEL must be .* "loud"/ },
  ],
  ["a service that is stopped", withProject, 3, { ...well, service: "not running" }, { database: /projects: 1$/ }],
  [
    "a database without its key file",
    async (made) => {
      await withProject(made);
      await rm(join(made.folder, "data/media.db.key"));
    },
    1,
    { ...well, "master key": "wrong", service: "not running" },
    { "master key": /could not be read from .*media\.db\.key: ENOENT/, clock: /Z, with nothing to compare it with$/ },
  ],
  [
    "another master key",
    async (made) => {
      await withProject(made);
      return { MEDIA_MASTER_KEY: "6".repeat(64) };
    },
    1,
    { ...well, "master key": "wrong", service: "not running" },
    { "master key": /not the master key that the database was made with/ },
  ],
  [
    "a file that is not a database",
    async ({ folder }) => {
      await mkdir(join(folder, "data"));
      await writeFile(join(folder, "data/media.db"), "x".repeat(5000));
    },
    1,
    { ...well, database: "wrong", "master key": "unknown", index: "unknown", service: "not running" },
    { database: /not a database/ },
  ],
  [
    "a database that is older than this version",
    async (made) => {
      await withProject(made);
      await inDatabase(made, ({ query }) =>
        query
          .withTables<{ service_migrations: { name: string } }>()
          .deleteFrom("service_migrations")
          .where("name", "=", "003-segments")
          .execute(),
      );
    },
    1,
    { ...well, database: "wrong", "master key": "unknown", index: "unknown", service: "not running" },
    { database: /tables of an older version/ },
  ],
  [
    "a PostgreSQL that cannot be reached",
    async () => ({
      MEDIA_DATABASE_URL: "postgres://media:hunter2@127.0.0.1:1/media",
      MEDIA_MASTER_KEY: "6".repeat(64),
    }),
    1,
    { ...well, database: "wrong", "master key": "unknown", index: "unknown", disk: "not set", service: "not running" },
    { database: /^PostgreSQL could not be opened: .*ECONNREFUSED/ },
  ],
  [
    "a media server that is down",
    async (made) => {
      await withProject(made);
      return { MEDIA_UPSTREAM_URL: `http://127.0.0.1:${await closedPort()}` };
    },
    1,
    { ...well, "media server": "wrong", service: "not running" },
    { "media server": /does not answer: .*ECONNREFUSED/ },
  ],
  [
    "a clock that is behind the newest log entry",
    async (made) => {
      await withProject(made);
      const at = new Date(Date.now() + 3_600_000).toISOString().slice(0, -1);
      await inDatabase(made, async ({ query }) => {
        await query.insertInto("log_head").values({ project_id: "demo", kind: 1, seq: 1 }).execute();
        await query.insertInto("log_entry").values({ project_id: "demo", kind: 1, at, seq: 1, entry: "{}" }).execute();
      });
    },
    1,
    { ...well, clock: "wrong", service: "not running" },
    { clock: /there is a log entry of/ },
  ],
  [
    "a clock that is not trusted, so that old data is kept for longer",
    async (made) => {
      await withProject(made);
      const now = Date.now();
      const paused = { kind: "jumped", clock: now };
      const value = JSON.stringify({ at: now - 40 * 86_400_000, paused });
      await inDatabase(made, ({ query }) => query.insertInto("setting").values({ name: "clock", value }).execute());
    },
    1,
    { ...well, clock: "wrong", service: "not running" },
    {
      clock:
        /^Old data is deleted at most one day in an hour.*40 days after the last trusted time.*media-ops retention confirm/,
    },
  ],
  [
    "log entries that are not indexed yet",
    async (made) => {
      await withProject(made);
      await inDatabase(made, async ({ query }) => {
        const head = { project_id: "demo", seq: 1_000_000, indexed: 234_567 };
        for (const kind of [1, 2])
          await query
            .insertInto("log_head")
            .values({ ...head, kind })
            .execute();
      });
    },
    3,
    { ...well, service: "not running" },
    { index: /^1,530,866 of the 2,000,000 log entries ever written are not indexed yet/ },
  ],
  [
    "another program at the port",
    async (made) => {
      await withProject(made);
      return { MEDIA_INTAKE_PORT: await listenWith((_, response) => response.end("hello")) };
    },
    1,
    { ...well, service: "wrong" },
    { service: /another program answers at 127/ },
  ],
  [
    "a program at the port whose answer never ends",
    async (made) => {
      await withProject(made);
      return {
        MEDIA_INTAKE_PORT: await listenWith((_, response) => {
          const more = (): boolean => response.write("x".repeat(10_000)) && more();
          response.on("drain", more);
          more();
        }),
      };
    },
    1,
    { ...well, service: "wrong" },
    { service: /another program answers/ },
  ],
  [
    "a service that is not ready",
    async (made) => {
      await withProject(made);
      const problem = { type: "urn:media-ops:problem:service-unavailable", detail: "Not ready: the disk is full." };
      return {
        MEDIA_INTAKE_PORT: await listenWith((_, response) => response.writeHead(503).end(JSON.stringify(problem))),
      };
    },
    1,
    { ...well, service: "wrong" },
    { service: /is not ready: Not ready: the disk is full/ },
  ],
  [
    "a port that is chosen at random",
    async (made) => {
      await withProject(made);
      return { MEDIA_INTAKE_PORT: "0" };
    },
    3,
    { ...well, service: "unknown" },
    { service: /MEDIA_INTAKE_PORT=0/ },
  ],
];

it.each(situations)("the doctor recognises %s", async (_, prepare, code, states, details) => {
  const made = await commandLine();
  const env = { MEDIA_INTAKE_PORT: await closedPort(), ...settingsIn(await prepare(made)) };
  const before = await everythingIn(made.folder);
  const seen = await doctorBy(made.runWith, env);
  expect(seen.states).toEqual(states);
  expect(seen.code).toBe(code);
  for (const [check, detail] of Object.entries(details)) expect(seen.details[check]).toMatch(detail);
  expect(JSON.stringify(seen)).not.toContain("hunter2");
  // The doctor creates nothing.
  expect(await everythingIn(made.folder)).toEqual(before);
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

it.each<[FindingState[], number]>([
  [["ok", "not set"], 0],
  [["ok", "missing"], 3],
  [["ok", "not running"], 3],
  [["unknown", "ok"], 3],
  [["unknown", "wrong"], 1],
])("the doctor exits with %i for findings that are %j", (states, code) => {
  expect(exitCodeFor(states.map((state) => ({ check: "", state, detail: "" })))).toBe(code);
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

/** The settings that a setup returned, if any. */
const settingsIn = (prepared: unknown): Record<string, string> => Object.fromEntries(Object.entries(Object(prepared)));

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
