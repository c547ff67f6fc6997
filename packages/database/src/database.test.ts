import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Database, DatabaseError, openDatabase } from "@media-ops/database";
import type { Generated, Migration } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";

interface Tables {
  note: { id: Generated<number>; text: string };
}

const first: Migration = {
  up: (db) =>
    db.schema
      .createTable("note")
      .addColumn("id", "integer", (column) => column.primaryKey())
      .addColumn("text", "text", (column) => column.notNull())
      .execute(),
};
const migrations = { "001-note": first };

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "media-database-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

async function open(url: string, more: Record<string, Migration> = {}): Promise<Database<Tables>> {
  const database = await openDatabase<Tables>(url, { owner: "test", migrations: { ...migrations, ...more } });
  onTestFinished(() => database.close());
  return database;
}

const insert = (database: Database<Tables>, text: string) =>
  database.query.insertInto("note").values({ text }).execute();

const texts = async (database: Database<Tables>): Promise<string[]> =>
  (await database.query.selectFrom("note").select("text").orderBy("id").execute()).map((row) => row.text);

describe.each(["a file", "memory"])("a database in %s", (where) => {
  const url = async () => (where === "memory" ? "sqlite::memory:" : `sqlite:${await folder()}/a/b/notes.db`);

  it("is created, and gives back what was put into it", async () => {
    const database = await open(await url());
    await insert(database, "one");
    expect(await texts(database)).toEqual(["one"]);
  });

  it("tells how many rows were changed", async () => {
    const database = await open(await url());
    for (const text of ["one", "two", "three"]) await insert(database, text);
    const result = await database.query.deleteFrom("note").where("id", ">", 1).executeTakeFirst();
    expect(result.numDeletedRows).toBe(2n);
  });

  it("lets nobody see half a transaction", async () => {
    const database = await open(await url());
    let reading: Promise<string[]> | undefined;
    await database.query.transaction().execute(async (transaction) => {
      await transaction.insertInto("note").values({ text: "one" }).execute();
      reading = texts(database);
      await transaction.insertInto("note").values({ text: "two" }).execute();
      expect(await transaction.selectFrom("note").selectAll().execute()).toHaveLength(2);
    });
    expect([0, 2]).toContain((await reading)?.length);
    expect(await texts(database)).toEqual(["one", "two"]);
  });

  it("keeps nothing of a transaction that failed, and goes on", async () => {
    const database = await open(await url());
    const failing = database.query.transaction().execute(async (transaction) => {
      await transaction.insertInto("note").values({ text: "one" }).execute();
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    await insert(database, "two");
    expect(await texts(database)).toEqual(["two"]);
  });

  it("takes writers one after another", async () => {
    const database = await open(await url());
    const add = (text: string) =>
      database.query.transaction().execute(async (transaction) => {
        const { count } = await transaction
          .selectFrom("note")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .executeTakeFirstOrThrow();
        await transaction
          .insertInto("note")
          .values({ text: `${text} after ${count}` })
          .execute();
      });
    await Promise.all([add("a"), add("b"), insert(database, "c"), add("d")]);
    expect(await texts(database)).toEqual(["a after 0", "b after 1", "c", "d after 3"]);
  });

  it("says what was wrong with a statement, and goes on", async () => {
    const database = await open(await url());
    const twice = database.query
      .insertInto("note")
      .values([
        { id: 1, text: "one" },
        { id: 1, text: "two" },
      ])
      .execute();
    await expect(twice).rejects.toMatchObject({
      message: expect.stringMatching(/UNIQUE constraint/),
      code: "SQLITE_CONSTRAINT_PRIMARYKEY",
    });
    await insert(database, "three");
    expect(await texts(database)).toEqual(["three"]);
  });

  it("writes many statements in one go, and gives the rows of those that give rows", async () => {
    const database = await open(await url());
    const sql = "insert into note (text) values (?) returning id, text";
    const rows = await database.writeAll([
      { sql, parameters: ["one"] },
      { sql: "update note set text = ? where id = ?", parameters: ["first", 1] },
      { sql, parameters: ["two"] },
      { sql: "select text from note where id = ?", parameters: [1] },
    ]);
    expect(rows).toEqual([[{ id: 1, text: "one" }], [{ id: 2, text: "two" }], [{ text: "first" }]]);
    expect(await database.writeAll([])).toEqual([]);
  });

  it("writes none of many statements when one of them fails, and goes on", async () => {
    const database = await open(await url());
    const sql = "insert into note (id, text) values (?, ?)";
    const twice = [1, 2, 1].map((id) => ({ sql, parameters: [id, "x"] }));
    await expect(database.writeAll(twice)).rejects.toThrow(/UNIQUE/);
    await expect(database.writeAll([{ sql: "insert into nothing values (1)", parameters: [] }])).rejects.toThrow();
    expect(await texts(database)).toEqual([]);
    await database.writeAll([{ sql, parameters: [1, "after"] }]);
    expect(await texts(database)).toEqual(["after"]);
  });

  it("keeps what is written in one go out of a transaction that is under way", async () => {
    const database = await open(await url());
    let writing: Promise<unknown> | undefined;
    const failing = database.query.transaction().execute(async (transaction) => {
      await transaction.insertInto("note").values({ text: "lost" }).execute();
      writing = database.writeAll([{ sql: "insert into note (text) values (?)", parameters: ["kept"] }]);
      await transaction.selectFrom("note").selectAll().execute();
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    await writing;
    expect(await texts(database)).toEqual(["kept"]);
  });

  it("is backed up to a file that opens by itself", async () => {
    const database = await open(await url());
    await insert(database, "one");
    const copy = join(await folder(), "copy.db");
    await database.backup(copy);
    await insert(database, "two");
    expect(await texts(await open(`sqlite:${copy}`))).toEqual(["one"]);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
  });
});

describe("a file", () => {
  it("holds what was committed after it is opened again, and nothing else lies beside it", async () => {
    const path = await folder();
    const database = await open(`sqlite:${path}/notes.db`);
    await insert(database, "one");
    await database.close();
    expect(await readdir(path)).toEqual(["notes.db"]);
    expect(await texts(await open(`sqlite:${path}/notes.db`))).toEqual(["one"]);
  });

  it("may be read while another writes", async () => {
    const database = await open(`sqlite:${await folder()}/notes.db`);
    await database.query.transaction().execute(async (transaction) => {
      await transaction.insertInto("note").values({ text: "one" }).execute();
      expect(await texts(database)).toEqual([]);
    });
  });

  it("is shared by several programs", async () => {
    const url = `sqlite:${await folder()}/notes.db`;
    const [a, b] = [await open(url), await open(url)];
    await Promise.all([insert(a, "a"), insert(b, "b")]);
    expect((await texts(a)).sort()).toEqual(["a", "b"]);
    expect((await texts(b)).sort()).toEqual(["a", "b"]);
  });

  it("is brought up to date once, however many start at once", async () => {
    const url = `sqlite:${await folder()}/notes.db`;
    const entry = import.meta.resolve("@media-ops/database");
    const program = `
      import { openDatabase } from ${JSON.stringify(entry)};
      const up = async (db) => {
        await db.schema.createTable("note").addColumn("id", "integer", (c) => c.primaryKey()).addColumn("text", "text").execute();
        await db.insertInto("note").values({ text: "made by a migration" }).execute();
      };
      const database = await openDatabase(${JSON.stringify(url)}, { owner: "test", migrations: { "001-note": { up } } });
      await database.close();
    `;
    const start = () => promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
    await Promise.all(Array.from({ length: 5 }, start));
    expect(await texts(await open(url))).toEqual(["made by a migration"]);
  });
});

describe("migrations", () => {
  it("run forward, each once", async () => {
    const url = `sqlite:${await folder()}/notes.db`;
    await (await open(url)).close();
    const second: Migration = {
      up: (db) => db.insertInto("note").values({ text: "second" }).execute() as Promise<unknown> as Promise<void>,
    };
    await (await open(url, { "002-second": second })).close();
    expect(await texts(await open(url, { "002-second": second }))).toEqual(["second"]);
  });

  it("change nothing when one of them fails", async () => {
    const url = `sqlite:${await folder()}/notes.db`;
    const failing = {
      "002-text": { up: (db) => db.schema.alterTable("note").addColumn("more", "text").execute() } satisfies Migration,
      "003-fails": { up: () => Promise.reject(new Error("no room")) } satisfies Migration,
    };
    await expect(open(url, failing)).rejects.toMatchObject({
      code: "migrate",
      message: expect.stringMatching(/no room.* Nothing was changed/),
    });
    const database = await open(url);
    const [note] = await database.query.introspection.getTables();
    expect(note?.columns.map((column) => column.name)).toEqual(["id", "text"]);
  });

  it("of a newer version are not touched by an older one", async () => {
    const url = `sqlite:${await folder()}/notes.db`;
    await (await open(url, { "002-newer": { up: async () => {} } })).close();
    await expect(open(url)).rejects.toMatchObject({
      code: "migrate",
      message: expect.stringMatching(/002-newer.* newer version/),
    });
  });

  it("of two owners live side by side", async () => {
    const url = `sqlite:${await folder()}/notes.db`;
    const database = await open(url);
    const other = await openDatabase(url, { owner: "other", migrations: { "001-other": { up: async () => {} } } });
    await other.close();
    await insert(database, "one");
    expect(await texts(database)).toEqual(["one"]);
  });
});

describe("what cannot be opened", () => {
  it.each([
    ["mysql://localhost/notes", "url", /no URL of a database. Write sqlite:/],
    ["notes.db", "url", /no URL of a database/],
    ["sqlite:", "url", /the path of a file/],
    ["postgres://user:hunter2@localhost/notes", "open", /not supported yet/],
  ])("%s is refused with a reason", async (url, code, message) => {
    const error = await open(url).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(DatabaseError);
    expect(error).toMatchObject({ code, message });
    expect(error.message).not.toContain("hunter2");
  });

  it("is a file of another kind", async () => {
    const path = join(await folder(), "letter.txt");
    await writeFile(path, "Dear database, ".repeat(100));
    await expect(open(`sqlite:${path}`)).rejects.toMatchObject({
      code: "open",
      message: expect.stringMatching(/letter\.txt.*not a database/),
    });
    expect(await readFile(path, "utf8")).toContain("Dear database");
  });

  it("is a folder", async () => {
    const path = join(await folder(), "notes.db");
    await mkdir(path);
    await expect(open(`sqlite:${path}`)).rejects.toMatchObject({
      code: "open",
      message: expect.stringMatching(/notes\.db could not be opened/),
    });
  });
});

describe("a backup", () => {
  it("never overwrites a file", async () => {
    const database = await open("sqlite::memory:");
    const copy = join(await folder(), "copy.db");
    await writeFile(copy, "dear to somebody");
    await expect(database.backup(copy)).rejects.toMatchObject({
      code: "backup",
      message: expect.stringMatching(/exists already/),
    });
    expect(await readFile(copy, "utf8")).toBe("dear to somebody");
  });

  it("that fails leaves nothing behind", async () => {
    const database = await open("sqlite::memory:");
    const path = await folder();
    await expect(database.backup(join(path, "no/such/folder/copy.db"))).rejects.toMatchObject({ code: "backup" });
    expect(await readdir(path)).toEqual([]);
  });
});

describe("closing", () => {
  it("refuses what comes after it", async () => {
    const database = await openDatabase<Tables>("sqlite::memory:", { owner: "test", migrations });
    await database.close();
    const writing = database.writeAll([{ sql: "insert into note (text) values ('late')", parameters: [] }]);
    await expect(writing).rejects.toMatchObject({ code: "closed" });
  });

  it("waits for a transaction that has begun", async () => {
    const url = `sqlite:${await folder()}/notes.db`;
    const database = await open(url);
    let closed: Promise<void> | undefined;
    await database.query.transaction().execute(async (transaction) => {
      await transaction.insertInto("note").values({ text: "one" }).execute();
      closed = database.close();
      await transaction.insertInto("note").values({ text: "two" }).execute();
    });
    await closed;
    expect(await texts(await open(url))).toEqual(["one", "two"]);
  });
});
