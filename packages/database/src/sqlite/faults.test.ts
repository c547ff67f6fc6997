import { open } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { insertNote, openNotes, refusal, statement, temporaryFolder, textsOf } from "../test/notes.js";
import { openFault, toFault } from "./faults.js";

const PAGE_BYTES = 4096;

const coded = (code: string, message = "it went wrong"): Error => Object.assign(new Error(message), { code });

const secondTable = "create table other (id integer primary key, text text)";

/** A file with an intact table "other" and a table "note" of many pages, of which all but the first are overwritten. */
async function damagedNotes() {
  const file = join(await temporaryFolder(), "notes.db");
  const before = await openNotes(`sqlite:${file}`);
  await sql.raw(secondTable).execute(before.query);
  await before.writeAll(
    Array.from({ length: 500 }, () => statement(before, "insert into note (text) values (?)", "x".repeat(2000))),
  );
  const { rows } = await sql<{ last: number }>`select max(rootpage) as last from sqlite_schema`.execute(before.query);
  await before.close();
  const handle = await open(file, "r+");
  const { size } = await handle.stat();
  const sound = (rows[0]?.last ?? 0) * PAGE_BYTES;
  await handle.write(Buffer.alloc(size - sound, 0xff), 0, size - sound, sound);
  await handle.close();
  const database = await openNotes(`sqlite:${file}`);
  const writeOther = () => database.writeAll([statement(database, "insert into other (text) values (?)", "kept")]);
  return { database, writeOther };
}

describe("a damaged file", () => {
  it.each(["a reader", "a writer"])(
    "accepts no writes after %s has detected the damage, not even in intact tables",
    async (who) => {
      const { database, writeOther } = await damagedNotes();
      await writeOther();
      const damaged = refusal("unavailable", /notes\.db is damaged .*restore a backup/);
      const first = who === "a reader" ? textsOf(database) : insertNote(database, "one more");
      await expect(first).rejects.toMatchObject(damaged);
      await expect(writeOther()).rejects.toMatchObject(damaged);
      await expect(
        database.query.transaction().execute(async (all) => insertNote({ ...database, query: all }, "x")),
      ).rejects.toMatchObject(damaged);
      await expect(textsOf(database)).rejects.toMatchObject(damaged);
    },
  );

  it("does not acknowledge writes that were running when the damage was detected", async () => {
    const { database, writeOther } = await damagedNotes();
    const underWay = Promise.allSettled(Array.from({ length: 20 }, writeOther));
    await expect(textsOf(database)).rejects.toMatchObject({ code: "unavailable" });
    expect((await underWay).filter(({ status }) => status === "fulfilled")).toEqual([]);
  });
});

it("a full file reports it, keeps its data, and continues when there is space", async () => {
  const database = await openNotes(`sqlite:${await temporaryFolder()}/notes.db`);
  await insertNote(database, "before");
  const limit = (pages: number) =>
    database.query.transaction().execute((all) => sql.raw(`pragma max_page_count = ${pages}`).execute(all));
  await limit(1);
  await expect(insertNote(database, "x".repeat(100_000))).rejects.toMatchObject(
    refusal("unavailable", /notes\.db cannot be used now: its disk is full \(SQLITE_FULL\)\. Make room/),
  );
  expect(await textsOf(database)).toEqual(["before"]);
  await limit(1_000_000);
  await insertNote(database, "after");
  expect(await textsOf(database)).toEqual(["before", "after"]);
});

it("a table that is dropped under a running program makes the database unavailable until it is back", async () => {
  const database = await openNotes(`sqlite:${await temporaryFolder()}/notes.db`);
  await sql`drop table note`.execute(database.query);
  await expect(textsOf(database)).rejects.toMatchObject(
    refusal("unavailable", /tables of it are gone \(no such table: note\)/),
  );
  await sql`create table note (id integer primary key, text text not null)`.execute(database.query);
  expect(await textsOf(database)).toEqual([]);
});

describe("an error of SQLite or the system", () => {
  it.each([
    ["SQLITE_FULL", /disk is full .*Make room/],
    ["ENOSPC", /disk is full .*Make room/],
    ["EDQUOT", /quota/],
    ["SQLITE_IOERR_WRITE", /full or has failed.*quota/],
    ["SQLITE_IOERR_SHMSIZE", /full or has failed.*quota/],
    ["SQLITE_IOERR_FSYNC", /disk has failed.*system's log/],
    ["SQLITE_BUSY", /locked for 10 s.*Try again when that has ended/],
    ["SQLITE_READONLY", /may not be written.*must own the file/],
    ["SQLITE_READONLY_DIRECTORY", /may not be written.*must own the file/],
    ["EROFS", /mounted read-only/],
    ["EACCES", /must own the file/],
    ["SQLITE_CANTOPEN", /cannot be opened.*ulimit -n/],
  ])("%s is explained, with the next step", (code, words) => {
    expect(openFault("media.db", coded(code))).toMatchObject(refusal("open", words));
    const fault = toFault("media.db", coded(code));
    expect(fault).toMatchObject(refusal("unavailable", words));
  });

  it("of a statement is passed on unchanged", () => {
    const wrong = coded("SQLITE_CONSTRAINT_UNIQUE");
    expect(toFault("media.db", wrong)).toBe(wrong);
  });
});
