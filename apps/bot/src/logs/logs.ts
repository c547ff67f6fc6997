import type { Actions, Forms } from "../features.js";
import { actionOn, ONCE_MS } from "../features.js";
import { type CommandNamed, language } from "../language.js";
import type { Request } from "../request.js";
import { LOG_PAGE } from "../saved-command.js";
import { type Draft, plainMessage, row, runButton, smallPrint } from "../slack/blocks.js";
import type { FileForm } from "../slack/send-file.js";
import { type Bookmark, bookmarkIn, NEWEST } from "./bookmark.js";
import { RELATED, showDetails } from "./details.js";
import { upload } from "./file.js";
import { headingOf, type Listing, openListing } from "./find.js";
import {
  bookmarkButton,
  CSV,
  DETAILS,
  emptyMessage,
  LOOK_CLOSER,
  logsMessage,
  messageOf,
  pageDraft,
  SHARE,
} from "./message.js";

/** `/media logs`: the newest matching entries, or all of them as a file. */
export async function logs(command: CommandNamed<"logs">, request: Request): Promise<Draft | undefined> {
  const { as, ...asked } = command;
  if (as === "csv" || as === "json") return fileAtOnce({ command: asked, spot: NEWEST }, as, request);
  return logsMessage({ command, spot: NEWEST }, request);
}

const withBookmark = actionOn(bookmarkIn);

export const logActions: Actions = {
  [LOG_PAGE]: withBookmark(async (bookmark, request) => request.answer.replace(await logsMessage(bookmark, request))),
  [LOOK_CLOSER]: withBookmark(async (bookmark, request) => request.answer.say(await logsMessage(bookmark, request))),
  [SHARE]: { ...withBookmark(share), onceForMs: ONCE_MS },
  [CSV]: { ...withBookmark(giveCsv), onceForMs: ONCE_MS },
  [DETAILS]: { ...withBookmark(showDetails), isUrgent: true },
};

export const logForms: Forms = {
  [RELATED]: {
    async run(request, { kept: { related } }) {
      const bookmark = bookmarkIn(typeof related === "string" ? related : "", request);
      await request.answer.replace(await logsMessage(bookmark, request));
    },
  },
};

/** Shows a page to everyone in the channel, and confirms it to the person. */
async function share(bookmark: Bookmark, request: Request): Promise<void> {
  const listing = await openListing(bookmark, request);
  if (listing.entries.length > 0) await request.answer.share(sharedMessage(listing, request.userId));
  const said = listing.entries.length > 0 ? "Shared with everyone here." : "Not shared: no entry matches any more.";
  await request.answer.replace(await messageOf(listing, request, { said, isShared: true }));
}

/** A page for everyone, with the person who shared it and a button that opens the reader's own listing. */
export function sharedMessage(listing: Listing, userId: string): Draft {
  return pageDraft(forEveryone(listing), ({ here }) => [
    smallPrint(`Shared by <@${userId}>`),
    ...row(bookmarkButton("Look closer", LOOK_CLOSER, { ...here, back: undefined })),
  ]);
}

/**
 * Makes the listing the same for every reader: they may be in other time zones, and Slack converts only the times of
 * entries.
 */
function forEveryone(listing: Listing): Listing {
  const anywhere = { ...listing, timeZone: "UTC" };
  return { ...anywhere, heading: headingOf(anywhere, listing) };
}

/** `as:csv` and `as:json`: sends a file and says where it is. */
async function fileAtOnce(bookmark: Bookmark, form: FileForm, request: Request): Promise<Draft> {
  const listing = await openListing(bookmark, request);
  if (listing.entries.length === 0) return emptyMessage(listing, []);
  const words = await upload(listing, form, request);
  return plainMessage(words, runButton("Show them here", language.write(listing.command)));
}

/** Handles the CSV button: sends a file and adds its location to the message. */
async function giveCsv(bookmark: Bookmark, request: Request): Promise<void> {
  const listing = await openListing(bookmark, request);
  const said = listing.entries.length === 0 ? undefined : await upload(listing, "csv", request);
  await request.answer.replace(await messageOf(listing, request, { said }));
}
