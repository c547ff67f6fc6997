import type { TextColumn } from "./segments.js";

// Small enough for three pages of SQLite's and four of PostgreSQL's table to share one of the database.
const PAGE_BYTES = 1200;
const MAX_PAGE_BITS = 16;
const HASH_BYTES = 3;
// An id with more entries is only noted: reading its column costs less than so many entries one by one.
const MAX_ENTRIES = 64;

/** A field whose values are found by the index. */
interface IdColumn {
  readonly name: string;
  readonly column: TextColumn;
}

/** The pages of an index by their number, which is the first bits of the hashes in it; empty ones are left out. */
export type IdPages = ReadonlyMap<number, Buffer>;

/**
 * Builds the index of a segment's ids: for each id, the times of its entries, as µs since the segment's first one.
 *
 * A page has the width of its times in one byte, and then, sorted, for each entry the next 24 bits of the id's hash and
 * the time. An id with many entries has one time that no entry has: the highest.
 *
 * @param pause Called between short pieces of work.
 */
export async function buildIdPages(
  columns: readonly IdColumn[],
  times: ArrayLike<number>,
  pause: () => Promise<void>,
): Promise<{ pages: IdPages; count: number }> {
  const first = times[0] ?? 0;
  const span = (times[times.length - 1] ?? 0) - first;
  const width = bytesFor(span + 1);
  const many = 256 ** width - 1;
  const hashes: number[] = [];
  const offsets: number[] = [];
  for (const { name, column } of columns) {
    await pause();
    const { dictionary, codes } = column;
    const entries = new Uint32Array(dictionary.length);
    for (const code of codes) entries[code] = (entries[code] ?? 0) + 1;
    const idHashes = dictionary.map((id) => (id === null ? 0 : hashId(name, id)));
    for (const [code, id] of dictionary.entries()) {
      if (id === null || (entries[code] ?? 0) <= MAX_ENTRIES) continue;
      hashes.push(idHashes[code] ?? 0);
      offsets.push(many);
    }
    for (const [at, code] of codes.entries()) {
      if (dictionary[code] === null || (entries[code] ?? 0) > MAX_ENTRIES) continue;
      hashes.push(idHashes[code] ?? 0);
      offsets.push((times[at] ?? 0) - first);
    }
  }
  const bits = Math.min(
    MAX_PAGE_BITS,
    Math.ceil(Math.log2(Math.max(1, (hashes.length * (HASH_BYTES + width)) / PAGE_BYTES))),
  );
  const members = new Map<number, number[]>();
  for (const [at, hash] of hashes.entries()) {
    const number = pageOf(hash, bits);
    const page = members.get(number);
    if (page) page.push(at);
    else members.set(number, [at]);
  }
  await pause();
  const pages = new Map<number, Buffer>();
  for (const [number, page] of members) {
    page.sort((a, b) => (hashes[a] ?? 0) - (hashes[b] ?? 0) || (offsets[a] ?? 0) - (offsets[b] ?? 0));
    const bytes = Buffer.allocUnsafe(1 + page.length * (HASH_BYTES + width));
    bytes[0] = width;
    let end = 1;
    for (const at of page) {
      end = bytes.writeUIntBE(inPage(hashes[at] ?? 0, bits), end, HASH_BYTES);
      end = bytes.writeUIntBE(offsets[at] ?? 0, end, width);
    }
    pages.set(number, bytes);
    await pause();
  }
  return { pages, count: 2 ** bits };
}

/** The number of the page that has an id, in an index with so many pages. */
export const pageOfId = (field: string, id: string, pages: number): number =>
  pageOf(hashId(field, id), Math.log2(pages));

/**
 * The times of entries that may have an id, in µs since the segment's first entry, as a page has them; undefined if
 * there are many.
 */
export function timesInPage(page: Uint8Array, field: string, id: string, pages: number): number[] | undefined {
  const bytes = Buffer.from(page.buffer, page.byteOffset, page.byteLength);
  const width = bytes.readUInt8(0);
  const record = HASH_BYTES + width;
  const hash = inPage(hashId(field, id), Math.log2(pages));
  let [low, high] = [0, (bytes.length - 1) / record];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bytes.readUIntBE(1 + middle * record, HASH_BYTES) < hash) low = middle + 1;
    else high = middle;
  }
  const times: number[] = [];
  for (let at = 1 + low * record; at < bytes.length; at += record) {
    if (bytes.readUIntBE(at, HASH_BYTES) !== hash) break;
    const time = bytes.readUIntBE(at + HASH_BYTES, width);
    if (time === 256 ** width - 1) return undefined;
    times.push(time);
  }
  return times;
}

const pageOf = (hash: number, bits: number): number => (bits === 0 ? 0 : hash >>> (32 - bits));
const inPage = (hash: number, bits: number): number => (hash << bits) >>> 8;

function bytesFor(highest: number): number {
  let width = 1;
  while (highest >= 256 ** width) width += 1;
  return width;
}

/** A hash of 32 bits: FNV-1a, mixed so that the first bits of similar ids differ too. */
function hashId(field: string, id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < field.length; at++) hash = Math.imul(hash ^ field.charCodeAt(at), 0x01000193);
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
