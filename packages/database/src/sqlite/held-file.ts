import { randomInt } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

/** A database file that this process holds open in addition to SQLite, to detect changes to it. */
export interface HeldFileRef {
  readonly file: string;
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
}

/** A file that is held until it is released. */
export interface HeldFile extends HeldFileRef {
  /** Whether another connection of this process already had it open. */
  readonly isShared: boolean;
  /** Closes the file; called after SQLite has closed it. */
  release(): void;
}

/** A change to a file that is in use. */
export type FileLoss =
  /** Its name is free, and it has another name. */
  | "moved"
  /** Its name is free, and it has no other. */
  | "deleted"
  /** Another file has its name. */
  | "replaced"
  /** Another database was written into it. */
  | "overwritten"
  /** The log beside it was moved, deleted or replaced. */
  | "log";

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

/** The current header of the file; undefined if it is not SQLite's. */
export function headerOf({ fd }: HeldFileRef): FileHeader | undefined {
  const bytes = Buffer.alloc(HEADER_BYTES);
  return readHeader(bytes.subarray(0, readSync(fd, bytes, 0, HEADER_BYTES, 0)));
}

/** Whether the file has no name left: it is removed when the last program closes it. */
export const isDeleted = ({ fd }: HeldFileRef): boolean => fstatSync(fd).nlink === 0;

/** A random id for a database; 0 stands for none. */
export const newId = (): number => randomInt(1, 2 ** 31);

/**
 * The `user_version` that marks a file as cleanly closed in its place: a copy of it, or a file that replaces it, has
 * another mark.
 */
export const cleanStamp = ({ dev, ino }: HeldFileRef): number => ((Math.imul(dev, 0x9e3779b1) ^ ino) & 0x7fff_ffff) | 1;

/** Watches that a file stays in its place during use. */
export class HeldFileWatch {
  readonly #held: HeldFileRef;
  readonly #ids: ReadonlySet<number | undefined>;
  #log: number | undefined;

  /** @param id The id of the database. */
  constructor(held: HeldFileRef, id: number) {
    this.#held = held;
    // The file on the disk may be older than the last commit.
    this.#ids = new Set([id, headerOf(held)?.id]);
  }

  /** The change to the file; undefined if there is none. Takes some microseconds. */
  look(): FileLoss | undefined {
    const { file, dev, ino } = this.#held;
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return isDeleted(this.#held) ? "deleted" : "moved";
    if (found.ino !== ino || found.dev !== dev) return "replaced";
    if (!this.#ids.has(headerOf(this.#held)?.id)) return "overwritten";
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.ino;
    this.#log ??= log;
    return log === this.#log ? undefined : "log";
  }
}

/** The header of an SQLite file, read without SQLite. */
export interface FileHeader {
  /** `application_id`: a random id, assigned when a database is created and when a backup is written. */
  readonly id: number;
  readonly pageSize: number;
  readonly pageCount: number;
  /** Grows with each connection that changes the first page. */
  readonly changes: number;
}

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";

/** Reads the beginning of a database file, or of its first page in a log; undefined if it is not SQLite's. */
export function readHeader(bytes: Buffer): FileHeader | undefined {
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, MAGIC.length) !== MAGIC) return undefined;
  const pageSize = bytes.readUInt16BE(16);
  return {
    id: bytes.readInt32BE(68),
    pageSize: pageSize === 1 ? 65_536 : pageSize,
    pageCount: bytes.readUInt32BE(28),
    changes: bytes.readUInt32BE(24),
  };
}
