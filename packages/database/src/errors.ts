/** Why a database request can fail. */
export type DatabaseErrorCode =
  | "url"
  | "open"
  | "missing"
  | "migrate"
  | "unsafe"
  | "backup"
  | "restore"
  | "copy"
  /** It is unreachable or full: the same request may succeed later. */
  | "unavailable"
  /** Its file was moved, deleted, replaced or overwritten during use, or its server now has another database. */
  | "moved"
  /** Its pages are inconsistent: a backup must be restored. */
  | "damaged"
  | "closed";

/** The error for a database that cannot be used. The message never holds the URL, which may hold a password. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly code: DatabaseErrorCode;

  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Whether a database cannot be used now: PostgreSQL is unreachable, the disk is full, or the file was moved. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof DatabaseError && ["unavailable", "moved", "damaged"].includes(error.code);

/** Whether a database needs an operator: its file was moved or replaced, or is damaged. */
export const isMovedOrDamaged = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && (error.code === "moved" || error.code === "damaged");

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Any thrown value, as an error. */
export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** The code of an error, such as ENOENT; empty if it has none. */
export const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");

/** Whether an error has one of these codes. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean => codes.includes(codeOf(error));
