import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { migrateStore } from "@media-ops/database";
import { postgresUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { newUrl, temporaryFolder } from "../test/notes.js";
import { startProxy } from "../test/proxy.js";
import { fill, openThings, thingOptions, thingStatements, thingTables } from "../test/things.js";

const migrate = (from: string, to: string) =>
  migrateStore({ ...thingOptions, from, to, tables: thingTables, onStep: () => {} });

/** The URL of a store that is full, and that nobody has open. */
async function fullStore(options: Parameters<typeof fill>[1] = {}, url?: string): Promise<string> {
  const store = url ?? (await newUrl("an SQLite file"));
  const database = await openThings(store);
  await fill(database, options);
  await database.close();
  return store;
}

/** The same as another process does it, which tells each step. */
const program = (from: string, to: string): string => `
  import { migrateStore } from ${JSON.stringify(import.meta.resolve("@media-ops/database"))};
  import { sql } from ${JSON.stringify(import.meta.resolve("kysely"))};
  const migrationsOf = (texts) => Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, { up: async (db) => { await sql.raw(text).execute(db); } }]),
  );
  const { sqlite, postgres } = ${JSON.stringify(thingStatements)};
  const result = await migrateStore({
    owner: "things",
    migrations: { sqlite: migrationsOf(sqlite), postgres: migrationsOf(postgres) },
    from: ${JSON.stringify(from)},
    to: ${JSON.stringify(to)},
    tables: ${JSON.stringify(thingTables)},
    onStep: ({ work, rows, before }) => { if (work === "copy" && rows > before) console.log("step"); },
  });
  console.log(JSON.stringify(result.tables));
`;

describe("a store that is migrated", () => {
  it("is there at the end, however often that was ended by force, and each row once", async () => {
    const rows = 12_000;
    const from = await fullStore({ rows, bytes: 100 });
    const to = await postgresUrl();
    // After how many steps it is ended, and how many ms later: within a transaction, between two, at the beginning.
    const ends = [
      [1, 0],
      [2, 3],
      [3, 7],
      [1, 1],
    ] as const;
    let last = "";
    for (const [steps, ms] of [...ends, [Number.POSITIVE_INFINITY, 0]] as const) {
      const child = spawn(process.execPath, ["--input-type=module", "-e", program(from, to)]);
      onTestFinished(() => void child.kill("SIGKILL"));
      const complaint = text(child.stderr);
      const ended = once(child, "exit");
      let seen = 0;
      for await (const line of createInterface({ input: child.stdout })) {
        last = line;
        if (line === "step" && ++seen === steps) setTimeout(() => child.kill("SIGKILL"), ms);
      }
      expect(await ended).toEqual(Number.isFinite(steps) ? [null, "SIGKILL"] : [0, null]);
      expect(await complaint).toBe("");
    }
    expect(JSON.parse(last)).toContainEqual({ name: "thing", rows, copiedRows: rows, isSame: true });
    const target = await openThings(to);
    expect(
      await target.query
        .selectFrom("thing")
        .select(({ fn }) => fn.countAll().as("n"))
        .execute(),
    ).toEqual([{ n: rows }]);
  });

  it("goes on where it was when PostgreSQL was away, which it says", async () => {
    const from = await fullStore({ rows: 20_000 });
    const to = await postgresUrl();
    const proxy = await startProxy(to);
    let isCut = false;
    const failing = migrateStore({
      ...thingOptions,
      from,
      to: proxy.url,
      tables: thingTables,
      onStep({ work, table, rows }) {
        if (isCut || work !== "copy" || table !== "thing" || rows < 3000) return;
        isCut = true;
        void proxy.close();
      },
    });
    await expect(failing).rejects.toMatchObject({ name: "DatabaseError", code: "unavailable" });
    await proxy.open();
    const befores = new Set<number>();
    const { tables } = await migrateStore({
      ...thingOptions,
      from,
      to: proxy.url,
      tables: thingTables,
      onStep: ({ work, table, before }) => void (work === "copy" && table === "thing" && befores.add(before)),
    });
    expect(tables.every(({ isSame }) => isSame)).toBe(true);
    expect([...befores]).toEqual([expect.toSatisfy((before: number) => before >= 1000 && before < 20_000)]);
  });

  it("is named without what is secret", async () => {
    const from = await fullStore({ rows: 1 });
    const to = new URL(await postgresUrl());
    to.password ||= "hunter2";
    const migrated = await migrate(from, to.href);
    expect(migrated).toMatchObject({
      file: from.replace("sqlite:", ""),
      target: `${to.pathname.slice(1)} at ${to.host}`,
    });
    const { query } = await openThings(to.href);
    const { rows } = await sql`select * from things_copy`.execute(query);
    expect(JSON.stringify([migrated, rows])).not.toContain(to.password);
  });

  it("may stand elsewhere only at the beginning: another file is another store", async () => {
    const folder = await temporaryFolder();
    const [from, to] = [await fullStore({ rows: 1 }, `sqlite:${folder}/a.db`), await postgresUrl()];
    await migrate(from, to);
    await rename(join(folder, "a.db"), join(folder, "b.db"));
    await expect(migrate(`sqlite:${folder}/b.db`, to)).rejects.toMatchObject({
      code: "another-source",
      message: expect.stringMatching(/another store \(\S+a\.db, made 20\S+\), and this is \S+b\.db, made 20/),
    });
    await fullStore({ rows: 1 }, from);
    await expect(migrate(from, to)).rejects.toMatchObject({ code: "another-source" });
  });

  it("and has changed since is told of", async () => {
    const [from, to] = [await fullStore(), await postgresUrl()];
    await migrate(from, to);
    const store = await openThings(from);
    await store.query.updateTable("thing").set({ text: "changed" }).where("seq", "=", 5).execute();
    await store.close();
    const { tables } = await migrate(from, to);
    expect(tables.filter(({ isSame }) => !isSame).map(({ name }) => name)).toEqual(["thing"]);
  });
});

describe("a store is not migrated", () => {
  it("while somebody has it open", async () => {
    const [from, to] = [await fullStore({ rows: 1 }), await postgresUrl()];
    const service = await openThings(from);
    await expect(migrate(from, to)).rejects.toMatchObject({
      code: "in-use",
      message: expect.stringMatching(/notes\.db is in use\. Stop what runs on it first/),
    });
    await service.close();
    expect((await migrate(from, to)).wasThere).toBe(false);
  });

  it("where there is none, and none is made", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "folder"));
    await writeFile(join(folder, "letter"), "Dear database, ".repeat(100));
    const to = await postgresUrl();
    for (const [name, code, message] of [
      ["typo.db", "source", /^There is no store at \S+typo\.db: ENOENT/],
      ["folder", "source", /it is no file/],
      ["letter", "open", /letter could not be opened: file is not a database/],
    ] as const) {
      const refused = { code, message: expect.stringMatching(message) };
      await expect(migrate(`sqlite:${folder}/${name}`, to)).rejects.toMatchObject(refused);
    }
    await expect(migrate(`sqlite:${folder}/typo.db`, to)).rejects.toMatchObject({ code: "source" });
    await expect(migrate("sqlite::memory:", to)).rejects.toMatchObject({ code: "source" });
    await expect(migrate(to, to)).rejects.toMatchObject({ code: "source" });
  });

  it("to anything but PostgreSQL, or where there is none", async () => {
    const from = await fullStore({ rows: 1 });
    await expect(migrate(from, await newUrl("an SQLite file"))).rejects.toMatchObject({ code: "target" });
    const away = migrate(from, "postgres://user:hunter2@127.0.0.1:1/none");
    await expect(away).rejects.toMatchObject({ code: "open", message: expect.not.stringContaining("hunter2") });
  });
});
