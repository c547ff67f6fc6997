import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { crashWithNotes } from "../test/crash.js";
import { insertNote, openNotes, refusal, temporaryFolder, textsOf } from "../test/notes.js";
import { isInUse } from "./files.js";

it("a file is in use while any process has it open, even if it is idle", async () => {
  const file = join(await temporaryFolder(), "notes.db");
  const database = await openNotes(`sqlite:${file}`);
  await insertNote(database, "one");
  expect(isInUse(file)).toBe(true);
  await insertNote(database, "two");
  await database.close();
  expect(isInUse(file)).toBe(false);

  const program = `
    import { openDatabase } from ${JSON.stringify(import.meta.resolve("@media-ops/database"))};
    await openDatabase(${JSON.stringify(`sqlite:${file}`)}, { owner: "other", migrations: { sqlite: {}, postgres: {} } });
    console.log("open");
    setInterval(() => {}, 1000);
  `;
  const child = execFile(process.execPath, ["--input-type=module", "-e", program]);
  await once(child.stdout ?? expect.fail(), "data");
  expect(isInUse(file)).toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(isInUse(file)).toBe(false);
  expect(await textsOf(await openNotes(`sqlite:${file}`))).toEqual(["one", "two"]);
});

it("a log that a crash left beside a file is not used for a backup copied there", async () => {
  const folder = await temporaryFolder();
  const notes = join(folder, "notes.db");
  const database = await openNotes(`sqlite:${notes}`);
  await insertNote(database, "backed up");
  await database.backup(join(folder, "backup.db"));
  await database.close();
  const last = Array.from({ length: 20 }, () => "written last ".repeat(100));
  await crashWithNotes(notes, last);
  const crashed = await readFile(notes);
  await copyFile(join(folder, "backup.db"), notes);
  const left = await readFile(`${notes}-wal`);
  await expect(openNotes(`sqlite:${notes}`)).rejects.toMatchObject(
    refusal("open", /notes\.db-wal is not the log of .*: it .* move .*notes\.db-wal/),
  );
  expect(await readFile(`${notes}-wal`)).toEqual(left);
  expect(await readFile(notes)).toEqual(await readFile(join(folder, "backup.db")));
  // The two solutions that the message names.
  await writeFile(notes, crashed);
  expect(await textsOf(await openNotes(`sqlite:${notes}`))).toEqual(["backed up", ...last]);
});

it("a log without its database is not deleted", async () => {
  const notes = join(await temporaryFolder(), "notes.db");
  await crashWithNotes(notes, ["one"]);
  const left = await readFile(`${notes}-wal`);
  await rm(notes);
  await expect(openNotes(`sqlite:${notes}`)).rejects.toMatchObject({
    message: expect.stringMatching(/the database is empty, but the log holds changes/),
  });
  expect(await readFile(`${notes}-wal`)).toEqual(left);
});
