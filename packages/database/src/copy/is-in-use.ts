import { lockAlone } from "../sqlite/lock-alone.js";

/** Whether anybody has an SQLite file open, also who only waits for something to do. */
export function isInUse(file: string): boolean {
  try {
    const locked = lockAlone(file);
    locked?.database.close();
    return locked === undefined;
  } catch {
    // Anything else is told of better by who opens it.
    return false;
  }
}
