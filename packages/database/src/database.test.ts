import { describe, expect, it } from "vitest";
import { insertNote, newUrl, openNotes, places, statement, textsOf } from "./test/notes.js";

describe.each(places)("a database in %s", (place) => {
  const open = async () => openNotes(await newUrl(place));

  it("returns the number of changed rows", async () => {
    const database = await open();
    for (const text of ["one", "two", "three"]) await insertNote(database, text);
    const updated = await database.query.updateTable("note").set({ text: "x" }).where("id", ">", 9).executeTakeFirst();
    expect(updated.numUpdatedRows).toBe(0n);
    const deleted = await database.query.deleteFrom("note").where("id", ">", 1).executeTakeFirst();
    expect(deleted.numDeletedRows).toBe(2n);
  });

  it("returns numbers as numbers, large ones and counts included", async () => {
    const database = await open();
    const id = Number.MAX_SAFE_INTEGER;
    await database.query.insertInto("note").values({ id, text: "one" }).execute();
    const count = database.query.selectFrom("note").select(({ fn }) => ["id", fn.countAll<number>().as("count")]);
    expect(await count.groupBy("id").execute()).toEqual([{ id, count: 1 }]);
  });

  it("stores texts unchanged, with any characters", async () => {
    const database = await open();
    const texts = ["", "'\"\\{},", "\u{1F600} ü \u200f\u2028", "null", "\\x41", " \t\r\n", "a".repeat(300_000)];
    for (const text of texts) await insertNote(database, text);
    expect(await textsOf(database)).toEqual(texts);
  });

  it("never shows part of a transaction to readers", async () => {
    const database = await open();
    let reading: Promise<string[]> | undefined;
    await database.query.transaction().execute(async (transaction) => {
      await transaction.insertInto("note").values({ text: "one" }).execute();
      reading = textsOf(database);
      await transaction.insertInto("note").values({ text: "two" }).execute();
      expect(await transaction.selectFrom("note").selectAll().execute()).toHaveLength(2);
    });
    expect([0, 2]).toContain((await reading)?.length);
    expect(await textsOf(database)).toEqual(["one", "two"]);
  });

  it("rolls back a failed transaction, even if a statement failed and its error was caught, and continues", async () => {
    const database = await open();
    const failing = database.query.transaction().execute(async (transaction) => {
      const insert = () => transaction.insertInto("note").values({ id: 1, text: "one" }).execute();
      await insert();
      await insert().catch(() => {});
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    await insertNote(database, "two");
    expect(await textsOf(database)).toEqual(["two"]);
  });

  it("reports the fault of a statement, and continues", async () => {
    const database = await open();
    const twice = [1, 1].map((id) => ({ id, text: "one" }));
    await expect(database.query.insertInto("note").values(twice).execute()).rejects.toMatchObject(
      place === "PostgreSQL"
        ? { message: expect.stringMatching(/duplicate key/), code: "23505" }
        : { message: expect.stringMatching(/UNIQUE constraint/), code: "SQLITE_CONSTRAINT_PRIMARYKEY" },
    );
    await insertNote(database, "three");
    expect(await textsOf(database)).toEqual(["three"]);
  });

  it("runs a batch of statements, and returns the rows of those that return rows", async () => {
    const database = await open();
    const insert = "insert into note (text) values (?) returning id, text";
    const rows = await database.writeAll([
      statement(database, insert, "one"),
      statement(database, "update note set text = ? where id = ?", "first", 1),
      statement(database, insert, "two"),
      statement(database, "select text from note where id = ?", 1),
      statement(database, "select text from note where id = ?", 99),
    ]);
    expect(rows).toEqual([[{ id: 1, text: "one" }], [{ id: 2, text: "two" }], [{ text: "first" }], []]);
    expect(await database.writeAll([])).toEqual([]);
  });

  it("rolls back a batch if a statement fails or a value cannot be stored, and continues", async () => {
    const database = await open();
    const insert = "insert into note (id, text) values (?, ?)";
    const twice = [1, 2, 1, 3].map((id) => statement(database, insert, id, "x"));
    await expect(database.writeAll(twice)).rejects.toThrow(/unique/i);
    await expect(database.writeAll([statement(database, "insert into nothing values (1)")])).rejects.toThrow(/nothing/);
    const odd = ["one", { text: "two" }].map((text) => statement(database, insert, 7, text));
    await expect(database.writeAll(odd)).rejects.toThrow();
    expect(await textsOf(database)).toEqual([]);
    await database.writeAll([statement(database, insert, 1, "after")]);
    expect(await textsOf(database)).toEqual(["after"]);
  });

  it("keeps a batch separate from a transaction that is running", async () => {
    const database = await open();
    let writing: Promise<unknown> | undefined;
    const failing = database.query.transaction().execute(async (transaction) => {
      await transaction.insertInto("note").values({ text: "lost" }).execute();
      writing = database.writeAll([statement(database, "insert into note (text) values (?)", "kept")]);
      await transaction.selectFrom("note").selectAll().execute();
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    await writing;
    expect(await textsOf(database)).toEqual(["kept"]);
  });

  it("groups the writes of many callers into few commits, and returns each caller's own result", async () => {
    const database = await open();
    let times = 0;
    const commits = database.groupCommit<string, number>({
      keyOf: () => "all",
      async commit(texts) {
        times += 1;
        const insert = "insert into note (text) values (?) returning id";
        const rows = await database.writeAll(texts.map((text) => statement(database, insert, text)));
        return rows.flat().map((row) => Number(Object(row).id));
      },
      onSettled: () => {},
    });
    const texts = Array.from({ length: 100 }, (_, at) => `note ${at}`);
    expect(await Promise.all(texts.map((text) => commits.add(text)))).toEqual(texts.map((_, at) => at + 1));
    expect(await textsOf(database)).toEqual(texts);
    expect(times).toBeLessThan(10);
  });

  it("refuses requests after it is closed, and may be closed twice", async () => {
    const database = await open();
    await database.close();
    await database.close();
    const writing = database.writeAll([statement(database, "insert into note (text) values ('late')")]);
    await expect(writing).rejects.toMatchObject({ code: "closed" });
    await expect(textsOf(database)).rejects.toThrow();
  });
});
