import { execFile } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";
import { insertNote, openNotes, temporaryFolder, textsOf } from "../test/notes.js";
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
