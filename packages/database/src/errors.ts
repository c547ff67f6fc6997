/** What may go wrong with a database before anything is asked of it. */
export type DatabaseErrorCode =
  /** The URL is none that we know. */
  | "url"
  /** The database could not be opened or created. */
  | "open"
  /** Its tables could not be brought up to date. */
  | "migrate"
  /** A copy of it could not be made. */
  | "backup"
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

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
