import { chmod, chown, copyFile, mkdir, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Kysely } from "kysely";
import type { OpenOptions } from "../database.js";
import { DatabaseError, hasCode, messageOf } from "../errors.js";
import { lookAtDatabase } from "../open.js";
import {
  createPrivateFile,
  exists,
  identityOf,
  isSameFile,
  lockAlone,
  resolveFile,
  SIDE_FILES,
  syncFile,
} from "../sqlite/files.js";
import { Sqlite } from "../sqlite/load-sqlite.js";
import { swapFile } from "./swap-file.js";

/** Options of `restoreDatabase`. */
export interface RestoreOptions<Tables> extends Pick<OpenOptions, "owner" | "migrations"> {
  /** The file with the backup; it stays as it is. */
  readonly backup: string;
  /** The current time in ms, for the name under which the replaced database is kept. */
  readonly now: number;
  /** Checks that the secrets in the backup can be decrypted; throws if not. */
  checkSecrets(query: Kysely<Tables>): Promise<void>;
}

/**
 * Replaces an SQLite file by a backup that is intact and the owner's. The replaced database is kept under a dated name. Killed at any moment, it leaves the old database or the new one in place, and can be run
 * again.
 *
 * @returns the files that hold the replaced database.
 * @throws {DatabaseError} which says what is wrong with the backup, or that the database is in use.
 */
export async function restoreSqlite<Tables>(file: string, options: RestoreOptions<Tables>): Promise<string[]> {
  const { backup, now } = options;
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

/**
 * Brings a log that lies beside a copy into it, and reads all of it for damage.
 *
 * @throws {DatabaseError} with what is wrong with the file, called `name`.
 */
function checkPages(file: string, name: string): void {
  try {
    const database = new Sqlite(file, { fileMustExist: true });
    try {
      database.pragma("journal_mode = delete");
      const fault = database.pragma("integrity_check(1)", { simple: true });
      if (fault !== "ok") throw new Error(String(fault).replaceAll("\n", " "));
    } finally {
      database.close();
    }
  } catch (error) {
    const message = `${name} is not an intact SQLite database: ${messageOf(error)}. Nothing was changed. Choose another backup.`;
    throw new DatabaseError("restore", message, { cause: error });
  }
}

/**
 * Checks that a file holds the owner's tables, from no newer version, and secrets that can be decrypted.
 *
 * @throws {DatabaseError} with what is wrong with the file, called `name`.
 */
async function checkContent<Tables>(file: string, name: string, checks: RestoreOptions<Tables>): Promise<void> {
  const { owner, migrations, checkSecrets } = checks;
  const glimpse = await lookAtDatabase<Tables>(`sqlite:${file}`, { owner, migrations });
  try {
    if (glimpse.tables.kind === "none") {
      throw new DatabaseError("restore", `${name} is not a database of the ${owner}: it holds none of its tables.`);
    }
    if (glimpse.tables.kind === "newer") {
      const { migration } = glimpse.tables;
      throw new DatabaseError(
        "restore",
        `${name} was written by a newer version of the ${owner} (its migration ${migration} is unknown here). Restore it with that version.`,
      );
    }
    await checkSecrets(glimpse.query);
  } finally {
    await glimpse.close();
  }
}

/**
 * Does work in a folder that one process has at a time, and removes it afterwards. What a killed process has left there
 * is removed first.
 */
async function inWorkspace<T>(folder: string, work: (folder: string) => Promise<T>): Promise<T> {
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
