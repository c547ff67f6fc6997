import type { Database } from "better-sqlite3";
import { codeOf } from "../errors.js";
import { isDamage } from "./faults.js";
import { Sqlite } from "./load-sqlite.js";

/** An SQLite file that nobody else has open. */
export interface LockedFile {
  readonly database: Database;
  /** Whether SQLite can read its first page. */
  readonly isReadable: boolean;
}

/**
 * Opens an SQLite file with a lock that only a sole user gets: nobody else has it open, in this process or another, and
 * whoever opens it now waits. The lock ends with the connection, and with the process.
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
    if (isBusy(error)) return undefined;
    throw error;
  }
}

const isBusy = (error: unknown): boolean => codeOf(error).startsWith("SQLITE_BUSY");
