import { closeSync, openSync, readSync, statSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { DatabaseError } from "../errors.js";
import { type FileHeader, type HeldFileRef, headerOf, readHeader } from "./held-file.js";

// See https://sqlite.org/fileformat2.html#walformat.
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;

/** The committed part of a log. */
interface LogContent {
  readonly pageSize: number;
  /** The size of the database in pages after each commit. */
  readonly pageCounts: ReadonlySet<number>;
  /** Each version of the database's first page. */
  readonly firstPages: readonly FileHeader[];
}

/**
 * Refuses a log that another database left beside a file: SQLite would use it as the file's own, and corrupt the
 * database.
 *
 * @throws {DatabaseError} which says why it cannot be the file's, and the next step.
 */
export async function refuseForeignLog(held: HeldFileRef): Promise<void> {
  // Another process may write the log during the check: only a repeated result counts.
  let reason: string | undefined;
  for (let looks = 0; looks < 3; looks++) {
    const seen = foreignLogReason(held);
    if (seen === undefined) return;
    reason = seen;
    await setTimeout(20);
  }
  const { file } = held;
  throw new DatabaseError(
    "open",
    `${file}-wal is not the log of ${file}: ${reason}. SQLite would write it into the database and break it; nothing was changed. If ${file} was copied there from a backup, move ${file}-wal and ${file}-shm to another folder, and start again. If not, bring back the ${file} that belongs to the log.`,
  );
}

function foreignLogReason(held: HeldFileRef): string | undefined {
  const log = `${held.file}-wal`;
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= LOG_HEADER_BYTES) return undefined;
  const content = readLog(log, size);
  if (content === undefined || content.pageCounts.size === 0) return undefined;
  const header = headerOf(held);
  if (header === undefined) {
    // SQLite itself reports a file of another kind.
    const isEmpty = statSync(held.file, { throwIfNoEntry: false })?.size === 0;
    return isEmpty ? "the database is empty, but the log holds changes" : undefined;
  }
  return mismatch(header, content);
}

/** Why a log cannot belong to a file; undefined if it may. */
export function mismatch(file: FileHeader, log: LogContent): string | undefined {
  if (log.pageSize !== file.pageSize) {
    return `its pages have ${log.pageSize} bytes, those of the database ${file.pageSize}`;
  }
  const [first] = log.firstPages;
  const last = log.firstPages.at(-1);
  if (first === undefined || last === undefined) {
    // The first page holds the size: a log without that page leaves the size unchanged.
    if (log.pageCounts.has(file.pageCount)) return undefined;
    return `it is for a database of ${[...log.pageCounts].join(" or ")} pages, and this one has ${file.pageCount}`;
  }
  // A database may have no id in its file until the log has been written back once.
  if (file.id !== 0 && last.id !== file.id) {
    return `it belongs to the database with the id ${last.id}, and this one has the id ${file.id}`;
  }
  if (file.changes > last.changes) return "the database was changed by another program after the log was written";
  if (first.changes > file.changes + 1) return "the database is an older copy than the one that the log continues";
  return undefined;
}

/** Reads the log up to its last complete commit, as SQLite does; undefined if SQLite would ignore it. */
function readLog(log: string, size: number): LogContent | undefined {
  const fd = openSync(log, "r");
  try {
    const header = read(fd, LOG_HEADER_BYTES, 0);
    const isBigEndian = header.readUInt32BE(0) === MAGIC + 1;
    if (!isBigEndian && header.readUInt32BE(0) !== MAGIC) return undefined;
    const sum = new Checksum(isBigEndian);
    sum.add(header.subarray(0, 24));
    if (!sum.is(header.subarray(24, 32))) return undefined;
    const pageSize = header.readUInt32BE(8);
    const salts = header.subarray(16, 24);
    const pageCounts = new Set<number>();
    const firstPages: FileHeader[] = [];
    let uncommitted: FileHeader[] = [];
    const frameBytes = FRAME_HEADER_BYTES + pageSize;
    for (let at = LOG_HEADER_BYTES; at + frameBytes <= size; at += frameBytes) {
      const frame = read(fd, frameBytes, at);
      sum.add(frame.subarray(0, 8));
      sum.add(frame.subarray(FRAME_HEADER_BYTES));
      if (!frame.subarray(8, 16).equals(salts) || !sum.is(frame.subarray(16, 24))) break;
      const page = frame.readUInt32BE(0) === 1 && readHeader(frame.subarray(FRAME_HEADER_BYTES));
      if (page) uncommitted.push(page);
      const pageCount = frame.readUInt32BE(4);
      if (pageCount === 0) continue;
      pageCounts.add(pageCount);
      firstPages.push(...uncommitted);
      uncommitted = [];
    }
    return { pageSize, pageCounts, firstPages };
  } finally {
    closeSync(fd);
  }
}

function read(fd: number, length: number, at: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, at));
}

/** The running checksum of a log, by which SQLite detects the end of a torn one. */
class Checksum {
  readonly #isBigEndian: boolean;
  #a = 0;
  #b = 0;

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian;
  }

  add(bytes: Buffer): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + 8 <= view.byteLength; at += 8) {
      this.#a = (this.#a + view.getUint32(at, !this.#isBigEndian) + this.#b) >>> 0;
      this.#b = (this.#b + view.getUint32(at + 4, !this.#isBigEndian) + this.#a) >>> 0;
    }
  }

  is(bytes: Buffer): boolean {
    return bytes.length === 8 && bytes.readUInt32BE(0) === this.#a && bytes.readUInt32BE(4) === this.#b;
  }
}
