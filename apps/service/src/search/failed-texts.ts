import { inflateRawSync } from "node:zlib";
import type { EntryRow } from "./segments.js";

// The rows' times, seqs and lengths as JSON in the first line; then their texts, one after another.
const LINE_END = "\n";

/** The bytes of the entries of a segment that failed, to be compressed. */
export function failedBytes(rows: readonly EntryRow[]): Buffer {
  const places = JSON.stringify(rows.map(({ at, seq, entry }) => [at, seq, entry.length]));
  return Buffer.from(places + LINE_END + rows.map(({ entry }) => entry).join(""));
}

/** Reads the entries of a segment that failed, which were compressed with raw deflate. */
export function readFailed(compressed: Uint8Array): EntryRow[] {
  const text = inflateRawSync(compressed).toString();
  let start = text.indexOf(LINE_END);
  const places: [at: string, seq: number, length: number][] = JSON.parse(text.slice(0, start));
  start += LINE_END.length;
  return places.map(([at, seq, length]) => {
    const entry = text.slice(start, start + length);
    start += length;
    return { at, seq, entry };
  });
}
