import { createHash } from "node:crypto";
import { parseTimestamp } from "@media-ops/sdk";

// What tells an entry from all others, in few characters, and stays the same whatever is logged after it: when it was
// (microseconds since 1970, to the base 36), a hash of all that it holds, and which of those it is that are alike,
// counted from the oldest: new ones come before them.
const KEY = /^(-?[\da-z]*)\.([\w-]{8})\.([1-9]\d{0,5})$/;

/** Where in a listing something belongs. */
interface Place {
  at: number;
  /** Whether it is still there; else `at` is the place of the first that is older. */
  isThere: boolean;
}

/** The key of one of the entries. */
export function keyAt(entries: readonly unknown[], at: number): string {
  const entry = entries[at];
  const [timestamp, hash] = [timestampOf(entry), hashOf(entry)];
  const older = entries.slice(at + 1);
  // Few have the same time, and to compare times is much faster than to hash.
  const alike = older.filter((other) => timestampOf(other) === timestamp && hashOf(other) === hash).length + 1;
  return `${timeOf(entry)?.toString(36) ?? ""}.${hash}.${alike}`;
}

export const isKey = (text: string): boolean => KEY.test(text);

/** Where the entry with a key is. Of one that is gone, where it would be by its time; where that is not known, the beginning. */
export function placeOf(entries: readonly unknown[], key: string): Place {
  const [, digits = "", hash, alike] = KEY.exec(key) ?? [];
  const time = digits === "" ? undefined : Number.parseInt(digits, 36);
  let found = 0;
  let older = entries.length;
  for (let at = entries.length - 1; at >= 0; at--) {
    const other = timeOf(entries[at]);
    if (other === time && hashOf(entries[at]) === hash && ++found === Number(alike)) return { at, isThere: true };
    if (time === undefined || (other !== undefined && other < time)) older = at;
  }
  return { at: older, isThere: false };
}

function timestampOf(entry: unknown): string | undefined {
  if (typeof entry !== "object" || entry === null || !("timestamp" in entry)) return undefined;
  return typeof entry.timestamp === "string" ? entry.timestamp : undefined;
}

/** Microseconds since 1970; `undefined` where an entry says no time. */
function timeOf(entry: unknown): number | undefined {
  const time = parseTimestamp(timestampOf(entry) ?? "");
  return time && Number(time.epochMicroseconds);
}

// A page asks for the hashes of its entries, and of those logged at the same time, once for each of its controls.
const hashes = new WeakMap<object, string>();

function hashOf(entry: unknown): string {
  if (typeof entry !== "object" || entry === null) return hash(entry);
  const known = hashes.get(entry) ?? hash(entry);
  hashes.set(entry, known);
  return known;
}

const hash = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 8);
