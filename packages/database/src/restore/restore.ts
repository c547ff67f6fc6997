import { chmod, chown, copyFile, mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseError, hasCode, messageOf } from "../errors.js";
import { exists, identityOf, isSameFile, resolveFile, SIDE_FILES, syncFile } from "../sqlite/files.js";
import { type BackupChecks, checkContent, checkPages } from "./checks.js";
import { swapFile } from "./swap-file.js";
import { inWorkspace } from "./workspace.js";

/** Options of {@link restoreSqlite}. */
export interface RestoreOptions<Tables> extends BackupChecks<Tables> {
  /** The SQLite file that the backup is put in the place of; created if it is not there. */
  readonly file: string;
  /** The file with the backup; it stays as it is. */
  readonly backup: string;
  /** The current time in ms, for the name under which the old database is kept. */
  readonly now: number;
}

/**
 * Puts a backup in the place of an SQLite database, once it is known to be intact and to be the owner's. What was there
 * is kept under a dated name. Killed at any moment, it leaves the old database or the new one in place, and can be run
 * again.
 *
 * @returns the files that hold what was there.
 * @throws {DatabaseError} which says what is wrong with the backup, or that the database is in use.
 */
export async function restoreSqlite<Tables>(options: RestoreOptions<Tables>): Promise<string[]> {
  const { file, backup, now } = options;
  try {
    await needBackup(backup, file);
    const target = await resolveFile(file);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    return await inWorkspace(`${target}.restoring`, async (workspace) => {
      const candidate = join(workspace, "candidate.db");
      await copyBackup(backup, candidate);
      checkPages(candidate, backup);
      await checkContent(candidate, backup, options);
      await giveToOwner(candidate, target);
      await syncFile(candidate);
      const kept = await swapFile(candidate, target, now);
      await checkContent(target, target, options);
      return kept;
    });
  } catch (error) {
    if (error instanceof DatabaseError || !(error instanceof Error && "code" in error)) throw error;
    const message = `${file} could not be restored from ${backup}: ${messageOf(error)}.`;
    throw new DatabaseError("restore", message, { cause: error });
  }
}

async function needBackup(backup: string, file: string): Promise<void> {
  const found = await stat(backup).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  });
  if (!found?.isFile()) {
    throw new DatabaseError("restore", `There is no file ${backup}. Name the file that the backup was written to.`);
  }
  if (found.size === 0) throw new DatabaseError("restore", `${backup} is empty, and no backup. Choose another one.`);
  if ((await exists(file)) && isSameFile(await identityOf(backup), await identityOf(file))) {
    throw new DatabaseError(
      "restore",
      `${backup} is the database itself. Name the file that the backup was written to.`,
    );
  }
}

// A copy made by other means than ours may have these beside it. SQLite brings them in.
const PARTS = ["", ...SIDE_FILES.filter((suffix) => suffix !== "-shm")];

async function copyBackup(backup: string, candidate: string): Promise<void> {
  const before = await stateOf(backup);
  for (const suffix of PARTS) {
    if (!(await exists(backup + suffix))) continue;
    await copyFile(backup + suffix, candidate + suffix);
    await chmod(candidate + suffix, 0o600);
  }
  if ((await stateOf(backup)) !== before) {
    throw new DatabaseError(
      "restore",
      `${backup} changed while it was read. It is in use: back it up first, and restore that.`,
    );
  }
}

async function stateOf(backup: string): Promise<string> {
  const states = PARTS.map(async (suffix) => {
    if (!(await exists(backup + suffix))) return "none";
    const { ino, size, mtimeNs } = await stat(backup + suffix, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  });
  return (await Promise.all(states)).join();
}

/** Run by root, a restore must not take the file from the user whom the program runs as. */
async function giveToOwner(candidate: string, target: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat((await exists(target)) ? target : dirname(target));
  await chown(candidate, uid, gid);
}
