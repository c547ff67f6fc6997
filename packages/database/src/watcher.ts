import type { DatabaseError } from "./errors.js";

/** Is notified of what happens to a database while a program runs on it. */
export interface DatabaseWatcher {
  /** Something was noticed or done that operators want to know. */
  note(text: string): void;
  /** Nothing can be written from now on, and why; or, without an error, it can be again. */
  changed(error: DatabaseError | undefined): void;
  /** The database is well, but this program can use it only after it was started again. */
  restart(reason: DatabaseError): void;
}
