import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openNotesProgram, runProgram } from "../test/crash.js";
import { insertNote, newUrl, openNotes, temporaryFolder, textsOf } from "../test/notes.js";

describe.each(["an SQLite file", "SQLite's memory"] as const)("a database in %s", (place) => {
  it("takes writers one after another", async () => {
    const database = await openNotes(await newUrl(place));
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
    await Promise.all([add("a"), add("b"), insertNote(database, "c"), add("d")]);
    expect(await textsOf(database)).toEqual(["a after 0", "b after 1", "c", "d after 3"]);
  });

  it("is backed up to a file that opens by itself", async () => {
    const database = await openNotes(await newUrl(place));
    await insertNote(database, "one");
    const copy = join(await temporaryFolder(), "copy.db");
    await database.backup(copy);
    await insertNote(database, "two");
    expect(await textsOf(await openNotes(`sqlite:${copy}`))).toEqual(["one"]);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
  });
});

describe("a file", () => {
  it("holds what was committed after it is opened again, and nothing else lies beside it", async () => {
    const path = await temporaryFolder();
    const database = await openNotes(`sqlite:${path}/notes.db`);
    await insertNote(database, "one");
    await database.close();
    expect(await readdir(path)).toEqual(["notes.db"]);
    expect(await textsOf(await openNotes(`sqlite:${path}/notes.db`))).toEqual(["one"]);
  });

  it("can be read by its owner alone, with its log and in any folder, whatever the umask and its mode before", async () => {
    const folder = await temporaryFolder();
    await chmod(folder, 0o755);
    const file = join(folder, "notes.db");
    const modes = async (): Promise<Record<string, number>> => {
      const names = (await readdir(folder)).sort();
      return Object.fromEntries(
        await Promise.all(names.map(async (name) => [name, (await stat(join(folder, name))).mode & 0o777])),
      );
    };
    const all = { "notes.db": 0o600, "notes.db-shm": 0o600, "notes.db-wal": 0o600 };
    // As a program leaves it that ran with another mode, and was killed.
    await runProgram(`process.umask(0); ${openNotesProgram}
      const database = await openNotes(${JSON.stringify(file)});
      await database.query.insertInto("note").values({ text: "one" }).execute();
      process.kill(process.pid, "SIGKILL");`);
    expect(await modes()).toEqual(all);
    for (const name of Object.keys(all)) await chmod(join(folder, name), 0o644);
    const database = await openNotes(`sqlite:${file}`);
    await insertNote(database, "two");
    expect(await modes()).toEqual(all);
  });

  it("may be read while another writes", async () => {
    const database = await openNotes(`sqlite:${await temporaryFolder()}/notes.db`);
    await database.query.transaction().execute(async (transaction) => {
      await transaction.insertInto("note").values({ text: "one" }).execute();
      expect(await textsOf(database)).toEqual([]);
    });
  });

  it("is shared by several programs", async () => {
    const url = `sqlite:${await temporaryFolder()}/notes.db`;
    const [a, b] = [await openNotes(url), await openNotes(url)];
    await Promise.all([insertNote(a, "a"), insertNote(b, "b")]);
    expect((await textsOf(a)).sort()).toEqual(["a", "b"]);
    expect((await textsOf(b)).sort()).toEqual(["a", "b"]);
  });

  it("that is closed waits for a transaction that has begun", async () => {
    const url = `sqlite:${await temporaryFolder()}/notes.db`;
    const database = await openNotes(url);
    let closed: Promise<void> | undefined;
    await database.query.transaction().execute(async (transaction) => {
      await transaction.insertInto("note").values({ text: "one" }).execute();
      closed = database.close();
      await transaction.insertInto("note").values({ text: "two" }).execute();
    });
    await closed;
    expect(await textsOf(await openNotes(url))).toEqual(["one", "two"]);
  });
});

describe("what cannot be opened", () => {
  it("is a file of another kind, which stays as it is", async () => {
    const path = join(await temporaryFolder(), "letter.txt");
    await writeFile(path, "Dear database, ".repeat(100));
    await expect(openNotes(`sqlite:${path}`)).rejects.toMatchObject({
      code: "open",
      message: expect.stringMatching(/letter\.txt.*not a database/),
    });
    expect(await readFile(path, "utf8")).toContain("Dear database");
  });

  it("is a folder", async () => {
    const path = join(await temporaryFolder(), "notes.db");
    await mkdir(path);
    await expect(openNotes(`sqlite:${path}`)).rejects.toMatchObject({
      code: "open",
      message: expect.stringMatching(/notes\.db could not be opened/),
    });
  });
});

describe("a backup", () => {
  it("never overwrites a file", async () => {
    const database = await openNotes("sqlite::memory:");
    const copy = join(await temporaryFolder(), "copy.db");
    await writeFile(copy, "dear to somebody");
    await expect(database.backup(copy)).rejects.toMatchObject({
      code: "backup",
      message: expect.stringMatching(/exists already/),
    });
    expect(await readFile(copy, "utf8")).toBe("dear to somebody");
  });

  it("that fails leaves nothing behind", async () => {
    const database = await openNotes("sqlite::memory:");
    const path = await temporaryFolder();
    await expect(database.backup(join(path, "no/such/folder/copy.db"))).rejects.toMatchObject({ code: "backup" });
    expect(await readdir(path)).toEqual([]);
  });
});
