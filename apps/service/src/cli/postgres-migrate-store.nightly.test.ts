import { postgresUrl } from "@media-ops/testing";
import { describe, expect, it } from "vitest";
import { openStorage, type Storage } from "../storage/open-storage.js";
import { callWithin, pathOf } from "../test/harness.js";
import { storeTables } from "./databases.js";
import { commandLine, serve } from "./test/command-line.js";
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
    await before.end();

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

  it("copies every row of every table, whatever it contains, reports the same on a second run, copies it on from there, and exits with 1 if a row differs", async () => {
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
    await withStorage(url, ({ query }) => query.deleteFrom("ended").where("project_id", "=", "project-7").execute());
    const { code: differs, stdout: differing } = await run("migrate-store", "--from", `sqlite:${file}`, "--to", url);
    expect({ differs, differing }).toEqual({
      differs: 1,
      differing: expect.stringMatching(/^ended +1,000 +NOT the same: 999 rows$/m),
    });
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
