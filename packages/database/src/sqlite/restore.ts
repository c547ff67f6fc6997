import { existsSync, statSync } from "node:fs";
import { chmod, chown, copyFile, link, mkdir, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Database } from "better-sqlite3";
import type { Kysely } from "kysely";
import type { OpenOptions } from "../database.js";
import { DatabaseError, hasCode, messageOf } from "../errors.js";
import { parseDatabaseUrl } from "../url.js";
import { isDamage } from "./faults.js";
import { createPrivateFile, freeName, isAt, type LockedFile, lockAlone, SIDE_FILES, syncFile } from "./files.js";
import { Sqlite } from "./load-sqlite.js";
import { lookAtSqlite } from "./open.js";

/** Options of {@link restoreDatabase}. */
export interface RestoreOptions<Tables> extends Pick<OpenOptions, "owner" | "migrations"> {
  /** The file with the backup; it is not changed. */
  readonly backup: string;
  /** The current time in ms, for the name under which the replaced database is kept. */
  readonly now: number;
  /** Checks that the secrets in the backup can be decrypted; throws if not. */
  checkSecrets(query: Kysely<Tables>): Promise<void>;
}

/** The result of a restore. */
export interface Restored {
  readonly file: string;
  readonly backup: string;
  readonly kept: readonly string[];
}

const refusal = (message: string, options?: ErrorOptions) => new DatabaseError("restore", message, options);

/** Replaces the database of a URL by a backup. @throws {DatabaseError} which explains the problem and the next step. */
export async function restoreDatabase<Tables>(url: string, options: RestoreOptions<Tables>): Promise<Restored> {
  const address = parseDatabaseUrl(url);
  const { owner, backup } = options;
  if (address.kind === "postgres") {
    throw refusal(
      `The ${owner} uses PostgreSQL, which is restored with its own tools: stop every process of the ${owner}, restore a dump into a new, empty database with pg_restore (or a base backup with its WAL), set the database URL to it, and start again. Nothing was changed.`,
    );
  }
  if (address.file === undefined) {
    throw refusal("A database in memory cannot be restored: it is gone when its program ends.");
  }
  const kept = await restoreSqlite(address.file, options);
  return { file: address.file, backup, kept };
}

/** Replaces an SQLite file by a checked backup; can be killed and run again. Returns the files of the old one. */
async function restoreSqlite<Tables>(file: string, options: RestoreOptions<Tables>): Promise<string[]> {
  const { backup, now } = options;
  try {
    needBackup(backup, file);
    const target = existsSync(file) ? await realpath(file) : file;
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
    throw refusal(message, { cause: error });
  }
}

function needBackup(backup: string, file: string): void {
  const found = statSync(backup, { throwIfNoEntry: false });
  if (!found?.isFile()) {
    throw refusal(`There is no file ${backup}. Name the file that the backup was written to.`);
  }
  if (found.size === 0) throw refusal(`${backup} is empty, and no backup. Choose another one.`);
  if (isAt(file, found)) {
    throw refusal(`${backup} is the database itself. Name the file that the backup was written to.`);
  }
}

// A copy that another tool created may have these beside it. SQLite merges them.
const PARTS = ["", ...SIDE_FILES.filter((suffix) => suffix !== "-shm")];

async function copyBackup(backup: string, candidate: string): Promise<void> {
  const before = stateOf(backup);
  for (const suffix of PARTS) {
    if (!existsSync(backup + suffix)) continue;
    await copyFile(backup + suffix, candidate + suffix);
    await chmod(candidate + suffix, 0o600);
  }
  if (stateOf(backup) !== before) {
    throw refusal(`${backup} changed while it was read. It is in use: back it up first, and restore that.`);
  }
}

function stateOf(backup: string): string {
  const states = PARTS.map((suffix) => statSync(backup + suffix, { bigint: true, throwIfNoEntry: false }));
  return states.map((found) => (found ? `${found.ino} ${found.size} ${found.mtimeNs}` : "none")).join();
}

/** If root runs a restore, the file must stay with the user that the program runs as. */
async function giveToOwner(candidate: string, target: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(existsSync(target) ? target : dirname(target));
  await chown(candidate, uid, gid);
}

/** Merges the log beside a copy into it, and checks the whole file for damage; `name` is what errors call it. */
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
    throw refusal(message, { cause: error });
  }
}

/** Checks that a file holds the owner's tables, from no newer version, and secrets that can be decrypted. */
async function checkContent<Tables>(file: string, name: string, checks: RestoreOptions<Tables>): Promise<void> {
  const { owner, migrations, checkSecrets } = checks;
  const glimpse = await lookAtSqlite<Tables>(file, { owner, migrations });
  try {
    if (glimpse.tables.kind === "none") {
      throw refusal(`${name} is not a database of the ${owner}: it holds none of its tables.`);
    }
    if (glimpse.tables.kind === "newer") {
      const { migration } = glimpse.tables;
      throw refusal(
        `${name} was written by a newer version of the ${owner} (its migration ${migration} is unknown here). Restore it with that version.`,
      );
    }
    await checkSecrets(glimpse.query);
  } finally {
    await glimpse.close();
  }
}

/** Runs work in a folder that only one process has at a time, without the leftovers of a killed one, and removes it. */
async function inWorkspace<T>(folder: string, work: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST")) throw error;
  });
  const lockFile = join(folder, "lock");
  await createPrivateFile(lockFile);
  const lock = lockAlone(lockFile);
  if (!lock) throw refusal(`Another restore is under way in ${folder}. Wait until it has ended.`);
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

/** Replaces a file, and returns those that hold the old one; killed at any moment, it leaves one of the two. */
async function swapFile(candidate: string, target: string, now: number): Promise<string[]> {
  const locked = existsSync(target) ? lockOrRefuse(target) : undefined;
  try {
    const isWhole = locked?.isReadable === true && bringInLog(locked.database);
    const date = new Date(now).toISOString().slice(0, 19).replaceAll(":", "-");
    const aside = freeName(`${target}.before-restore-${date}Z`);
    const kept: string[] = [];
    if (locked) {
      // A hard link, not a rename: between two renames there would be no database, and a service would create a new
      // one.
      await link(target, aside);
      await chmod(aside, 0o600);
      kept.push(aside);
    }
    // SQLite would use a remaining log for the new database.
    for (const suffix of SIDE_FILES) {
      if (!existsSync(target + suffix)) continue;
      if (isWhole) await rm(target + suffix);
      else {
        await rename(target + suffix, aside + suffix);
        await chmod(aside + suffix, 0o600);
        kept.push(aside + suffix);
      }
    }
    await syncFile(dirname(target));
    await put(candidate, target, locked);
    await syncFile(dirname(target));
    return kept;
  } finally {
    locked?.database.close();
  }
}

function lockOrRefuse(target: string): LockedFile {
  const locked = lockAlone(target);
  if (locked) return locked;
  throw refusal(
    `${target} is in use. Nothing was changed. Stop the program that uses it, then run the same command again.`,
  );
}

/** Writes the log of a database into its file, so that the file alone is the whole database; false if it is damaged. */
function bringInLog(database: Database): boolean {
  try {
    if (database.pragma("quick_check(1)", { simple: true }) !== "ok") return false;
    database.pragma("journal_mode = delete");
    database.exec("begin exclusive");
    return true;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

async function put(candidate: string, target: string, replaced: LockedFile | undefined): Promise<void> {
  if (replaced) return rename(candidate, target);
  try {
    // Unlike a rename, a link replaces no file that was created meanwhile.
    await link(candidate, target);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    throw refusal(
      `${target} was created while the backup was read. Stop the program that created it, then run the same command again.`,
    );
  }
}
