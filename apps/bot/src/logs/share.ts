import type { Request } from "../request.js";
import { row } from "../slack/controls.js";
import type { Draft } from "../slack/draft.js";
import { smallPrint } from "../slack/sections.js";
import type { Bookmark } from "./bookmark.js";
import { bookmarkButton, CLOSER } from "./buttons.js";
import { headingOf } from "./find.js";
import { type Listing, openListing } from "./listing.js";
import { messageOf, pageDraft } from "./message.js";

/** Shows a page to everyone in the channel, and says so to whoever shared it. */
export async function share(bookmark: Bookmark, request: Request): Promise<void> {
  const listing = await openListing(bookmark, request);
  if (listing.entries.length > 0) await request.answer.share(sharedMessage(listing, request.userId));
  const said = listing.entries.length > 0 ? "Shared with everyone here." : "Not shared: there is nothing left to show.";
  await request.answer.replace(await messageOf(listing, request, { said, isShared: true }));
}

/** A page for all: it says who shared it, and gives whoever wants to look closer a listing of their own. */
export function sharedMessage(listing: Listing, userId: string): Draft {
  // Not everyone reads it where it was asked; Slack writes the times of the entries for each reader, but not the heading.
  const anywhere = { ...listing, timeZone: "UTC" };
  const forAll = { ...anywhere, heading: headingOf(anywhere, listing.entries.length) };
  return pageDraft(forAll, ({ here }) => [
    smallPrint(`Shared by <@${userId}>`),
    ...row(bookmarkButton("Look closer", CLOSER, { ...here, back: undefined })),
  ]);
}
