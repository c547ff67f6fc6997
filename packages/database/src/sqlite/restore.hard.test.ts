import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase, restoreDatabase } from "@media-ops/database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { crashWithNotes, openNotesProgram, runProgram } from "../test/crash.js";
import {
  asMigration,
  insertNote,
  noteMigrations,
  openNotes,
  refusal,
  temporaryFolder,
  textsOf,
} from "../test/notes.js";

const now = Date.parse("2026-07-28T14:03:22Z");
const dated = "before-restore-2026-07-28T14-03-22Z";

const restore = (file: string, backup: string, checkSecrets: () => Promise<void> = async () => {}) =>
  restoreDatabase(`sqlite:${file}`, { owner: "test", migrations: noteMigrations, backup, now, checkSecrets });

const held = Array.from({ length: 100 }, (_, at) => `held ${at} ${"x".repeat(600)}`);
const left = [...held, "after the backup", "x".repeat(5000)];
let template = "";

beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), "media-restore-"));
  const file = join(template, "notes.db");
  await crashWithNotes(file, held);
  const database = await openDatabase(`sqlite:${file}`, { owner: "test", migrations: noteMigrations });
  await database.backup(join(template, "backup.db"));
  await database.close();
  await crashWithNotes(file, left.slice(held.length));
  expect((await stat(`${file}-wal`)).size).toBeGreaterThan(0);
});
afterAll(() => rm(template, { recursive: true }));

const restoreProgram = (file: string, backup: string): string =>
  `await restoreDatabase(${JSON.stringify(`sqlite:${file}`)}, {
    owner: "test", migrations, backup: ${JSON.stringify(backup)}, now: ${now}, checkSecrets: async () => {},
  });`;

/** A folder with a database that was backed up, then written to, and then crashed. */
async function crashedFolder() {
  const folder = await temporaryFolder();
  for (const name of ["notes.db", "notes.db-wal", "backup.db"])
    await copyFile(join(template, name), join(folder, name));
  return { folder, file: join(folder, "notes.db"), backup: join(folder, "backup.db") };
}

async function textsIn(file: string): Promise<string[]> {
  const database = await openNotes(`sqlite:${file}`);
  const texts = await textsOf(database);
  await database.close();
  return texts;
}

describe("a backup that is restored after a crash", () => {
  it("replaces the database, which is kept whole under a dated name", async () => {
    const { folder, file, backup } = await crashedFolder();
    expect(await restore(file, backup)).toEqual({ file, backup, kept: [`${file}.${dated}`] });
    expect((await readdir(folder)).sort()).toEqual(["backup.db", "notes.db", `notes.db.${dated}`]);
    expect(await textsIn(file)).toEqual(held);
    expect(await textsIn(`${file}.${dated}`)).toEqual(left);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("would be corrupted if it were only copied over the database", async () => {
    const { file, backup } = await crashedFolder();
    await copyFile(backup, file);
    await expect(textsIn(file).catch(() => [])).resolves.not.toEqual(held);
    // A database damaged in this way can be restored, too, and is kept unchanged.
    const { kept } = await restore(file, backup);
    expect(kept[0]).toBe(`${file}.${dated}`);
    expect(await textsIn(file)).toEqual(held);
  });

  it("can be undone by restoring the replaced database", async () => {
    const { file, backup } = await crashedFolder();
    const [kept = ""] = (await restore(file, backup)).kept;
    expect((await restore(file, kept)).kept).toEqual([`${kept}-2`]);
    expect(await textsIn(file)).toEqual(left);
  });

  it("leaves the whole database or the whole backup in place if the restore is killed at any step", async () => {
    const killedAt = async (step: number): Promise<boolean> => {
      const { folder, file, backup } = await crashedFolder();
      const { printed } = await runProgram(`
        import fs from "node:fs/promises";
        import { syncBuiltinESMExports } from "node:module";
        let steps = 0;
        for (const name of ["copyFile", "chmod", "link", "rename", "rm"]) {
          const real = fs[name];
          fs[name] = (...args) => {
            if (++steps === ${step}) process.kill(process.pid, "SIGKILL");
            return real(...args);
          };
        }
        syncBuiltinESMExports();
        ${openNotesProgram}
        ${restoreProgram(file, backup)}
        console.log("restored");
      `);
      expect([held, left]).toContainEqual(await textsIn(file));
      // Running the same command again completes it, and cleans up.
      await restore(file, backup);
      expect(await textsIn(file)).toEqual(held);
      expect((await readdir(folder)).filter((name) => !name.startsWith(`notes.db.${dated}`)).sort()).toEqual([
        "backup.db",
        "notes.db",
      ]);
      return printed !== "";
    };
    const isDone = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(killedAt));
    expect(isDone.at(0)).toBe(false);
    expect(isDone.at(-1)).toBe(true);
  });
});

describe("a restore", () => {
  it("refuses a database that is open, and changes nothing", async () => {
    const { folder, file, backup } = await crashedFolder();
    const database = await openNotes(`sqlite:${file}`);
    const before = (await readdir(folder)).sort();
    await expect(restore(file, backup)).rejects.toMatchObject(refusal("restore", /in use.*Stop/));
    expect((await readdir(folder)).sort()).toEqual(before);
    expect(await textsOf(database)).toEqual(left);
  });

  it("works if there is no database yet, or only the leftovers of a deleted one", async () => {
    const { folder, file, backup } = await crashedFolder();
    const elsewhere = join(folder, "new/place/notes.db");
    expect((await restore(elsewhere, backup)).kept).toEqual([]);
    expect(await textsIn(elsewhere)).toEqual(held);
    expect((await stat(join(folder, "new"))).mode & 0o777).toBe(0o700);

    const lost = join(folder, "lost.db");
    await copyFile(`${file}-wal`, `${lost}-wal`);
    expect((await restore(lost, backup)).kept).toEqual([`${lost}.${dated}-wal`]);
    expect(await textsIn(lost)).toEqual(held);
  });

  it("blocks a program that starts meanwhile, and then opens the restored database", async () => {
    const { file, backup } = await crashedFolder();
    const child = spawn(process.execPath, [
      "--input-type=module",
      "-e",
      `
      import fs from "node:fs/promises";
      import { once } from "node:events";
      import { syncBuiltinESMExports } from "node:module";
      const rename = fs.rename;
      fs.rename = async (...args) => {
        console.log("about to swap");
        await once(process.stdin, "data");
        return rename(...args);
      };
      syncBuiltinESMExports();
      ${openNotesProgram}
      ${restoreProgram(file, backup)}
      process.exit();
    `,
    ]);
    await once(child.stdout, "data");
    const texts = textsIn(file);
    // Enough time to open the file that is about to be moved aside.
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.stdin.write("go on");
    expect(await texts).toEqual(held);
    expect(await textsIn(`${file}.${dated}`)).toEqual(left);
  });

  it("includes the log of a copy that another tool created, and leaves that copy unchanged", async () => {
    const { folder, file } = await crashedFolder();
    const copy = join(folder, "copy.db");
    for (const suffix of ["", "-wal"]) await copyFile(file + suffix, copy + suffix);
    const before = await stat(`${copy}-wal`);
    await restore(join(folder, "restored.db"), copy);
    expect(await textsIn(join(folder, "restored.db"))).toEqual(left);
    expect((await stat(`${copy}-wal`)).size).toBe(before.size);
  });

  it.each([
    ["does not exist", async () => {}, /There is no file .*backup\.db/],
    ["is not SQLite", (backup: string) => writeFile(backup, "x".repeat(9000)), /not an intact SQLite database/],
    ["is empty", (backup: string) => writeFile(backup, ""), /is empty/],
    ["is damaged", damagedBackup, /not an intact SQLite database/],
    ["belongs to another program", otherBackup, /is not a database of the test/],
    ["is from a newer version", newerBackup, /newer version of the test \(its migration 002-newer/],
  ])("refuses a backup that %s, and changes nothing", async (_, make, message) => {
    const folder = await temporaryFolder();
    const [file, backup] = [join(folder, "notes.db"), join(folder, "backup.db")];
    const database = await openNotes(`sqlite:${file}`);
    await insertNote(database, "one");
    await database.close();
    await make(backup);
    const before = (await readdir(folder)).sort();
    await expect(restore(file, backup)).rejects.toMatchObject(refusal("restore", message));
    expect((await readdir(folder)).sort()).toEqual(before);
    expect(await textsIn(file)).toEqual(["one"]);
  });

  it("refuses a backup whose secrets cannot be decrypted, before it changes anything", async () => {
    const { file, backup } = await crashedFolder();
    await expect(restore(file, backup, () => Promise.reject(new Error("wrong key")))).rejects.toThrow("wrong key");
    expect(await textsIn(file)).toEqual(left);
  });

  it("of PostgreSQL explains the alternative", async () => {
    const options = { owner: "test", migrations: noteMigrations, backup: "x", now, checkSecrets: async () => {} };
    await expect(restoreDatabase("postgres://127.0.0.1:1/x", options)).rejects.toMatchObject(
      refusal("restore", /own tools.*pg_restore/),
    );
  });
});

async function damagedBackup(backup: string): Promise<void> {
  const database = await openNotes(`sqlite:${backup}`);
  for (let at = 0; at < 50; at++) await insertNote(database, "x".repeat(900));
  await database.close();
  const bytes = await readFile(backup);
  await writeFile(backup, bytes.fill(0x55, 8192, 24_000));
}

async function otherBackup(backup: string): Promise<void> {
  const database = await openDatabase(`sqlite:${backup}`, { owner: "other", migrations: noteMigrations });
  await database.close();
}

async function newerBackup(backup: string): Promise<void> {
  await (await openNotes(`sqlite:${backup}`, { "002-newer": asMigration("create table more (id integer)") })).close();
}
