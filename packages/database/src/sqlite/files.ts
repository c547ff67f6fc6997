import { createHash, randomInt } from "node:crypto";
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { chmod, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Database } from "better-sqlite3";
import { codeOf, DatabaseError, hasCode, messageOf } from "../errors.js";
import { isDamage } from "./faults.js";
import { Sqlite } from "./load-sqlite.js";

/** The suffixes of SQLite's side files. */
export const SIDE_FILES = ["-wal", "-shm", "-journal"] as const;

/** Makes a database file and its side files readable only by their owner; a missing one is created, or refused. */
export async function preparePrivateFile(file: string, mustExist: boolean): Promise<void> {
  if (mustExist) needFile(file);
  else {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await createPrivateFile(file);
  }
  // SQLite creates side files with the mode of the database file.
  for (const one of [file, ...SIDE_FILES.map((suffix) => file + suffix)]) await makePrivate(one);
}

/** Whether a name leads to this file now. */
export function isAt(file: string, { dev, ino }: Pick<HeldFileRef, "dev" | "ino">): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.dev === dev && found.ino === ino;
}

/** A short text that is the same for every process with this file open, and differs for any other file. */
export function fingerprintOf({ dev, ino }: Pick<HeldFileRef, "dev" | "ino">): string {
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

/** Opens an SQLite file, locked until it is closed; undefined if any other connection has it open. */
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
    const copy = new Sqlite(unfinished, { fileMustExist: true });
    try {
      // So that the original's log is not used for the copy, which was not closed cleanly in its place either.
      copy.pragma(`application_id = ${newId()}`);
      copy.pragma("user_version = 0");
    } finally {
      copy.close();
    }
    await syncFile(unfinished);
    await rename(unfinished, file);
    await syncFile(dirname(file));
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    const message = `The backup to ${file} failed: ${messageOf(error)}. Is there room, and may its folder be written?`;
    throw new DatabaseError("backup", message, { cause: error });
  }
}

/** A database file that this process holds open in addition to SQLite, to detect changes to it. */
export interface HeldFileRef {
  readonly file: string;
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
}

/** A file that is held until it is released. */
export interface HeldFile extends HeldFileRef {
  readonly isShared: boolean;
  /** Closes the file; called after SQLite has closed it. */
  release(): void;
}

// By device and inode. Closing any descriptor of a file drops all locks that SQLite has on it in this process: a file
// is opened once, and closed after its last use.
const held = new Map<string, { readonly fd: number; holders: number }>();

/** Opens an existing file; called before SQLite opens it. */
export function holdFile(file: string): HeldFile {
  const fd = openSync(file, "r");
  const { dev, ino } = fstatSync(fd);
  const key = `${dev} ${ino}`;
  const known = held.get(key);
  const entry = known ?? { fd, holders: 0 };
  entry.holders += 1;
  held.set(key, entry);
  return {
    file,
    fd: entry.fd,
    dev,
    ino,
    isShared: known !== undefined,
    release() {
      entry.holders -= 1;
      if (entry.holders > 0) return;
      held.delete(key);
      closeSync(entry.fd);
    },
  };
}

/** A random `application_id`, by which a database is told from its copies; 0 stands for none. */
export const newId = (): number => randomInt(1, 2 ** 31);

const MAGIC = "SQLite format 3\0";
const ID_AT = 68;

/** The `application_id` that the file itself has on the disk, without its log; undefined if it is not SQLite's. */
export function idInFile({ fd }: HeldFileRef): number | undefined {
  const bytes = Buffer.alloc(ID_AT + 4);
  const isWhole = readSync(fd, bytes, 0, bytes.length, 0) === bytes.length;
  return isWhole && bytes.toString("latin1", 0, MAGIC.length) === MAGIC ? bytes.readInt32BE(ID_AT) : undefined;
}

/** Whether the file has no name left: it is removed when the last program closes it. */
export const isDeleted = ({ fd }: HeldFileRef): boolean => fstatSync(fd).nlink === 0;

/** The `user_version` of a file that was cleanly closed in its place; a copy has another one. */
export const cleanStamp = ({ dev, ino }: HeldFileRef): number => ((Math.imul(dev, 0x9e3779b1) ^ ino) & 0x7fff_ffff) | 1;

/** A change to a file that is in use. */
export type FileLoss =
  /** Its name is free, and it has another name. */
  | "moved"
  /** Its name is free, and it has no other. */
  | "deleted"
  | "replaced"
  | "overwritten"
  | "log";

/** Returns a function that finds the change to a file in use, in some microseconds; `id` is its database's. */
export function watchFile(held: HeldFileRef, id: number): () => FileLoss | undefined {
  const { file, dev, ino } = held;
  // The file on the disk may be older than the last commit.
  const ids: readonly (number | undefined)[] = [id, idInFile(held)];
  let known: number | undefined;
  return () => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return isDeleted(held) ? "deleted" : "moved";
    if (found.ino !== ino || found.dev !== dev) return "replaced";
    if (!ids.includes(idInFile(held))) return "overwritten";
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.ino;
    known ??= log;
    return log === known ? undefined : "log";
  };
}

const losses: Readonly<Record<FileLoss, (file: string) => string>> = {
  moved: (file) =>
    `The database ${file} was moved while it was in use. Move it back to ${file}: the program then goes on by itself. Or restore a backup and restart the program.`,
  deleted: (file) =>
    `The database ${file} was deleted while it was in use. What it held is saved as long as the program runs: leave it running until it says where.`,
  replaced: (file) =>
    `Another file was put in the place of the database ${file} while it was in use. Restart the program to use that file, or move the old one back. To restore a backup, stop the program first and use its restore command.`,
  overwritten: (file) =>
    `Another database was written into ${file} while it was in use. Stop the program, restore a backup with its restore command, and start the program again.`,
  log: (file) =>
    `The log ${file}-wal was moved, deleted or replaced while it was in use. Restart the program: what it held is written into ${file} first.`,
};

/** Describes a change to a file, and the next step. */
export const describeLoss = ({ file }: HeldFileRef, loss: FileLoss): string =>
  `${losses[loss](file)} Until then nothing is written.`;

// An empty log has only this.
const LOG_HEADER_BYTES = 32;

/** Refuses a log that another database left beside a file: SQLite would corrupt the file with it. */
export function refuseForeignLog(held: HeldFileRef): void {
  const { file } = held;
  const logBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (logBytes <= LOG_HEADER_BYTES) return;
  const reason = fstatSync(held.fd).size === 0 ? "the database is empty, but the log holds changes" : otherId(held);
  if (reason === undefined) return;
  throw new DatabaseError(
    "open",
    `${file}-wal is not the log of ${file}: ${reason}. SQLite would write it into the database and break it; nothing was changed. If ${file} was copied there from a backup, move ${file}-wal and ${file}-shm to another folder, and start again. If not, bring back the ${file} that belongs to the log.`,
  );
}

function otherId(held: HeldFileRef): string | undefined {
  const id = idInFile(held);
  // A database may have no id in its file until the log has been written back once.
  if (id === undefined || id === 0) return undefined;
  // A connection that only reads sees the first page as in the log, but never writes the log into the file.
  const reader = new Sqlite(held.file, { readonly: true, fileMustExist: true });
  try {
    const seen = reader.pragma("application_id", { simple: true });
    return seen === id ? undefined : `it belongs to the database with the id ${seen}, and this one has the id ${id}`;
  } finally {
    reader.close();
  }
}
