import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { type Glimpse, lookAtDatabase } from "@media-ops/database";
import { plainPostgres } from "@media-ops/testing";
import { freePort } from "@media-ops/testing/servers";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { Listings } from "../logs/listings.js";
import type { NewEntry } from "../logs/log-store.js";
import { migrations } from "../storage/migrations.js";
import { openStorage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import { openLogs } from "../stores.js";
import { pathOf, startTestService } from "../test/harness.js";
import { commandLine, main } from "./test/command-line.js";
import { fullStore } from "./test/full-store.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const UNFINISHED = /^The tables are not distributed completely: .* Run media-ops distribute,/;
const tables = migrations.distributed?.names ?? [];

/** A database without Citus, and the commands that use it. */
async function withPlainDatabase() {
  const { url, addCitus } = await plainPostgres();
  const made = await commandLine({ MEDIA_DATABASE_URL: url });
  const look = () => lookAtDatabase<Tables>(`${url}?application_name=observer`, { owner: "service", migrations });
  /** Runs queries beside the commands, on connections that none of them takes for a service's. */
  const observe = async <T>(work: (query: Glimpse<Tables>["query"]) => Promise<T>): Promise<T> => {
    const { query, close } = await look();
    return work(query).finally(close);
  };
  return { ...made, url, addCitus, observe };
}

type Made = Awaited<ReturnType<typeof withPlainDatabase>>;

/** All rows of the tables that can be distributed, in the order of their texts. */
const rowsIn = ({ observe }: Made): Promise<Record<string, string[]>> =>
  observe(async (query) => {
    const found: Record<string, string[]> = {};
    for (const name of tables) {
      const { rows } = await sql`select * from ${sql.table(name)}`.execute(query);
      found[name] = rows.map((row) => JSON.stringify(row)).sort();
    }
    return found;
  });

const webhook = (n: number, timestamp = new Date(Date.now() - n * DAY_MS).toISOString()): NewEntry => ({
  ...{ projectId: "demo", kind: "webhooks", timestamp },
  text: JSON.stringify({
    timestamp,
    type: "session.created",
    url: "https://a.example",
    status: 200,
    elapsed_time_ms: n,
  }),
});

const numbersIn = (body: unknown): number[] =>
  (body as { elapsed_time_ms: number }[]).map(({ elapsed_time_ms }) => elapsed_time_ms);

const findingsOf = async ({ run }: Made): Promise<Record<string, { state: string; detail: string }>> => {
  const findings: { check: string; state: string; detail: string }[] = JSON.parse(
    (await run("doctor", "--project", "demo", "--json")).stdout,
  );
  return Object.fromEntries(findings.map(({ check, state, detail }) => [check, { state, detail }]));
};

const letWorkersHoldShards = (query: Glimpse<Tables>["query"], hold: boolean) =>
  sql`
    select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', ${hold}) from pg_dist_node
    where groupid > 0`.execute(query);

/** Moves the last worker to another port, and returns its port before. */
async function moveWorker(query: Glimpse<Tables>["query"], port: number): Promise<number> {
  const { rows } = await sql<{ nodeid: number; nodeport: number }>`
    select nodeid, nodeport from pg_dist_node order by groupid desc limit 1`.execute(query);
  const { nodeid = 0, nodeport = 0 } = rows[0] ?? {};
  await sql`select citus_update_node(${nodeid}, '127.0.0.1', ${port})`.execute(query);
  return nodeport;
}

async function loseCommitsOnWorkers(query: Glimpse<Tables>["query"]): Promise<void> {
  const change = `do $$ begin
    perform set_config('citus.enable_ddl_propagation', 'off', true);
    execute format('alter database %I set synchronous_commit = off', current_database());
  end $$`;
  await sql`select run_command_on_workers(${change})`.execute(query);
}

it("a filled database is distributed while no service runs, which then lists, searches and appends as before", async () => {
  const made = await withPlainDatabase();
  const { url, run, runProgram, addCitus, observe } = made;
  const env = { MEDIA_DATABASE_URL: url };
  const expectRefused = async (why: RegExp): Promise<void> =>
    expect(await run("distribute")).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(why) });
  await expectRefused(/holds no tables.*To create/);
  const before = await startTestService({ env });
  await before.append(...[0, 1, 2, 3].map((n) => webhook(n)));
  await expectRefused(/^The database test_\w+ has no Citus\. .*"create extension citus".*citus_add_node/);
  expect(await findingsOf(made)).toMatchObject({
    project: { state: "not set", detail: expect.stringMatching(/not distributed: demo is in/) },
  });
  if (!(await addCitus())) return;

  expect((await findingsOf(made)).distribution).toEqual({
    state: "not set",
    detail: expect.stringMatching(/has Citus, but the tables are not distributed\..*: media-ops distribute$/),
  });
  await expectRefused(/are connected to the database \(connections: \d+ from .*Stop each service/);
  await before.service.stop();
  await observe((query) => letWorkersHoldShards(query, false));
  await expectRefused(/^Citus has no worker yet\./);
  await observe((query) => letWorkersHoldShards(query, true));
  const port = await freePort();
  const oldPort = await observe((query) => moveWorker(query, port));
  await expectRefused(/^log_head could not be distributed: .*connect.* run media-ops distribute again/s);
  // Since nothing has moved, the service may go on as before.
  expect((await run("projects", "list")).code).toBe(0);
  await observe(async (query) => {
    await moveWorker(query, oldPort);
    await sql`select start_metadata_sync_to_all_nodes()`.execute(query);
  });

  const rows = await rowsIn(made);
  const { code, stdout, stderr } = await runProgram("distribute");
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^copying log_entry: 4 rows/m) });
  expect(stdout).toMatch(/^log_entry +4$/m);
  expect(stdout).toMatch(/^All \d+ rows are distributed by project_id\. Start the service again\.$/m);
  expect(await rowsIn(made)).toEqual(rows);

  const { call, apiKey: key, append, service } = await startTestService({ env });
  expect(service.storage.isDistributed).toBe(true);
  await append(webhook(5, new Date().toISOString()));
  expect(numbersIn((await call(pathOf.listWebhookLogs, { key })).body)).toEqual([5, 0, 1, 2, 3]);
  const found = await call(pathOf.listWebhookLogs, { key, body: { where: { failed: false }, limit: 2 } });
  expect(numbersIn(found.body)).toEqual([5, 0]);
  expect((await call(pathOf.createAccessToken, { key })).status).toBe(200);
  const { distribution, project } = await findingsOf(made);
  expect(distribution).toEqual({
    state: "ok",
    detail: expect.stringMatching(/^11 tables are distributed by project_id, in \d+ shards on \d+ workers$/),
  });
  expect(project?.detail).toMatch(/^the rows of demo are on the worker \S+:\d+, those of log_head in its shard \d+$/);
  const again = await runProgram("distribute");
  expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^All 11 .* already\.$/m) });

  expect(await run("backup", "copy.db")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/its own tools: a base backup of every node.*citus_create_restore_point/),
  });
  await observe(loseCommitsOnWorkers);
  expect((await findingsOf(made)).database).toEqual({
    state: "wrong",
    detail: expect.stringMatching(/set to lose what was written.*synchronous_commit = off on the worker \S+:\d+/),
  });

  await observe((query) => moveWorker(query, port));
  expect((await findingsOf(made)).distribution).toEqual({
    state: "wrong",
    detail: expect.stringMatching(
      new RegExp(`cannot be used: \\S+:${port} \\(.*\\)\\. Their projects are refused`, "s"),
    ),
  });
});

// A run that distributes this many rows takes 5 s, and three runs before it are killed.
it("a distribution goes on after each time it was killed, and no service starts before it has ended", async () => {
  const made = await withPlainDatabase();
  const { url, run, runProgram, addCitus, observe, options } = made;
  const file = await fullStore(200);
  expect((await runProgram("migrate-store", "--from", `sqlite:${file}`, "--to", url)).code).toBe(0);
  const storage = await openStorage(url);
  const logs = await openLogs(storage, Date.now);
  await logs.append([0, 1, 2, 3].flatMap((n) => Array.from({ length: 100 }, () => webhook(n))));
  await storage.writeAll([
    // What a service leaves that was stopped while it compacted a day.
    { sql: "create table log_entry_arrived (like log_entry)", parameters: [] },
    {
      sql: "create function log_entry_arrive() returns trigger language plpgsql as 'begin return null; end'",
      parameters: [],
    },
    {
      sql: "create trigger log_entry_arrive after insert on log_entry_late for each row execute function log_entry_arrive()",
      parameters: [],
    },
  ]);
  await storage.close();
  expect(await run("distribute")).toMatchObject({ code: 1, stderr: expect.stringMatching(/has no Citus/) });
  if (!(await addCitus())) return;
  const rows = await rowsIn(made);

  const detached = (table: string) =>
    observe(async (query) => {
      const list = sql<{ n: number }>`select count(*) as n from detached_for_project_id where parent = ${table}`;
      return await list.execute(query).then(
        (found) => found.rows[0]?.n ?? 0,
        () => undefined,
      );
    });
  // Before a table moves, and among the days of two tables.
  const moments: (() => Promise<boolean>)[] = [
    async () => (await detached("log_entry")) !== undefined,
    async () => isWithin(await detached("log_entry")),
    async () => isWithin(await detached("ended")),
  ];
  for (const hasCome of moments) {
    const child = spawn(process.execPath, [main, "distribute"], { ...options, stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = once(child, "exit");
    while (child.exitCode === null && !(await hasCome())) await setTimeout(10);
    child.kill("SIGKILL");
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect(await run("projects", "list")).toMatchObject({ code: 1, stderr: expect.stringMatching(UNFINISHED) });
    expect((await findingsOf(made)).distribution).toMatchObject({ state: "wrong" });
  }
  expect(await runProgram("distribute")).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/copying log_/) });
  expect(await rowsIn(made)).toEqual(rows);
  expect(await detached("log_entry")).toBeUndefined();
  expect((await findingsOf(made)).distribution).toMatchObject({ state: "ok" });
  // Nothing is left on the coordinator.
  const local = await observe((query) =>
    sql<{ name: string }>`
      select relname as name from pg_class
      where oid in (select logicalrelid from pg_dist_partition) and relkind = 'r' and pg_relation_size(oid) > 0`.execute(
      query,
    ),
  );
  expect(local.rows).toEqual([]);
  const after = await openStorage(url);
  onTestFinished(() => after.close());
  expect(after.isDistributed).toBe(true);
  const reopened = await openLogs(after, Date.now);
  await reopened.append([webhook(7, new Date().toISOString())]);
  const { body } = await new Listings(after, Date.now).list("demo", "webhooks");
  expect(numbersIn(JSON.parse(body.toString())).slice(0, 2)).toEqual([7, 0]);
});

/** Whether some, but not all of a table's days have moved. Each table has more than ten. */
const isWithin = (detached: number | undefined): boolean => detached !== undefined && detached > 0 && detached < 6;

it("distributes no SQLite file, and names the command that moves it to PostgreSQL", async () => {
  const { run } = await commandLine({ MEDIA_DATABASE_URL: "" });
  expect(await run("distribute")).toMatchObject({
    code: 1,
    stderr:
      "The database is in SQLite, which cannot be distributed. Move it to a PostgreSQL with Citus first: media-ops migrate-store\n",
  });
});
