/** What the first page of an SQLite file says of it, where no SQLite is needed to read it. */
export interface FileHeader {
  /** `application_id`: the random id that the database was given when it was made, and a backup when it was written. */
  readonly id: number;
  /** `user_version`: see `cleanStamp`. */
  readonly stamp: number;
  readonly pageSize: number;
  readonly pageCount: number;
  /** Grows with each connection that changes the first page. */
  readonly changes: number;
}

/** How many bytes of a file {@link readHeader} needs. */
export const HEADER_BYTES = 100;

const MAGIC = "SQLite format 3\0";
const STAMP_AT = 60;
const ID_AT = 68;

/** Reads the beginning of a database file, or of its first page in a log; undefined if it is not SQLite's. */
export function readHeader(bytes: Buffer): FileHeader | undefined {
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, MAGIC.length) !== MAGIC) return undefined;
  const pageSize = bytes.readUInt16BE(16);
  return {
    id: bytes.readInt32BE(ID_AT),
    stamp: bytes.readInt32BE(STAMP_AT),
    pageSize: pageSize === 1 ? 65_536 : pageSize,
    pageCount: bytes.readUInt32BE(28),
    changes: bytes.readUInt32BE(24),
  };
}

/** The bytes that make a copy another database than its original, each with its place in the file. */
export function newIdentity(id: number): { readonly at: number; readonly bytes: Buffer }[] {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(id);
  return [
    { at: ID_AT, bytes },
    { at: STAMP_AT, bytes: Buffer.alloc(4) },
  ];
}
