import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Kysely, sql } from "kysely";
import { DatabaseError, messageOf } from "./errors.js";
import { createPrivateFile, exists, syncFile } from "./sqlite/files.js";

/** Copies as of one moment, by one read transaction, so that writers go on. The copy is readable by its owner alone. */
export async function backUpSqlite<Tables>(query: Kysely<Tables>, file: string): Promise<void> {
  if (await exists(file)) {
    throw new DatabaseError("backup", `${file} exists already. Name a new file: a backup is never overwritten.`);
  }
  const unfinished = `${file}.unfinished`;
  try {
    await rm(unfinished, { force: true });
    // SQLite fills an empty file, and would make a new one readable by others until it is done.
    await createPrivateFile(unfinished);
    await sql`vacuum into ${unfinished}`.execute(query);
    await syncFile(unfinished);
    await rename(unfinished, file);
    await syncFile(dirname(file));
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    const message = `The backup to ${file} failed: ${messageOf(error)}. Is there room, and may its folder be written?`;
    throw new DatabaseError("backup", message, { cause: error });
  }
}
