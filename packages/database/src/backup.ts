import { chmod, rename, rm, stat } from "node:fs/promises";
import { type Kysely, sql } from "kysely";
import { DatabaseError, messageOf } from "./errors.js";

/** Copies as of one moment, by one read transaction: nobody who writes has to wait. */
export async function backUpSqlite<Tables>(query: Kysely<Tables>, file: string): Promise<void> {
  if (await exists(file)) {
    throw new DatabaseError("backup", `${file} exists already. Name a new file: a backup is never overwritten.`);
  }
  const unfinished = `${file}.unfinished`;
  try {
    await rm(unfinished, { force: true });
    await sql`vacuum into ${unfinished}`.execute(query);
    await chmod(unfinished, 0o600);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    const message = `The backup to ${file} failed: ${messageOf(error)}. Is there room, and may its folder be written?`;
    throw new DatabaseError("backup", message, { cause: error });
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
