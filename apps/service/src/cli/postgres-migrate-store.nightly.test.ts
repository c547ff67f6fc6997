import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { postgresUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStorage, type Storage } from "../storage/open-storage.js";
import { callWithin, pathOf } from "../test/harness.js";
import { storeTables } from "./databases.js";
import { commandLine, main, serve } from "./test/command-line.js";
import { fullStore } from "./test/full-store.js";

const ROWS = 1000;

/** Clears the test environment: the store is the service's default file. */
const unset = { MEDIA_DATABASE_URL: "", MEDIA_MASTER_KEY: "" };

/** Creates a database. Returns its URL with a password, even if PostgreSQL requires none. */
async function newTarget() {
  const url = new URL(await postgresUrl());
  url.password ||= "CorrectHorseBattery";
  return { url: url.href, name: url.pathname.slice(1), host: url.host, password: url.password };
}

async function withStorage<T>(url: string, work: (storage: Storage) => Promise<T>): Promise<T> {
  const storage = await openStorage(url);
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

const change = (url: string, statement: string) => withStorage(url, ({ query }) => sql.raw(statement).execute(query));

/** Every table, with equal row counts on both sides. */
const allSame = (rows: (table: string) => number) =>
  storeTables.map(({ name }) => ({ table: name, rows: rows(name), copied_rows: rows(name), same: true }));

// A new store already has a counter for projects.
const fullRows = (table: string): number => (table === "counter" ? ROWS + 1 : ROWS);

describe("migrate-store", () => {
  it("moves a service from SQLite to PostgreSQL: keys still work, and logs are complete", async () => {
    const { json, runProgram: run, options, folder } = await commandLine({ ...unset, MEDIA_MAX_LAG_MS: "0" });
    const { api_key: key } = await json("projects", "create", "demo");
    const before = await serve(options);
    for (let times = 0; times < 5; times++) await callWithin(before.url, pathOf.createAccessToken, { key });
    before.child.kill("SIGTERM");
    await once(before.child, "exit");

    const { url, name, host } = await newTarget();
    const migrated = await run("migrate-store", "--from", "sqlite:./data/media.db", "--to", url);
    expect(migrated).toMatchObject({ code: 0, stderr: expect.stringMatching(/^copying log_entry: 5 rows$/m) });
    expect(migrated.stdout).toMatch(/^log_entry +5 +the same$/m);
    expect(migrated.stdout).toContain(`data/media.db are in ${name} at ${host}.`);
    const keyFile = `${folder}/data/media.db.key`;
    expect(migrated.stdout).toContain(`MEDIA_MASTER_KEY_FILE=${keyFile}: the master key stays the same`);

    const env = { ...options.env, MEDIA_DATABASE_URL: url, MEDIA_MASTER_KEY_FILE: keyFile };
    const after = await serve({ ...options, env });
    const listed = await callWithin(after.url, pathOf.listApiLogs, { key });
    expect(listed).toMatchObject({ status: 200, body: Array(5).fill({ status: 200 }) });
    expect((await callWithin(after.url, pathOf.createAccessToken, { key })).status).toBe(200);
  });

  it("copies every row of every table, whatever it contains, reports the same on a second run, and copies it on from there", async () => {
    const file = await fullStore(ROWS);
    const { runProgram: run } = await commandLine(unset);
    const { url } = await newTarget();
    const migrate = async () => {
      const { code, stdout } = await run("migrate-store", "--from", `sqlite:${file}`, "--to", url, "--json");
      return { code, ...JSON.parse(stdout) };
    };
    const result = { code: 0, same: true, tables: allSame(fullRows) };
    expect(await migrate()).toMatchObject({ ...result, was_there: false });
    expect(await migrate()).toMatchObject({ ...result, was_there: true });
    const again = await run("migrate-store", "--from", `sqlite:${file}`, "--to", url);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/rows of \S+ are in .* already\./) });
    await withStorage(url, async ({ query }) => {
      const rejected = { at: "", path: "", key_id: "", reason: "", body: "" };
      const { id } = await query.insertInto("quarantine").values(rejected).returning("id").executeTakeFirstOrThrow();
      expect(id).toBe(2 * ROWS);
      await query.deleteFrom("quarantine").where("id", "=", id).execute();
    });
    const { url: another } = await newTarget();
    const { code, stdout } = await run("migrate-store", "--from", url, "--to", another, "--json");
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ ...result, was_there: false });
  });

  it("continues after each time it was killed", async () => {
    const file = await fullStore(ROWS);
    const { options } = await commandLine(unset);
    const { url } = await newTarget();
    const seen: string[] = [];
    for (const ms of [0, 13, 26, Number.POSITIVE_INFINITY]) {
      const child = spawn(process.execPath, [main, "migrate-store", "--from", `sqlite:${file}`, "--to", url], {
        ...options,
        stdio: ["ignore", "ignore", "pipe"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      const ended = once(child, "exit");
      let copied = 0;
      for await (const line of createInterface({ input: child.stderr })) {
        if (!line.startsWith("copying")) continue;
        seen.push(line);
        // Some time after the second table of this run was started.
        if (++copied === 2 && Number.isFinite(ms)) setTimeout(() => child.kill("SIGKILL"), ms);
      }
      expect(await ended).toEqual(Number.isFinite(ms) ? [null, "SIGKILL"] : [0, null]);
    }
    // Completed tables are not copied again.
    expect(new Set(seen).size).toBe(seen.length);
    await withStorage(url, async ({ query }) => {
      for (const { name } of storeTables) {
        const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.id(name)}`.execute(query);
        expect({ name, rows }).toEqual({ name, rows: [{ n: fullRows(name) }] });
      }
    });
  });

  it("exits with 1 if rows in PostgreSQL differ from the file, and names their tables", async () => {
    const file = await fullStore(300);
    const { runProgram: run } = await commandLine(unset);
    const { url } = await newTarget();
    const migrate = () => run("migrate-store", "--from", `sqlite:${file}`, "--to", url);
    expect((await migrate()).code).toBe(0);
    await change(url, "insert into setting (name, value) values ('x', 'x')");
    await change(url, "update log_entry set entry = 'x' where project_id = 'project-7'");
    await change(url, "delete from ended where project_id = 'project-7'");
    const { code, stdout } = await migrate();
    expect(code).toBe(1);
    for (const [table, rows] of [
      ["setting", 301],
      ["log_entry", 300],
      ["ended", 299],
    ]) {
      expect(stdout).toMatch(new RegExp(`^${table} +300 +NOT the same: ${rows} rows$`, "m"));
    }
    expect(stdout).toMatch(/ differ from those in \S+media\.db: setting, log_entry, ended\.\n/);
    expect(stdout).toMatch(/^project +300 +the same$/m);
  });

  it("copies only into an unused database, and only from a file that is not in use", async () => {
    const { runProgram: run, json, options } = await commandLine(unset);
    const { url, password } = await newTarget();
    await json("projects", "create", "demo");
    const migrate = (...more: string[]) =>
      run("migrate-store", "--from", "sqlite:./data/media.db", "--to", url, ...more);
    await change(url, "insert into project (project_id, created_at, version) values ('other', '', 1)");
    expect(await migrate()).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "The target is not empty: there are rows in project. Copy into a new, empty database.\n",
    });
    await change(url, "delete from project");
    const { child } = await serve(options);
    const refused = await migrate();
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/media\.db is in use\. Stop the program that uses it/),
    });
    expect(JSON.stringify(refused)).not.toContain(password);
    child.kill("SIGTERM");
    await once(child, "exit");
    expect((await migrate()).code).toBe(0);
  });

  it("explains invalid arguments, and shows no password", async () => {
    const { json, runProgram: run } = await commandLine(unset);
    await json("projects", "create", "demo");
    const from = "sqlite:./data/media.db";
    const { url } = await newTarget();
    const wrong: [args: string[], code: number, message: RegExp][] = [
      [[], 2, /^--from is missing: --from sqlite:/],
      [["--from", from], 2, /^--to is missing: --to postgres:/],
      [["--from", "sqlite:./none.db", "--to", "postgres://127.0.0.1:1/x"], 1, /^There is no store at \.\/none\.db/],
      [["--from", "data/media.db", "--to", "postgres://127.0.0.1:1/x"], 1, /^Invalid database URL/],
      [["--from", "postgres://ann:CorrectHorse@127.0.0.1:1/x", "--to", url], 1, /ECONNREFUSED/],
      [["--from", from, "--to", "sqlite:./x.db"], 1, /^The target must be PostgreSQL/],
      [["--from", from, "--to", "postgres://ann:CorrectHorse@127.0.0.1:1/x"], 1, /ECONNREFUSED/],
      [["--from", from, "--to", "postgres://ann:CorrectHorse@[/x"], 1, /must be like postgres:/],
    ];
    for (const [args, code, message] of wrong) {
      const ran = await run("migrate-store", ...args);
      expect(ran).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(message) });
      expect(ran.stderr).not.toMatch(/CorrectHorse|\n {4}at /);
    }
  });
});
