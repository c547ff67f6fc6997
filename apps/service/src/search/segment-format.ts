import { promisify } from "node:util";
import { deflateRaw, inflateRawSync } from "node:zlib";
import type { Column, EntryRow, NumberColumn, TextColumn } from "./columns.js";

/** The numbers of a segment's parts: those of columns follow `firstField`, the pages of the index of ids `firstPage`. */
export const PART = { seqs: 0, rollup: 1, firstField: 2, failed: 31, firstPage: 32 } as const;

// The layout of a column, before it is compressed:
//   0  form: one of the below
//   1  width: how many bytes each integer has
//   2  1 if an entry lacks the field
//   4  how many integers there are (uint32)
//   8  the integer that is stored as the lowest, or the first one; for texts, the length of the dictionary (float64)
//  16  the highest integer (float64)
//  24  for texts, the dictionary as lines of JSON, each an array of some texts; then the integers, plane by plane
const FORM = { fromLowest: 0, differences: 1, floats: 2, texts: 3 } as const;
const HEADER = 24;
// Parsed in a fraction of a millisecond.
const TEXTS_PER_LINE = 1024;
const LINE_END = "\n";
// As many bytes as numbers can have without losing digits in the arithmetic.
const MAX_WIDTH = 6;

const deflate = promisify(deflateRaw);
// A third of the time of the default, for a tenth more bytes.
const LEVEL = 1;
const STREAM_BYTES = 2 ** 18;

/** Compresses a part of a segment into streams of raw deflate, one after another. */
export async function compress(bytes: Uint8Array): Promise<Buffer> {
  const streams: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += STREAM_BYTES) {
    streams.push(await deflate(bytes.subarray(from, from + STREAM_BYTES), { level: LEVEL }));
  }
  return Buffer.concat(streams);
}

async function inflate(compressed: Uint8Array, pause: () => Promise<void>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let from = 0; from < compressed.length; ) {
    await pause();
    // Node's pool would do it with a higher priority than the listings of other projects.
    const stream: unknown = inflateRawSync(compressed.subarray(from), { info: true });
    const { buffer, engine } = stream as { buffer: Buffer; engine: { bytesWritten: number } };
    pieces.push(buffer);
    from += engine.bytesWritten;
  }
  return Buffer.concat(pieces);
}

/** The bytes of a column, to be compressed: similar bytes stand together. */
export const columnBytes = (column: Column): Buffer =>
  column.type === "text" ? textBytes(column) : numberBytes(column);

/** Reads a compressed column. `pause` is called between short pieces of work. */
export async function readColumn(compressed: Uint8Array, pause: () => Promise<void>): Promise<Column> {
  const bytes = await inflate(compressed, pause);
  const count = bytes.readUInt32LE(4);
  if (bytes[0] === FORM.texts) {
    const codesAt = HEADER + bytes.readDoubleLE(8);
    const dictionary: (string | null)[] = [];
    for (let from = HEADER; from < codesAt; ) {
      await pause();
      const end = bytes.indexOf(LINE_END, from);
      const until = end === -1 ? codesAt : Math.min(end, codesAt);
      for (const text of JSON.parse(bytes.toString("utf8", from, until))) dictionary.push(text);
      from = until + LINE_END.length;
    }
    await pause();
    const codes = emptyIntegers(dictionary.length, count);
    addPlanes(codes, bytes.subarray(codesAt), bytes.readUInt8(1));
    return { type: "text", dictionary, codes };
  }
  return { type: "number", values: readNumbers(bytes, count) };
}

/** A segment's failed entries, to be compressed: a line of JSON with times, seqs and lengths, then all texts. */
export function failedBytes(rows: readonly EntryRow[]): Buffer {
  const places = JSON.stringify(rows.map(({ at, seq, entry }) => [at, seq, entry.length]));
  return Buffer.from(places + LINE_END + rows.map(({ entry }) => entry).join(""));
}

/** Reads the compressed entries of a segment that failed. */
export async function readFailed(compressed: Uint8Array, pause: () => Promise<void>): Promise<EntryRow[]> {
  const text = (await inflate(compressed, pause)).toString();
  let start = text.indexOf(LINE_END);
  const places: [at: string, seq: number, length: number][] = JSON.parse(text.slice(0, start));
  start += LINE_END.length;
  return places.map(([at, seq, length]) => {
    const entry = text.slice(start, start + length);
    start += length;
    return { at, seq, entry };
  });
}

function textBytes({ dictionary, codes }: TextColumn): Buffer {
  const lines: string[] = [];
  for (let from = 0; from < dictionary.length; from += TEXTS_PER_LINE) {
    lines.push(JSON.stringify(dictionary.slice(from, from + TEXTS_PER_LINE)));
  }
  const json = Buffer.from(lines.join(LINE_END));
  const width = widthOf(dictionary.length);
  const head = header(FORM.texts, { width, count: codes.length, low: json.length });
  return Buffer.concat([head, json, planesOf(codes, width)]);
}

function numberBytes({ values }: NumberColumn): Buffer {
  const count = values.length;
  const { low, high, hasAbsent, areIntegers, differences } = measure(values);
  const range = high - low + 1;
  if (!areIntegers || Math.min(range, differences) >= 256 ** MAX_WIDTH) {
    const floats = Float64Array.from(values);
    return Buffer.concat([header(FORM.floats, { width: 8, count, hasAbsent }), Buffer.from(floats.buffer)]);
  }
  if (!hasAbsent && widthOf(differences) < widthOf(range)) {
    const width = widthOf(differences);
    const first = values[0] ?? 0;
    const steps = new Float64Array(count);
    for (let at = 1; at < count; at++) {
      const step = (values[at] ?? 0) - (values[at - 1] ?? 0);
      steps[at] = step < 0 ? -2 * step - 1 : 2 * step;
    }
    return Buffer.concat([header(FORM.differences, { width, count, low: first, high }), planesOf(steps, width)]);
  }
  // Zero stands for an entry without the field.
  const width = widthOf(range);
  const offsets = new Float64Array(count);
  for (let at = 0; at < count; at++) offsets[at] = (values[at] ?? Number.NaN) - low + 1 || 0;
  return Buffer.concat([header(FORM.fromLowest, { width, count, low, high, hasAbsent }), planesOf(offsets, width)]);
}

/** Measures numbers, to decide how they are stored. `differences` is the largest one that would be stored. */
function measure(values: NumberColumn["values"]) {
  let [low, high, differences] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  let [hasAbsent, areIntegers] = [false, true];
  let last = values[0] ?? 0;
  for (const value of values) {
    if (Number.isNaN(value)) {
      hasAbsent = true;
      continue;
    }
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) areIntegers = false;
    if (value < low) low = value;
    if (value > high) high = value;
    differences = Math.max(differences, Math.abs(value - last) * 2);
    last = value;
  }
  const bounds = low > high ? { low: 0, high: 0 } : { low, high };
  return { ...bounds, hasAbsent, areIntegers, differences };
}

function readNumbers(bytes: Buffer, count: number): NumberColumn["values"] {
  const [form, width, hasAbsent] = [bytes[0], bytes.readUInt8(1), bytes[2] === 1];
  const [low, high] = [bytes.readDoubleLE(8), bytes.readDoubleLE(16)];
  const body = bytes.subarray(HEADER);
  if (form === FORM.floats) return new Float64Array(Uint8Array.from(body).buffer);
  if (form === FORM.differences) return addDifferences(count, body, { width, first: low });
  // Negative numbers and absent ones need floats.
  if (hasAbsent || low < 0 || high > 0xffff_ffff) {
    const values = new Float64Array(count);
    addPlanes(values, body, width);
    for (let at = 0; at < count; at++) values[at] = values[at] === 0 ? Number.NaN : (values[at] ?? 0) + low - 1;
    return values;
  }
  // Unsigned arrays wrap around, so the order of these additions doesn't matter.
  const values = emptyIntegers(high, count).fill(low - 1);
  addPlanes(values, body, width);
  return values;
}

/** Adds up differences; odd ones are negative. */
function addDifferences(
  count: number,
  body: Uint8Array,
  { width, first }: { width: number; first: number },
): Float64Array {
  const isNarrow = width <= Uint32Array.BYTES_PER_ELEMENT;
  const steps = isNarrow ? new Uint32Array(count) : new Float64Array(count);
  addPlanes(steps, body, width);
  const values = new Float64Array(count);
  let value = first;
  for (let at = 0; at < count; at++) {
    const step = steps[at] ?? 0;
    // Arithmetic with 32 bits takes a tenth of the time.
    if (isNarrow) value += step & 1 ? ~(step >>> 1) : step >>> 1;
    else value += step % 2 === 1 ? -(step + 1) / 2 : step / 2;
    values[at] = value;
  }
  return values;
}

function emptyIntegers(high: number, count: number): TextColumn["codes"] {
  if (high <= 0xff) return new Uint8Array(count);
  return high <= 0xffff ? new Uint16Array(count) : new Uint32Array(count);
}

function widthOf(high: number): number {
  let width = 1;
  while (high >= 256 ** width) width += 1;
  return width;
}

/** The lowest byte of each integer, then the next byte of each, and so on: bytes that are alike stand together. */
function planesOf(integers: ArrayLike<number>, width: number): Buffer {
  const count = integers.length;
  const planes = Buffer.allocUnsafe(width * count);
  for (let at = 0; at < count; at++) {
    const integer = integers[at] ?? 0;
    let rest = integer >>> 0;
    for (let plane = 0; plane < width; plane++) {
      if (plane === 4) rest = Math.floor(integer / 2 ** 32);
      planes[plane * count + at] = rest & 0xff;
      rest >>>= 8;
    }
  }
  return planes;
}

function addPlanes(to: NumberColumn["values"], planes: Uint8Array, width: number): void {
  const count = to.length;
  if (to instanceof Uint32Array) {
    // Further planes would wrap around to nothing.
    for (let plane = 0; plane < Math.min(width, Uint32Array.BYTES_PER_ELEMENT); plane++) {
      const from = plane * count;
      const shift = 8 * plane;
      for (let at = 0; at < count; at++) to[at] = (to[at] ?? 0) + ((planes[from + at] ?? 0) << shift);
    }
    return;
  }
  for (let plane = 0; plane < width; plane++) {
    const factor = 256 ** plane;
    const from = plane * count;
    for (let at = 0; at < count; at++) to[at] = (to[at] ?? 0) + (planes[from + at] ?? 0) * factor;
  }
}

interface Header {
  readonly width: number;
  readonly count: number;
  readonly low?: number;
  readonly high?: number;
  readonly hasAbsent?: boolean;
}

function header(form: number, { width, count, low = 0, high = 0, hasAbsent = false }: Header): Buffer {
  const bytes = Buffer.alloc(HEADER);
  bytes.set([form, width, hasAbsent ? 1 : 0]);
  bytes.writeUInt32LE(count, 4);
  bytes.writeDoubleLE(low, 8);
  bytes.writeDoubleLE(high, 16);
  return bytes;
}

// The index of ids.

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

/**
 * Builds the index of a segment's ids: for each id, the times of its entries, as µs since the segment's first one.
 *
 * A page has the width of its times in one byte, and then, sorted, for each entry the next 24 bits of the id's hash and
 * the time. An id with many entries has one time that no entry has: the highest. If the times are years apart, there are
 * no pages.
 */
export async function buildIdPages(
  columns: readonly { readonly name: string; readonly column: TextColumn }[],
  times: ArrayLike<number>,
  pause: () => Promise<void>,
): Promise<{ pages: ReadonlyMap<number, Buffer>; count: number }> {
  const first = times[0] ?? 0;
  const width = widthOf((times[times.length - 1] ?? 0) - first + 1);
  if (width > MAX_TIME_BYTES) return { pages: new Map(), count: 0 };
  const many = 256 ** width - 1;
  const hashes = new Uint32Array(columns.length * times.length);
  const offsets = new Float64Array(hashes.length);
  let end = 0;
  for (const { name, column } of columns) {
    await pause();
    const { dictionary, codes } = column;
    const left = new Uint32Array(dictionary.length);
    for (const code of codes) left[code] = (left[code] ?? 0) + 1;
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
  // By number, which is the first bits of the hashes in it; empty ones are left out.
  const pages = new Map<number, Buffer>();
  for (const [number, end] of ends.entries()) {
    const page = members.subarray(ends[number - 1] ?? 0, end);
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

function pageBytes(
  page: Uint32Array,
  { hashes, offsets, bits, width }: { hashes: Uint32Array; offsets: Float64Array; bits: number; width: number },
): Buffer {
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

/** The times of entries that may have an id, in µs since the segment's first one; undefined if there are many. */
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

/** A hash of 32 bits: FNV-1a, mixed so that the first bits of similar ids differ too. */
function hashId(field: string, id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < field.length; at++) hash = Math.imul(hash ^ field.charCodeAt(at), 0x01000193);
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
