/** What may go wrong with a database, whatever is asked of it. */
export type DatabaseErrorCode =
  /** The URL is none that we know. */
  | "url"
  /** The database could not be opened or created. */
  | "open"
  /** There is no database, and it was not to be created. */
  | "missing"
  /** Its tables could not be brought up to date. */
  | "migrate"
  /** It does not keep what was committed. */
  | "unsafe"
  /** A copy of it could not be made. */
  | "backup"
  /** A backup could not be put in its place. */
  | "restore"
  /** It is not copied into another database. */
  | "copy"
  /** It cannot be reached now, or has no room: the same question may go well a little later. */
  | "unavailable"
  /** Its file was moved, deleted, replaced or overwritten while it was used, or its server has another in its place. */
  | "moved"
  /** Its pages contradict each other: a backup must be restored. */
  | "damaged"
  /** It has been closed. */
  | "closed";

/** A database that cannot be used, and why. The message never holds the URL, which may hold a password. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly code: DatabaseErrorCode;

  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Whether a database cannot be used now: PostgreSQL is away, the disk is full, or the file was moved. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof DatabaseError && ["unavailable", "moved", "damaged"].includes(error.code);

/** Whether a database is of no use until an operator acts: its file was moved or replaced, or is damaged. */
export const isMovedOrDamaged = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && (error.code === "moved" || error.code === "damaged");

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whatever was thrown, as an error. */
export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** The code that SQLite, PostgreSQL or the system gave an error, such as ENOENT; empty if there is none. */
export const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");

/** Whether an error has one of these codes. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean => codes.includes(codeOf(error));
