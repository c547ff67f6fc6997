/** Why a database is not copied. */
export type CopyErrorCode =
  /** What is to be copied is not there, or is no SQLite file. */
  | "source"
  /** Where it is to be copied to is not PostgreSQL. */
  | "target"
  /** Somebody has the source open, and might write to it. */
  | "in-use"
  /** The target holds rows that no copy has brought there. */
  | "not-empty"
  /** The target was begun as a copy of another database. */
  | "another-source";

/** A database that is not copied: the message says why and what to do, and holds no URL. */
export class CopyError extends Error {
  override readonly name = "CopyError";
  readonly code: CopyErrorCode;

  constructor(code: CopyErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
