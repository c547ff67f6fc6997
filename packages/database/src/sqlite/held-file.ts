import { randomInt } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { type FileHeader, HEADER_BYTES, readHeader } from "./header.js";

/** A database file that this process has open, beside SQLite, to see what becomes of it. */
export interface HeldFile {
  readonly file: string;
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
}

/** What has happened to a file that is in use. */
export type Loss =
  /** Nothing has its name, but it has another one. */
  | "moved"
  /** Nothing has its name, and it has no other. */
  | "deleted"
  /** Another file has its name. */
  | "replaced"
  /** Another database was written into it. */
  | "overwritten"
  /** The log beside it was moved, deleted or replaced. */
  | "log";

const losses: Readonly<Record<Loss, (file: string) => string>> = {
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

/** What has happened to a file, and what to do. */
export const describeLoss = (file: string, loss: Loss): string =>
  `${losses[loss](file)} Until then nothing is written.`;

// By device and inode. Closing any descriptor of a file drops all locks that SQLite has on it in this process, so that
// a file is opened once, and closed after the last who uses it.
const held = new Map<string, { readonly fd: number; holders: number }>();

/** Opens a file that is there, before SQLite does, and gives what closes it again, for after SQLite has closed it. */
export function holdFile(file: string): HeldFile & { readonly isShared: boolean; release(): void } {
  const fd = openSync(file, "r");
  const { dev, ino } = fstatSync(fd);
  const key = `${dev} ${ino}`;
  const known = held.get(key);
  const entry = known ?? { fd, holders: 0 };
  entry.holders += 1;
  held.set(key, entry);
  let isReleased = false;
  return {
    file,
    fd: entry.fd,
    dev,
    ino,
    isShared: known !== undefined,
    release() {
      if (isReleased) return;
      isReleased = true;
      entry.holders -= 1;
      if (entry.holders > 0) return;
      held.delete(key);
      closeSync(entry.fd);
    },
  };
}

/** What the file's first page says now; undefined if it is not SQLite's. */
export function headerOf({ fd }: Pick<HeldFile, "fd">): FileHeader | undefined {
  const bytes = Buffer.alloc(HEADER_BYTES);
  return readHeader(bytes.subarray(0, readSync(fd, bytes, 0, HEADER_BYTES, 0)));
}

/** Whether the file has no name any more: it is gone when the last program closes it. */
export const isDeleted = ({ fd }: Pick<HeldFile, "fd">): boolean => fstatSync(fd).nlink === 0;

/** A random id for a database; 0 stands for none. */
export const newId = (): number => randomInt(1, 2 ** 31);

/** What marks a file as closed in good order where it lies: a copy of it, or one put in its place, has another mark. */
export const cleanStamp = ({ dev, ino }: Pick<HeldFile, "dev" | "ino">): number =>
  ((Math.imul(dev, 0x9e3779b1) ^ ino) & 0x7fff_ffff) | 1;

/** Watches that a file stays where it is while it is used. */
export class FilePlace {
  readonly #file: HeldFile;
  readonly #ids: ReadonlySet<number | undefined>;
  #log: number | undefined;

  get file(): string {
    return this.#file.file;
  }

  /** @param id The database's. */
  constructor(file: HeldFile, id: number) {
    this.#file = file;
    // What is on the disk may be older than what was committed.
    this.#ids = new Set([id, headerOf(file)?.id]);
  }

  /** What has happened to the file; undefined if all is well. Takes some microseconds. */
  look(): Loss | undefined {
    const { file, dev, ino } = this.#file;
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return isDeleted(this.#file) ? "deleted" : "moved";
    if (found.ino !== ino || found.dev !== dev) return "replaced";
    if (!this.#ids.has(headerOf(this.#file)?.id)) return "overwritten";
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.ino;
    this.#log ??= log;
    return log === this.#log ? undefined : "log";
  }
}
