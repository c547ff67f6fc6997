import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Kysely, sql } from "kysely";
import { DatabaseError, messageOf } from "./errors.js";
import { createPrivateFile, exists, syncFile } from "./sqlite/files.js";
import { newIdentity } from "./sqlite/header.js";
import { newId } from "./sqlite/held-file.js";

/** Copies as of one moment, by one read transaction, so that writers go on. */
export const backUpSqlite = <Tables>(query: Kysely<Tables>, file: string): Promise<void> =>
  writeCopy(file, (to) => sql`vacuum into ${to}`.execute(query));

/** Writes a copy to a new file, readable by its owner alone, whole or not at all. It is a database with an id of its own. */
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

/** Gives a copy an id of its own, by which a log of the original is known not to be the copy's. */
async function identify(file: string): Promise<void> {
  const handle = await open(file, "r+");
  try {
    for (const { at, bytes } of newIdentity(newId())) await handle.write(bytes, 0, bytes.length, at);
  } finally {
    await handle.close();
  }
}
