import type { Entry } from "../connections/clients.js";
import { type CommandNamed, language } from "../language.js";
import type { Request } from "../request.js";
import { Refused } from "../slack/draft.js";
import { type FoundEntries, find, periodOf } from "./find.js";
import { isKey, keyAt, newestOf, readSpot, type Spot, writeSpot } from "./page.js";

/** A page of a listing, to be found again at any time: all that a control bears. */
export interface Bookmark {
  /** With the project that was meant. */
  readonly command: CommandNamed<"logs">;
  readonly spot: Spot;
  /** The key of the newest entry, if the listing is limited to the newest N. */
  readonly first?: string | undefined;
  /** The length of a period that the heading describes as "last 2 hours". */
  readonly periodMs?: number | undefined;
  /** The bookmark of the listing that led to this one. */
  readonly back?: string | undefined;
}

/** The longest value of a button. */
export const BUTTON = 2000;
/** The longest value of an option. */
export const OPTION = 150;

/** Writes a bookmark as text; undefined if that is too long. The way back is dropped first. */
export function writeBookmark(bookmark: Bookmark, longest: number = BUTTON): string | undefined {
  const { command, spot, first = "-", periodMs, back } = bookmark;
  const period = periodMs === undefined ? "" : `~${periodMs} `;
  const way = back === undefined ? "" : `${back.length}:${back} `;
  const text = `${writeSpot(spot)} ${first} ${period}${way}${language.write(command)}`;
  if (text.length <= longest) return text;
  return back === undefined ? undefined : writeBookmark({ ...bookmark, back: undefined }, longest);
}

/**
 * Reads what {@link writeBookmark} wrote; undefined if it is anything else. On the newest page, the last 2 hours are those
 * before now; on all other pages the period stays, so that no page shifts.
 */
export function readBookmark(text: string, now: number): Bookmark | undefined {
  const [head, word = "", first = "", period, length] = /^(\S+) (\S+) (?:~(\d{1,12}) )?(?:(\d+):)?/.exec(text) ?? [];
  const spot = readSpot(word);
  if (head === undefined || !spot || (first !== "-" && !isKey(first))) return undefined;
  const end = head.length + Number(length ?? 0);
  const read = language.parse(text.slice(end), { now });
  if (!read.ok || read.command.name !== "logs") return undefined;
  const periodMs = period === undefined ? undefined : Number(period);
  const isAnew = spot.is === "newest" && periodMs !== undefined;
  return {
    command: isAnew ? { ...read.command, since: now - periodMs } : read.command,
    spot,
    first: first === "-" ? undefined : first,
    periodMs,
    back: length === undefined ? undefined : text.slice(head.length, end),
  };
}

/** The entries that a bookmark's command finds now, and the page to show. */
export interface Listing extends Omit<FoundEntries<Bookmark["command"]>, "entries"> {
  /** The entries of all its pages, newest first. */
  readonly entries: readonly Entry[];
  /** With the project, the period and the first entry settled. */
  readonly bookmark: Bookmark;
}

/** Asks for a listing. */
export async function openListing(bookmark: Bookmark, request: Request): Promise<Listing> {
  const { entries: all, ...found } = await find(bookmark.command, request);
  const { command } = found;
  const entries = newestOf(all, command.last, bookmark.first);
  const [newest] = entries;
  const isCounted = command.last !== undefined && newest !== undefined;
  const first = isCounted ? (bookmark.first ?? keyAt(all, 0)) : undefined;
  const periodMs = bookmark.periodMs ?? periodOf(command, found);
  return { ...found, entries, bookmark: { ...bookmark, command, first, periodMs } };
}

/**
 * The bookmark that a control bears.
 *
 * @throws {Refused} if it is not understood: a message may be older than the bot.
 */
export function bookmarkIn(value: string, { now, prefix }: Pick<Request, "now" | "prefix">): Bookmark {
  const bookmark = readBookmark(value, now());
  if (!bookmark) throw new Refused(`This message is too old to use. ${prefix} logs shows a new one.`);
  return bookmark;
}
