import { Sqlite } from "../sqlite/load-sqlite.js";

/** Whether anybody has an SQLite file open, also who only waits for something to do. */
export function isInUse(file: string): boolean {
  const database = new Sqlite(file, { fileMustExist: true, timeout: 0 });
  try {
    // Only who is alone gets this lock; it goes with the connection.
    database.pragma("locking_mode = exclusive");
    database.exec("begin exclusive; rollback");
    return false;
  } catch (error) {
    // Anything else is told of better by who opens it.
    return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
  } finally {
    database.close();
  }
}
