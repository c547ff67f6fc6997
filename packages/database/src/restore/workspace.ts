import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseError, hasCode } from "../errors.js";
import { createPrivateFile } from "../sqlite/files.js";
import { lockAlone } from "../sqlite/lock-alone.js";

/**
 * Does work in a folder that one process has at a time, and removes it afterwards. What a killed process has left there
 * is removed first.
 */
export async function inWorkspace<T>(folder: string, work: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST")) throw error;
  });
  const lockFile = join(folder, "lock");
  await createPrivateFile(lockFile);
  const lock = lockAlone(lockFile);
  if (!lock) throw new DatabaseError("restore", `Another restore is under way in ${folder}. Wait until it has ended.`);
  try {
    for (const name of await readdir(folder)) {
      if (!name.startsWith("lock")) await rm(join(folder, name), { recursive: true });
    }
    return await work(folder);
  } finally {
    lock.database.close();
    await rm(folder, { recursive: true, force: true });
  }
}
