import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { chmod, mkdir, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Database } from "better-sqlite3";
import { codeOf, DatabaseError, hasCode, messageOf } from "../errors.js";
import { isDamage } from "./faults.js";
import { Sqlite } from "./load-sqlite.js";

/** The suffixes of SQLite's side files. */
export const SIDE_FILES = ["-wal", "-shm", "-journal"] as const;

/** The identity of the file behind a name. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * Makes a database file and its side files readable only by their owner, regardless of the umask.
 *
 * @param mustExist Refuses a missing file, instead of creating it with its folder.
 * @throws {DatabaseError} with the code "missing" if the file must exist and does not.
 */
export async function preparePrivateFile(file: string, mustExist: boolean): Promise<FileIdentity> {
  if (mustExist) needFile(file);
  else {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await createPrivateFile(file);
  }
  // SQLite creates side files with the mode of the database file.
  for (const one of [file, ...SIDE_FILES.map((suffix) => file + suffix)]) await makePrivate(one);
  return identityOf(file);
}

/** The identity of the file that a name leads to now. */
export async function identityOf(file: string): Promise<FileIdentity> {
  const { dev, ino } = await stat(file, { bigint: true });
  return { dev, ino };
}

export const isSameFile = (a: FileIdentity, b: FileIdentity): boolean => a.dev === b.dev && a.ino === b.ino;

/** A short text that is the same for every process with this file open, and differs for any other file. */
export function fingerprintOf({ dev, ino }: FileIdentity): string {
  return createHash("sha256").update(`sqlite ${dev} ${ino}`).digest("hex").slice(0, 16);
}

/** Flushes a file to the disk. Not for a file that SQLite has open in this process: closing it drops SQLite's locks. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** @throws {DatabaseError} with the code "missing" if there is no database in the file. */
export function needFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  // SQLite treats an empty file as a new database.
  if (found && (!found.isFile() || found.size > 0)) return;
  throw new DatabaseError("missing", `There is no database at ${file}.`);
}

/** A name that is free for a file and its side files: this one, or with a number appended. */
export function freeName(wanted: string): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    if (!["", ...SIDE_FILES].some((suffix) => existsSync(name + suffix))) return name;
  }
}

/** Creates an empty file that only its owner can read, unless it exists. */
export async function createPrivateFile(file: string): Promise<void> {
  try {
    // Never opens an existing file: closing it would drop SQLite's locks in this process.
    await (await open(file, "wx", 0o600)).close();
    await chmod(file, 0o600);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

async function makePrivate(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile() || (found.mode & 0o077) === 0) return;
  try {
    await chmod(file, 0o600);
  } catch (error) {
    const mode = (found.mode & 0o777).toString(8).padStart(4, "0");
    throw new Error(
      `${file} can be read by others (mode ${mode}), and this cannot be changed (${messageOf(error)}); its owner must run: chmod 600 ${file}`,
      { cause: error },
    );
  }
}

/** An SQLite file that no other connection has open. */
export interface LockedFile {
  readonly database: Database;
  /** Whether SQLite can read its first page. */
  readonly isReadable: boolean;
}

/**
 * Opens an SQLite file with an exclusive lock: no other connection, in any process, has it open, and one that opens it
 * now waits. The lock ends with the connection, and with the process.
 *
 * @returns undefined if the file is in use.
 */
export function lockAlone(file: string): LockedFile | undefined {
  const database = new Sqlite(file, { fileMustExist: true, timeout: 0 });
  try {
    // Keeps the lock after the transaction.
    database.pragma("locking_mode = exclusive");
    database.exec("begin exclusive; rollback");
    return { database, isReadable: true };
  } catch (error) {
    if (isDamage(error)) return { database, isReadable: false };
    database.close();
    if (codeOf(error).startsWith("SQLITE_BUSY")) return undefined;
    throw error;
  }
}

/** Whether any connection has an SQLite file open, even if it is idle. */
export function isInUse(file: string): boolean {
  try {
    const locked = lockAlone(file);
    locked?.database.close();
    return locked === undefined;
  } catch {
    // Opening the file reports any other error in more detail.
    return false;
  }
}
