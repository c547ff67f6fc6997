import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { crashWithNotes } from "../test/crash.js";
import { insertNote, openNotes, temporaryFolder, textsOf } from "../test/notes.js";
import { mismatch } from "./foreign-log.js";
import type { FileHeader } from "./held-file.js";

const file: FileHeader = { id: 7, pageSize: 4096, pageCount: 10, changes: 5 };
const log = { pageSize: 4096, pageCounts: new Set([10, 11]), firstPages: [file, { ...file, changes: 6 }] };

it.each([
  ["its own", {}, {}, undefined],
  ["its own, before the first page was written back", { changes: 4 }, {}, undefined],
  ["its own, without a first page", {}, { firstPages: [] }, undefined],
  ["its own, of a database that gets its id in the log", { id: 0 }, {}, undefined],
  ["the log of other pages", {}, { pageSize: 1024 }, /pages have 1024 bytes/],
  ["the log of another database", { id: 8 }, {}, /the id 7, and this one has the id 8/],
  [
    "the log of a database of another size, without a first page",
    { pageCount: 9 },
    { firstPages: [] },
    /10 or 11 pages, .* has 9/,
  ],
  ["the log of an older file", { changes: 7 }, {}, /changed by another program/],
  ["the log of a newer file", { changes: 3 }, {}, /an older copy/],
])("a log is detected as %s", (_, header, content, reason) => {
  const found = mismatch({ ...file, ...header }, { ...log, ...content });
  if (reason === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(reason);
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
  await expect(openNotes(`sqlite:${notes}`)).rejects.toMatchObject({
    code: "open",
    message: expect.stringMatching(/notes\.db-wal is not the log of .*: it .* move .*notes\.db-wal/),
  });
  expect(await readFile(`${notes}-wal`)).toEqual(left);
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
