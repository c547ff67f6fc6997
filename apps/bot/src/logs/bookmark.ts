import { createHash } from "node:crypto";
import { logKinds } from "@media-ops/contract";
import { parseTimestamp } from "@media-ops/sdk";
import type { Button } from "@slack/types";
import type { CommandNamed } from "../language.js";
import { controls, type Saved, savedAs } from "../saved-command.js";
import { button } from "../slack/blocks.js";

/** A page of a listing that can be found again at any time. */
export type Bookmark = Saved<CommandNamed<"logs">> & Place;

interface Place {
  readonly spot: Spot;
  /** The key of the newest entry, if the listing is limited to the newest N. */
  readonly first?: string | undefined;
}

/** The bookmarks in controls: "last 2 hours" moves with the time on the newest page only, so that no page shifts. */
export const bookmarks = savedAs<CommandNamed<"logs">, Place>({
  name: "logs",
  words: 2,
  write: ({ spot, first = "-" }) => `${writeSpot(spot)} ${first}`,
  read(words) {
    const [word = "", first = ""] = words.split(" ");
    const spot = readSpot(word);
    if (!spot || (first !== "-" && !isKey(first))) return undefined;
    return { spot, first: first === "-" ? undefined : first };
  },
  endOf: ({ spot }, now) => (spot.is === "newest" ? now : undefined),
});

/** The action of a menu or a button that opens the window of an entry. */
export const DETAILS = "log-details";

/** A button back to the answer that led to this one; none if there was no such answer. */
export function backButton(back: string | undefined, now: number): Button | undefined {
  if (back === undefined) return undefined;
  const [, page, value = ""] = /^@(\S+) (.+)$/s.exec(back) ?? [];
  const to = [controls.trace, controls.why, controls.live].find((known) => known.page === page);
  if (to) return button({ label: `Back to ${to.back}`, action: `${to.page}:back`, value });
  const bookmark = bookmarks.read(back, now);
  return bookmark && bookmarks.page(`Back to ${logKinds[bookmark.command.kind].many}`, "back", bookmark);
}

/** The maximum number of entries on a page. */
export const ROWS = 20;

/** The page of a listing. It refers to entries, not to page numbers, which change with each new entry. */
export type Spot =
  | { readonly is: "newest" }
  /** The page that starts after an entry. */
  | { readonly is: "older"; readonly key: string }
  /** The page that ends before an entry. */
  | { readonly is: "newer"; readonly key: string }
  /** A page of `count` entries that contains an entry after `before` others. */
  | { readonly is: "around"; readonly key: string; readonly before: number; readonly count: number };

export const NEWEST: Spot = { is: "newest" };

/** A part of a listing. */
export interface Page {
  /** How many entries of the listing precede it. */
  readonly start: number;
  readonly end: number;
  /** Whether the requested page no longer exists, and this is the nearest. */
  readonly isOther: boolean;
}

/** The requested page, of which the first entries `fit`; all pages together contain each entry once. */
export function pageOf(entries: readonly unknown[], spot: Spot, fits: (entries: readonly unknown[]) => number): Page {
  const from = (start: number, most = ROWS): Page => {
    const end = Math.min(start + most, entries.length);
    return { start, end: start + fits(entries.slice(start, end)), isOther: false };
  };
  const upTo = (end: number): Page => {
    let start = Math.max(end - ROWS, 0);
    while (start < end - 1 && fits(entries.slice(start, end)) < end - start) start += 1;
    return { start, end, isOther: false };
  };
  if (spot.is === "newest" || entries.length === 0) return from(0);
  const { at, isThere } = positionOf(entries, spot.key);
  switch (spot.is) {
    case "older": {
      const start = isThere ? at + 1 : at;
      return start < entries.length ? from(start) : { ...upTo(entries.length), isOther: true };
    }
    case "newer":
      return at > 0 ? upTo(at) : { ...from(0), isOther: true };
    case "around": {
      if (at === entries.length) return { ...upTo(at), isOther: true };
      return from(Math.max(at - spot.before, 0), spot.count);
    }
  }
}

/** The newest N entries; from the first one's key on if it is known, so that new entries displace none. */
export function newestOf<T>(entries: readonly T[], count: number, first: string | undefined): readonly T[] {
  const start = first === undefined ? 0 : positionOf(entries, first).at;
  return entries.slice(start, start + count);
}

/** A spot that leads back to the page that contains an entry. */
export function spotOf(entries: readonly unknown[], { start, end }: Page, at = start): Spot {
  return { is: "around", key: keyAt(entries, at), before: at - start, count: end - start };
}

/** Serializes a spot as one word. */
export function writeSpot(spot: Spot): string {
  switch (spot.is) {
    case "newest":
      return "new";
    case "older":
    case "newer":
      return `${spot.is}:${spot.key}`;
    case "around":
      return `${spot.before}/${spot.count}:${spot.key}`;
  }
}

/** Parses the output of {@link writeSpot}; undefined for any other text. */
export function readSpot(word: string): Spot | undefined {
  if (word === "new") return NEWEST;
  const [, how = "", key = ""] = /^([^:]+):(.+)$/.exec(word) ?? [];
  if (!isKey(key)) return undefined;
  if (how === "older" || how === "newer") return { is: how, key };
  const [, before, count] = /^(\d{1,2})\/(\d{1,2})$/.exec(how) ?? [];
  return before === undefined ? undefined : { is: "around", key, before: Number(before), count: Number(count) };
}

// A short unique key of an entry, which new entries don't change: its time (microseconds since 1970, in base 36), a
// hash of its content, and its number among equal entries, counted from the oldest.
const KEY = /^(-?[\da-z]*)\.([\w-]{8})\.([1-9]\d{0,5})$/;

/** The time of a key's entry, in microseconds since 1970; undefined if the entry has no valid time. */
export function timeIn(key: string): number | undefined {
  const [, digits = ""] = KEY.exec(key) ?? [];
  return digits === "" ? undefined : Number.parseInt(digits, 36);
}

/** The key of one of the entries. */
export function keyAt(entries: readonly unknown[], at: number): string {
  const entry = entries[at];
  const [timestamp, hash] = [timestampOf(entry), hashOf(entry)];
  const older = entries.slice(at + 1);
  // Comparing times first is faster: few entries have the same time, and hashing is slow.
  const alike = older.filter((other) => timestampOf(other) === timestamp && hashOf(other) === hash).length + 1;
  return `${timeOf(entry)?.toString(36) ?? ""}.${hash}.${alike}`;
}

export const isKey = (text: string): boolean => KEY.test(text);

/** Finds an entry by its key; if it is gone, the position that matches its time, or the start if it had none. */
export function positionOf(entries: readonly unknown[], key: string): { at: number; isThere: boolean } {
  const [, , hash, alike] = KEY.exec(key) ?? [];
  const time = timeIn(key);
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

/** Microseconds since 1970; undefined if the entry has no valid time. */
function timeOf(entry: unknown): number | undefined {
  const time = parseTimestamp(timestampOf(entry) ?? "");
  return time && Number(time.epochMicroseconds);
}

// A cache: each control of a page needs the hashes of its entries, and of those logged at the same time.
const hashes = new WeakMap<object, string>();

function hashOf(entry: unknown): string {
  if (typeof entry !== "object" || entry === null) return hash(entry);
  const known = hashes.get(entry) ?? hash(entry);
  hashes.set(entry, known);
  return known;
}

const hash = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 8);
