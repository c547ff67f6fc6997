import { execFile } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Database, migrateStore, openDatabase } from "@media-ops/database";
import { createLog, readConfig, startService } from "@media-ops/service";
import { plainPostgres, postgresUrl } from "@media-ops/testing";
import { knownTables } from "@media-ops/testing/known-tables";
import type { Installation } from "@slack/oauth";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { type NewRequest, RequestStore } from "../approvals/request-store.js";
import { AuditLog, type NewAudit } from "../audit/audit-log.js";
import { Connections } from "../connections/connections.js";
import { createInstallationStore, createStateStore } from "../slack/access.js";
import { mintingOf } from "../test/entries.js";
import { MASTER_KEY, openTestStorage, temporaryFolder } from "../test/storage.js";
import { silenceIncident } from "../watches/message.js";
import { WatchStore } from "../watches/watch-store.js";
import { migrations } from "./migrations.js";
import { openStorage, type Storage } from "./open-storage.js";
import { Mintings } from "./records.js";
import { sweep, sweepAll } from "./sweep.js";
import { storeTables, type Tables } from "./tables.js";

const main = join(import.meta.dirname, "../../dist/main.js");

const FROM = "sqlite:./data/bot.db";
const PASSWORD = "CorrectHorseBattery";

const connection = { teamId: "T01", projectId: "demo", baseUrl: "https://media.example", userId: "U01" };
const installation: Installation<"v2", false> = {
  team: { id: "T01" },
  enterprise: undefined,
  user: { id: "U01", token: undefined, scopes: undefined },
  bot: { token: "xoxb-planted", scopes: ["commands"], id: "B01", userId: "U0B" },
};
const watch = {
  command: { name: "watch", kind: "webhooks", filters: [], in: "demo" },
  text: "watch webhooks in:demo",
  timeZone: "UTC",
  placeId: "C01",
  createdBy: "U01",
} as const;
const act: NewAudit = {
  ...{ teamId: "T01", userId: "U01", placeId: "C01", projectId: "demo", subject: "j1" },
  action: "token.mint",
  via: "command",
};
const tokenRequest: NewRequest = {
  ...{ served: { teamId: "T01", isOrgWide: false }, userId: "U01", placeId: "C01", projectId: "demo" },
  ...{ baseUrl: "https://media.example", channelId: "lobby", lifetimeMs: 1000, startsAt: undefined },
  ...{ maxConnections: 3, jti: undefined, reason: "a guest" },
  role: "sendrecv",
};
const minting = mintingOf({ at: 5, reason: "a\u{1F600}" });

/** The bot's stored data, as its own classes read it. */
const partsOf = (storage: Storage) => ({
  connections: new Connections(storage, undefined, Date.now),
  installations: createInstallationStore(storage, Date.now),
  states: createStateStore(storage, "planted-state-secret", Date.now),
  mintings: new Mintings(storage),
  audit: new AuditLog(storage, Date.now),
  requests: new RequestStore(storage, Date.now),
});

/** Runs the command in a folder, with only these environment variables. */
const runIn = (cwd: string, args: readonly string[], env: Record<string, string> = {}) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd, env: { PATH: process.env.PATH, ...env } };
    execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });

/** A folder with a bot's store and its master key; each table has a row. */
async function withStore() {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "data"));
  const databaseUrl = `sqlite:${folder}/data/bot.db`;
  const open = () => openStorage({ databaseUrl, masterKey: undefined, masterKeyFile: undefined });
  const storage = await open();
  const { connections, installations, states, mintings, audit, requests } = partsOf(storage);
  await connections.add({ ...connection, apiKey: "mo_k1_planted-api-key" });
  await connections.setDefault({ teamId: "T01", channelId: "C01", projectId: "demo", userId: "U01" });
  await installations.storeInstallation(installation);
  const state = await states.generateStateParam({ scopes: "commands", metadata: "planted" }, new Date());
  await mintings.record(minting);
  await audit.record(act, { outcome: "done", detail: "a\u{1F600}" });
  const { id: requestId } = await requests.add(tokenRequest);
  await requests.posted("T01", requestId, [{ channel: "C02", ts: "1.1" }]);
  const watches = new WatchStore(storage, Date.now);
  await watches.add({ teamId: "T01", isOrgWide: false }, [watch]);
  const [team] = await watches.teams();
  await watches.claim("T01", "owner", { owner: team?.owner, until: team?.until });
  const follower = { projectId: "demo", kind: "webhooks", cursor: "c", state: "{}" };
  await watches.write("T01", "owner", async (query) => {
    await watches.saveFollower("T01", follower, query);
    await watches.saveIncident("T01", silenceIncident({ projectId: "demo", since: 1 }, "w1", "C01"), query);
  });
  const digest = { place_id: "C01", project_id: "demo", minute: 540, time_zone: "UTC", created_by: "U01", next_at: 1 };
  await storage.query
    .insertInto("digest")
    .values({ team_id: "T01", ...digest })
    .execute();
  const question = { team_id: "T01", user_id: "U01", command: "status", asked_at: Date.now() };
  await storage.query.insertInto("question").values(question).execute();
  await storage.query.insertInto("claim").values({ hash: "planted", until: Date.now() }).execute();
  await storage.close();

  const run = (args: readonly string[], env?: Record<string, string>) => runIn(folder, args, env);
  return { folder, databaseUrl, open, state, requestId, run };
}

/** A new database, and its URL with a password, even if the server requires none. */
async function newTarget() {
  const url = new URL(await postgresUrl());
  url.password ||= PASSWORD;
  return { to: url.href, name: `${url.pathname.slice(1)} at ${url.host}`, password: url.password };
}

describe("migrate-store", () => {
  it("moves a bot to PostgreSQL, even to the service's own database, and the same key decrypts all rows", async () => {
    const { folder, run, state, requestId } = await withStore();
    const { to, name, password } = await newTarget();
    const env = { MEDIA_DATABASE_URL: to, MEDIA_MASTER_KEY: MASTER_KEY, MEDIA_PORT: "0", MEDIA_INTAKE_PORT: "0" };
    const service = await startService({ config: readConfig(env), log: createLog({ level: "silent" }) });
    onTestFinished(() => service.stop());

    const migrated = await run(["migrate-store", "--from", FROM, "--to", to]);
    expect(migrated).toMatchObject({ code: 0, stderr: expect.stringMatching(/^copying minting: 1 row$/m) });
    for (const table of storeTables) expect(migrated.stdout).toMatch(new RegExp(`^${table.name} +1 +the same$`, "m"));
    const keyFile = join(folder, "data/bot.db.key");
    expect(migrated.stdout).toContain(`All 15 rows of ${folder}/data/bot.db are in ${name}.\n`);
    expect(migrated.stdout).toContain("  BOT_DATABASE_URL, to what was given as --to\n");
    expect(migrated.stdout).toContain(`  BOT_MASTER_KEY_FILE=${keyFile}: the master key stays the same`);
    expect(JSON.stringify(migrated)).not.toContain(password);

    const storage = await openStorage({ databaseUrl: to, masterKey: undefined, masterKeyFile: keyFile });
    onTestFinished(() => storage.close());
    const { connections, installations, states, mintings, audit, requests } = partsOf(storage);
    const [found] = await connections.all("T01");
    expect(found && (await connections.apiKeyOf(found))).toBe("mo_k1_planted-api-key");
    expect((await connections.defaults("T01")).channels).toEqual(new Map([["C01", "demo"]]));
    const wanted = { teamId: "T01", enterpriseId: undefined, isEnterpriseInstall: false };
    expect(await installations.fetchInstallation(wanted)).toMatchObject({ bot: installation.bot });
    expect((await states.verifyStateParam(new Date(), state)).metadata).toBe("planted");
    expect(await mintings.latest("T01", { limit: 2 })).toMatchObject([minting]);
    expect(await audit.find("T01", { limit: 2 })).toMatchObject([{ ...act, outcome: "done", detail: "a\u{1F600}" }]);
    const messages = [{ channel: "C02", ts: "1.1" }];
    expect(await requests.one("T01", requestId)).toMatchObject({ ...tokenRequest, state: "pending", messages });
  });

  it("reports that all rows were there already, and exits with 1 if the two stores differ", async () => {
    const { databaseUrl: from, run } = await withStore();
    const { to } = await newTarget();
    const open = { owner: "bot", migrations };
    await migrateStore<Tables>({ ...open, from, to, tables: storeTables, onStep: () => {} });
    const migrate = (env?: Record<string, string>) => run(["migrate-store", "--from", FROM, "--to", to], env);
    const again = await migrate({ BOT_MASTER_KEY: MASTER_KEY });
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/rows of \S+ are in .* already\.\n/) });
    expect(again.stdout).toContain("  BOT_MASTER_KEY, as it is now: ");

    const { query, close } = await openDatabase<Tables>(to, open);
    onTestFinished(close);
    await query.insertInto("claim").values({ hash: "later", until: 1 }).execute();
    await query.updateTable("minting").set({ reason: "another" }).execute();
    const { code, stdout } = await migrate();
    expect(code).toBe(1);
    expect(stdout).toMatch(/^claim +1 +NOT the same: 2 rows$/m);
    expect(stdout).toMatch(/^minting +1 +NOT the same: 1 rows$/m);
    expect(stdout).toMatch(/^connection +1 +the same$/m);
    expect(stdout).toMatch(/ differ from those in \S+bot\.db: claim, minting\.\n/);
  });
});

it("media-bot explains invalid arguments, and shows no password", async () => {
  const { folder, run } = await withStore();
  const secret = `postgres://ann:${PASSWORD}@127.0.0.1:1/x`;
  const wrong: [args: string[], code: number, message: RegExp, env?: Record<string, string>][] = [
    [["--loud"], 2, /^media-bot has no option --loud/],
    [["migrate-store", "--from", FROM], 2, /^Missing --to: --to postgres:/],
    [["migrate-store", secret], 2, /^Unexpected argument .*\. Usage: media-bot migrate-store --from/],
    [["migrate-store", "--from", FROM, "--to", secret], 1, /ECONNREFUSED/],
    [["migrate-store", "--from", FROM, "--to", secret], 1, /BOT_MASTER_KEY must be 32/, { BOT_MASTER_KEY: PASSWORD }],
  ];
  await Promise.all(
    wrong.map(async ([args, code, message, env]) => {
      const ran = await run(args, env);
      expect({ args, ...ran }).toMatchObject({ args, code, stdout: "", stderr: expect.stringMatching(message) });
      expect(ran.stderr).not.toMatch(new RegExp(`${PASSWORD}|\n {4}at `));
    }),
  );
  expect(await readdir(folder)).toEqual(["data"]);
});

it("media-bot distribute moves the bot's tables to the workers of Citus, and the bot reads them as before", async () => {
  const { url, addCitus } = await plainPostgres();
  const cwd = await temporaryFolder();
  const env = { BOT_DATABASE_URL: url, BOT_MASTER_KEY: MASTER_KEY };
  const distribute = () => runIn(cwd, ["distribute"], env);
  const open = () =>
    openStorage({ databaseUrl: url, masterKey: Buffer.from(MASTER_KEY, "hex"), masterKeyFile: undefined });
  const before = await open();
  await new Connections(before, undefined, Date.now).add({ ...connection, apiKey: "mo_k1_planted" });
  await new AuditLog(before, Date.now).record(act, { outcome: "done" });
  await before.close();
  expect(await distribute()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/has no Citus\..*citus_add_node/),
  });
  if (!(await addCitus())) return;

  const { code, stdout } = await distribute();
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^audit +1$/m) });
  expect(stdout).toMatch(/^All 2 rows are distributed by team_id\. Start the bot again\.$/m);
  const after = await open();
  expect(after.database.isDistributed).toBe(true);
  expect(await new Connections(after, undefined, Date.now).all("T01")).toMatchObject([{ projectId: "demo" }]);
  expect(await new AuditLog(after, Date.now).find("T01", { limit: 2 })).toMatchObject([{ subject: "j1" }]);
  await after.close();
});

/** Small tables that belong to no workspace. */
const OF_NO_WORKSPACE = ["bot_migrations", "bot_migrations_lock", "bot_setting", "claim", "oauth_state"];
/** Tables of workspaces that Citus does not distribute. */
const ON_THE_COORDINATOR = ["installation", "token_request", "watch_team"];

it("every key of a workspace's table starts with the workspace, so that its rows can be stored together", async () => {
  const { query } = await openTestStorage(await postgresUrl());
  const { rows } = await sql<{ name: string; first: string }>`
    select keyed.relname as name, attname as first
    from pg_index join pg_class as keyed on keyed.oid = indrelid
      join pg_attribute on attrelid = indrelid and attnum = indkey[0]
    where relnamespace = to_regnamespace(current_schema()) and indisunique
    order by name`.execute(query);
  const others = rows.filter(({ first }) => first !== "team_id").map(({ name }) => name);
  expect(others).toEqual(OF_NO_WORKSPACE);
  const led = rows.filter(({ first }) => first === "team_id").map(({ name }) => name);
  expect(led).toEqual([...migrations.distributed.names, ...ON_THE_COORDINATOR].sort());
});

it("what a bot asks every few seconds about the requests of all workspaces uses an index", async () => {
  const { database, query } = await openTestStorage(await postgresUrl());
  await query.connection().execute(async (connection) => {
    const requests = new RequestStore({ query: connection }, Date.now);
    await requests.lapse();
    await requests.failStuck();
    await requests.unshown();
    await sweepAll({ ...database, query: connection }, Date.now());
    const { rows: asked } = await sql<{ name: string; values: number }>`
      select name, cardinality(parameter_types) as values
      from pg_prepared_statements where statement like ${'%"token_request"%'}`.execute(connection);
    expect(asked).toHaveLength(4);
    // As on PostgreSQL without Citus, where plans don't depend on the values.
    await sql`set plan_cache_mode = force_generic_plan`.execute(connection);
    for (const { name, values } of asked) {
      const nulls = sql.join(Array.from({ length: values }, () => sql.lit(null)));
      const { rows } = await sql`explain (costs off) execute ${sql.id(name)} (${nulls})`.execute(connection);
      expect(JSON.stringify(rows)).toMatch(/Index Scan using token_request_(open|over) /);
    }
  });
});

it("a sweep in PostgreSQL does not wait for locked rows, and skips those that are being replaced", async () => {
  const { database, query } = await openTestStorage(await postgresUrl());
  await query
    .insertInto("claim")
    .values(["a", "b", "c"].map((hash) => ({ hash, until: 10 })))
    .execute();
  await query.transaction().execute(async (transaction) => {
    await transaction.updateTable("claim").set({ until: 90 }).where("hash", "=", "b").execute();
    expect(await sweep(database, "claim", 10)).toBe(false);
    expect(await query.selectFrom("claim").select("hash").execute()).toEqual([{ hash: "b" }]);
  });
  await sweep(database, "claim", 50);
  expect(await query.selectFrom("claim").selectAll().execute()).toEqual([{ hash: "b", until: 90 }]);
});

const inOrder = <Table extends { name: string }>(tables: readonly Table[]): Table[] =>
  [...tables].sort((a, b) => (a.name < b.name ? -1 : 1));

describe.each(["SQLite", "PostgreSQL"])("the tables to copy, in %s", (place) => {
  async function openNew(): Promise<Database<Tables>> {
    const url = place === "SQLite" ? "sqlite::memory:" : await postgresUrl();
    const database = await openDatabase<Tables>(url, { owner: "bot", migrations });
    onTestFinished(() => database.close());
    return database;
  }

  it("are complete, with all columns, and are read in the order of their keys", async () => {
    expect(inOrder(storeTables)).toEqual(await knownTables(await openNew()));
  });

  it("are empty at first, and do not reference each other", async () => {
    const { kind, query } = await openNew();
    for (const { name } of storeTables) {
      const { rows } = await sql`select 1 from ${sql.id(name)}`.execute(query);
      expect({ name, rows }).toEqual({ name, rows: [] });
    }
    const references =
      kind === "sqlite"
        ? sql`select keys."table" from sqlite_schema as tables join pragma_foreign_key_list(tables.name) as keys`
        : sql`select conrelid from pg_constraint where contype = 'f' and connamespace = to_regnamespace(current_schema())`;
    expect((await references.execute(query)).rows).toEqual([]);
  });
});
