import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Kysely, sql } from "kysely";
import { DatabaseError, messageOf } from "../errors.js";
import { createPrivateFile, exists, syncFile } from "./files.js";
import { newId, newIdentity } from "./held-file.js";

/** Copies the state of one moment, in one read transaction; writers go on. */
export const backUpSqlite = <Tables>(query: Kysely<Tables>, file: string): Promise<void> =>
  writeCopy(file, (to) => sql`vacuum into ${to}`.execute(query));

/** Writes a copy to a new file, readable by its owner alone, whole or not at all. The copy has an id of its own. */
export async function writeCopy(file: string, vacuumInto: (file: string) => Promise<unknown>): Promise<void> {
  if (await exists(file)) {
    throw new DatabaseError("backup", `${file} exists already. Name a new file: a backup is never overwritten.`);
  }
  const unfinished = `${file}.unfinished`;
  try {
    await rm(unfinished, { force: true });
    // SQLite fills an empty file, and would make a new one readable by others until it is done.
    await createPrivateFile(unfinished);
    await vacuumInto(unfinished);
    await identify(unfinished);
    await syncFile(unfinished);
    await rename(unfinished, file);
    await syncFile(dirname(file));
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    const message = `The backup to ${file} failed: ${messageOf(error)}. Is there room, and may its folder be written?`;
    throw new DatabaseError("backup", message, { cause: error });
  }
}

/** Gives a copy its own id, so that the original's log is not taken for the copy's. */
async function identify(file: string): Promise<void> {
  const handle = await open(file, "r+");
  try {
    for (const { at, bytes } of newIdentity(newId())) await handle.write(bytes, 0, bytes.length, at);
  } finally {
    await handle.close();
  }
}
