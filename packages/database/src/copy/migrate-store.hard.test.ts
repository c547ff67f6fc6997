import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { migrateStore } from "@media-ops/database";
import { postgresUrl, runIn } from "@media-ops/testing";
import { startPostgresProxy } from "@media-ops/testing/postgres-proxy";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { newUrl, refusal, temporaryFolder } from "../test/notes.js";
import { fullStore, openThings, thingOptions, thingTables } from "../test/things.js";
import type { CopyStep } from "./copy-database.js";

const migrate = (from: string, to: string, onStep: (step: CopyStep) => void = () => {}) =>
  migrateStore({ ...thingOptions, from, to, tables: thingTables, onStep });

describe("a store migration", () => {
  it("resumes after PostgreSQL was unavailable, and reports the interruption", async () => {
    const from = await fullStore({ rows: 8000 });
    const to = await postgresUrl();
    const proxy = await startPostgresProxy(to);
    let isCut = false;
    const failing = migrate(from, proxy.url, ({ work, table, rows }) => {
      if (isCut || work !== "copy" || table !== "thing" || rows < 2000) return;
      isCut = true;
      void proxy.close();
    });
    await expect(failing).rejects.toMatchObject({ name: "DatabaseError", code: "unavailable" });
    await proxy.open();
    const befores = new Set<number>();
    const { tables } = await migrate(from, proxy.url, ({ work, table, before }) => {
      if (work === "copy" && table === "thing") befores.add(before);
    });
    expect(tables.every(({ isSame }) => isSame)).toBe(true);
    expect([...befores]).toEqual([expect.toSatisfy((before: number) => before >= 200 && before < 8000)]);
  });

  it("shows names without secrets", async () => {
    const from = await fullStore({ rows: 1 });
    const to = new URL(await postgresUrl());
    to.password ||= "hunter2";
    const migrated = await migrate(from, to.href);
    expect(migrated).toMatchObject({
      from: from.replace("sqlite:", ""),
      to: `${to.pathname.slice(1)} at ${to.host}`,
    });
    const { query } = await openThings(to.href);
    const { rows } = await sql`select * from things_copy`.execute(query);
    expect(JSON.stringify([migrated, rows])).not.toContain(to.password);
  });

  it("accepts another file only before the copy begins", async () => {
    const folder = await temporaryFolder();
    const [from, to] = [await fullStore({ rows: 1 }, `sqlite:${folder}/a.db`), await postgresUrl()];
    await migrate(from, to);
    await rename(join(folder, "a.db"), join(folder, "b.db"));
    await expect(migrate(`sqlite:${folder}/b.db`, to)).rejects.toMatchObject(
      refusal("copy", /another store \(\S+a\.db, made 20\S+\), and this is \S+b\.db, made 20/),
    );
    await fullStore({ rows: 1 }, from);
    await expect(migrate(from, to)).rejects.toMatchObject(refusal("copy", /another store/));
  });
});

describe("a store in PostgreSQL", () => {
  it("is copied to another database, with every row and the numbers that go on", async () => {
    const [from, to] = [await fullStore({ rows: 5000 }, await postgresUrl()), await postgresUrl()];
    const migrated = await migrate(from, to);
    expect(migrated.wasThere).toBe(false);
    expect(migrated.tables).toContainEqual({ name: "thing", rows: 5000, copiedRows: 5000, isSame: true });
    expect(migrated.tables.every(({ isSame }) => isSame)).toBe(true);
    expect(migrated.from).toBe(`${new URL(from).pathname.slice(1)} at ${new URL(from).host}`);
    const { query } = await openThings(to);
    await query.insertInto("letter").values({ text: "four" }).execute();
    expect(await query.selectFrom("letter").select("id").orderBy("id").execute()).toEqual(
      [1, 3, 4].map((id) => ({ id })),
    );
    expect(await migrate(from, to)).toMatchObject({ wasThere: true });
  });

  it("is not changed by anyone while it is copied", async () => {
    const [from, to] = [await fullStore({}, await postgresUrl()), await postgresUrl()];
    const late = "insert into place (name) values ('late')";
    let writing: Promise<void> | undefined;
    const ended: string[] = [];
    const { tables } = await migrate(from, to, () => {
      writing ??= runIn(from, late).then(() => void ended.push("written"));
    });
    ended.push("copied");
    expect(tables.every(({ isSame }) => isSame)).toBe(true);
    await writing;
    expect(ended).toEqual(["copied", "written"]);
    const { query } = await openThings(from);
    expect(await query.selectFrom("place").selectAll().where("name", "=", "late").execute()).toHaveLength(1);
  });

  it("is not copied while a program uses it, or to itself", async () => {
    const [from, to] = [await fullStore({ rows: 1 }, await postgresUrl()), await postgresUrl()];
    const service = await openThings(from);
    await expect(migrate(from, to)).rejects.toMatchObject(
      refusal("open", /^Other programs of Media Ops are connected .*: \d from .*Stop each service and bot/),
    );
    await service.close();
    await expect(migrate(from, from)).rejects.toMatchObject({
      code: "copy",
      message: "The source and the target are the same database.",
    });
    expect((await migrate(from, to)).wasThere).toBe(false);
  });

  it("must be there", async () => {
    const [empty, to] = [await postgresUrl(), await postgresUrl()];
    await expect(migrate(empty, to)).rejects.toMatchObject({
      code: "missing",
      message: "The database in PostgreSQL holds no tables of the things yet.",
    });
    const away = migrate("postgres://user:hunter2@127.0.0.1:1/none", to);
    await expect(away).rejects.toMatchObject({ code: "open", message: expect.not.stringContaining("hunter2") });
  });
});

describe("a store is not migrated", () => {
  it("while another process has it open", async () => {
    const [from, to] = [await fullStore({ rows: 1 }), await postgresUrl()];
    const service = await openThings(from);
    await expect(migrate(from, to)).rejects.toMatchObject(
      refusal("copy", /notes\.db is in use\. Stop the program that uses it first/),
    );
    await service.close();
    expect((await migrate(from, to)).wasThere).toBe(false);
  });

  it("if it does not exist, and none is created", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "folder"));
    await writeFile(join(folder, "letter"), "Dear database, ".repeat(100));
    const to = await postgresUrl();
    for (const [name, code, message] of [
      ["typo.db", "copy", /^There is no store at \S+typo\.db: ENOENT/],
      ["folder", "copy", /it is not a file/],
      ["letter", "open", /letter could not be opened: file is not a database/],
    ] as const) {
      const refused = { code, message: expect.stringMatching(message) };
      await expect(migrate(`sqlite:${folder}/${name}`, to)).rejects.toMatchObject(refused);
    }
    await expect(migrate(`sqlite:${folder}/typo.db`, to)).rejects.toThrow(/There is no store at/);
    const refused = { code: "copy", message: "A store in memory cannot be copied." };
    await expect(migrate("sqlite::memory:", to)).rejects.toMatchObject(refused);
  });

  it("to any database but PostgreSQL, or to one that does not exist", async () => {
    const from = await fullStore({ rows: 1 });
    const toFile = migrate(from, await newUrl("an SQLite file"));
    await expect(toFile).rejects.toMatchObject(refusal("copy", /target must be Postgre/));
    const away = migrate(from, "postgres://user:hunter2@127.0.0.1:1/none");
    await expect(away).rejects.toMatchObject({ code: "open", message: expect.not.stringContaining("hunter2") });
  });
});
