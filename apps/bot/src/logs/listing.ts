import { Refused } from "../refused.js";
import type { Request } from "../request.js";
import { wordsOnly } from "../slack/sections.js";
import { type Bookmark, readBookmark } from "./bookmark.js";
import { type Found, find } from "./find.js";
import { keyAt } from "./keys.js";
import type { Entry } from "./listings.js";
import { newestOf } from "./page.js";
import { periodOf } from "./period.js";

/** What there is of what was asked for, now, and which page of it is meant. */
export interface Listing extends Omit<Found<Bookmark["command"]>, "entries"> {
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
 * @throws {Refused} where it bears none that is understood: a message may be older than the bot.
 */
export function bookmarkIn(value: string, { now, prefix }: Pick<Request, "now" | "prefix">): Bookmark {
  const bookmark = readBookmark(value, now());
  if (!bookmark) throw new Refused(wordsOnly(`This message is too old to be used. ${prefix} logs shows a new one.`));
  return bookmark;
}
