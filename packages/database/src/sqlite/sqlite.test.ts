import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openNotesProgram, runProgram } from "../test/crash.js";
import { insertNote, newUrl, openNotes, refusal, temporaryFolder, textsOf } from "../test/notes.js";

describe.each(["an SQLite file", "SQLite's memory"] as const)("a database in %s", (place) => {
  it("runs writers in sequence", async () => {
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

  it("is backed up to a self-contained file", async () => {
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
  it("holds the committed data after it is reopened, without side files", async () => {
    const path = await temporaryFolder();
    const database = await openNotes(`sqlite:${path}/notes.db`);
    await insertNote(database, "one");
    await database.close();
    expect(await readdir(path)).toEqual(["notes.db"]);
    expect(await textsOf(await openNotes(`sqlite:${path}/notes.db`))).toEqual(["one"]);
  });

  it("is readable only by its owner, with its log and in any folder, regardless of the umask and its previous mode", async () => {
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
    // The state after a program with another mode was killed.
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

  it("is shared by several programs", async () => {
    const url = `sqlite:${await temporaryFolder()}/notes.db`;
    const [a, b] = [await openNotes(url), await openNotes(url)];
    await Promise.all([insertNote(a, "a"), insertNote(b, "b")]);
    expect((await textsOf(a)).sort()).toEqual(["a", "b"]);
    expect((await textsOf(b)).sort()).toEqual(["a", "b"]);
  });

  it("waits for an open transaction when it is closed", async () => {
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

describe("a path that cannot be opened", () => {
  it("is a file of another kind, which is not changed", async () => {
    const path = join(await temporaryFolder(), "letter.txt");
    await writeFile(path, "Dear database, ".repeat(100));
    await expect(openNotes(`sqlite:${path}`)).rejects.toMatchObject(refusal("open", /letter\.txt.*not a database/));
    expect(await readFile(path, "utf8")).toContain("Dear database");
  });

  it("is a folder", async () => {
    const path = join(await temporaryFolder(), "notes.db");
    await mkdir(path);
    await expect(openNotes(`sqlite:${path}`)).rejects.toMatchObject(refusal("open", /notes\.db could not be opened/));
  });
});

describe("a backup", () => {
  it("never overwrites a file", async () => {
    const database = await openNotes("sqlite::memory:");
    const copy = join(await temporaryFolder(), "copy.db");
    await writeFile(copy, "dear to somebody");
    await expect(database.backup(copy)).rejects.toMatchObject(refusal("backup", /exists already/));
    expect(await readFile(copy, "utf8")).toBe("dear to somebody");
  });

  it("leaves no files if it fails", async () => {
    const database = await openNotes("sqlite::memory:");
    const path = await temporaryFolder();
    await expect(database.backup(join(path, "no/such/folder/copy.db"))).rejects.toMatchObject({ code: "backup" });
    expect(await readdir(path)).toEqual([]);
  });
});
