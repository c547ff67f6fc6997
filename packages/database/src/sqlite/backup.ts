import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseError, messageOf } from "../errors.js";
import { createPrivateFile, syncFile } from "./files.js";
import { newId } from "./held-file.js";
import { Sqlite } from "./load-sqlite.js";

/** Writes a copy to a new file, readable only by its owner, whole or not at all. The copy has its own id. */
export async function writeCopy(file: string, vacuumInto: (file: string) => Promise<unknown>): Promise<void> {
  if (existsSync(file)) {
    throw new DatabaseError("backup", `${file} exists already. Name a new file: a backup is never overwritten.`);
  }
  const unfinished = `${file}.unfinished`;
  try {
    await rm(unfinished, { force: true });
    // SQLite writes into an empty file, but would create a new one readable by others until it is done.
    await createPrivateFile(unfinished);
    await vacuumInto(unfinished);
    identify(unfinished);
    await syncFile(unfinished);
    await rename(unfinished, file);
    await syncFile(dirname(file));
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    const message = `The backup to ${file} failed: ${messageOf(error)}. Is there room, and may its folder be written?`;
    throw new DatabaseError("backup", message, { cause: error });
  }
}

/** Assigns a copy its own id, so that the original's log is not used for the copy, and no mark of a clean close. */
function identify(file: string): void {
  const copy = new Sqlite(file, { fileMustExist: true });
  try {
    copy.pragma(`application_id = ${newId()}`);
    copy.pragma("user_version = 0");
  } finally {
    copy.close();
  }
}
