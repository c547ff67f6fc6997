import type { TextColumn } from "./segments.js";

// Small enough for three pages of SQLite's and four of PostgreSQL's table to share one of the database.
const PAGE_BYTES = 1200;
const MAX_PAGE_BITS = 16;
const HASH_BYTES = 3;
// As many as a Buffer writes: nearly nine years.
const MAX_TIME_BYTES = 6;
// An id with more entries is only noted: reading its column costs less than so many entries one by one.
const MAX_ENTRIES = 64;
// Together with a hash in a page, the place of an entry in it fits into a number.
const PLACE_BITS = 28;

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
 * the time. An id with many entries has one time that no entry has: the highest. If the times are years apart, there are
 * no pages.
 *
 * @param pause Called between short pieces of work.
 */
export async function buildIdPages(
  columns: readonly IdColumn[],
  times: ArrayLike<number>,
  pause: () => Promise<void>,
): Promise<{ pages: IdPages; count: number }> {
  const first = times[0] ?? 0;
  const width = bytesFor((times[times.length - 1] ?? 0) - first + 1);
  if (width > MAX_TIME_BYTES) return { pages: new Map(), count: 0 };
  const many = 256 ** width - 1;
  const hashes = new Uint32Array(columns.length * times.length);
  const offsets = new Float64Array(hashes.length);
  let end = 0;
  for (const { name, column } of columns) {
    await pause();
    const { dictionary, codes } = column;
    const left = new Uint32Array(dictionary.length);
    for (let at = 0; at < codes.length; at++) left[codes[at] ?? 0] = (left[codes[at] ?? 0] ?? 0) + 1;
    const idHashes = new Uint32Array(dictionary.length);
    for (const [code, id] of dictionary.entries()) {
      if (id === null) {
        left[code] = 0;
        continue;
      }
      idHashes[code] = hashId(name, id);
      if ((left[code] ?? 0) <= MAX_ENTRIES) continue;
      left[code] = 0;
      hashes[end] = idHashes[code] ?? 0;
      offsets[end] = many;
      end += 1;
    }
    for (let at = 0; at < codes.length; at++) {
      const code = codes[at] ?? 0;
      if (left[code] === 0) continue;
      hashes[end] = idHashes[code] ?? 0;
      offsets[end] = (times[at] ?? 0) - first;
      end += 1;
    }
  }
  await pause();
  const bits = Math.min(MAX_PAGE_BITS, Math.ceil(Math.log2(Math.max(1, (end * (HASH_BYTES + width)) / PAGE_BYTES))));
  const { members, ends } = divideByPage(hashes.subarray(0, end), bits);
  const pages = new Map<number, Buffer>();
  for (let number = 0, start = 0; number < ends.length; number++) {
    const page = members.subarray(start, ends[number]);
    start = ends[number] ?? start;
    if (page.length > 0) pages.set(number, pageBytes(page, { hashes, offsets, bits, width }));
    await pause();
  }
  return { pages, count: ends.length };
}

/** The indexes of hashes, in the order of their pages, and where each page ends among them. */
function divideByPage(hashes: Uint32Array, bits: number): { members: Uint32Array; ends: Uint32Array } {
  const ends = new Uint32Array(2 ** bits);
  for (const hash of hashes) ends[pageOf(hash, bits)] = (ends[pageOf(hash, bits)] ?? 0) + 1;
  for (let page = 1; page < ends.length; page++) ends[page] = (ends[page] ?? 0) + (ends[page - 1] ?? 0);
  // Filled from the end of each page; afterwards, each has moved to its start.
  const starts = ends.slice();
  const members = new Uint32Array(hashes.length);
  for (let at = hashes.length - 1; at >= 0; at--) {
    const page = pageOf(hashes[at] ?? 0, bits);
    const place = (starts[page] ?? 0) - 1;
    starts[page] = place;
    members[place] = at;
  }
  return { members, ends };
}

interface PageSource {
  readonly hashes: Uint32Array;
  readonly offsets: Float64Array;
  readonly bits: number;
  readonly width: number;
}

function pageBytes(page: Uint32Array, { hashes, offsets, bits, width }: PageSource): Buffer {
  // Sorted as numbers, which need no callback: by hash, and those with equal ones in their present order.
  const sorted = new Float64Array(page.length);
  for (let at = 0; at < page.length; at++) {
    sorted[at] = inPage(hashes[page[at] ?? 0] ?? 0, bits) * 2 ** PLACE_BITS + at;
  }
  sorted.sort();
  const bytes = Buffer.allocUnsafe(1 + page.length * (HASH_BYTES + width));
  bytes[0] = width;
  let end = 1;
  for (const key of sorted) {
    end = bytes.writeUIntBE(Math.floor(key / 2 ** PLACE_BITS), end, HASH_BYTES);
    end = bytes.writeUIntBE(offsets[page[key % 2 ** PLACE_BITS] ?? 0] ?? 0, end, width);
  }
  return bytes;
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
