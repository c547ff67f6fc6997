import { columns, entryLabel } from "@media-ops/formatters";
import type { SlackBlock } from "@media-ops/formatters/slack";
import type { Button, PlainTextOption, StaticSelect } from "@slack/types";
import type { Request } from "../request.js";
import { button, row } from "../slack/controls.js";
import { refusalOf } from "../slack/refusal.js";
import { plain, smallPrint } from "../slack/sections.js";
import { type Bookmark, OPTION, readBookmark, writeBookmark } from "./bookmark.js";
import { keyAt } from "./keys.js";
import type { Listing } from "./listing.js";
import { NEWEST, type Page, type Spot, spotOf } from "./page.js";

/** The controls of a listing, by the first part of their action ids. */
export const LEAF = "log-page";
export const CLOSER = "log-closer";
export const SHARE = "log-share";
export const CSV = "log-csv";
export const DETAILS = "log-details";

/** The page that is shown, and how to come back to it. */
export interface Leafing {
  readonly page: Page;
  readonly here: Bookmark;
}

/** All that can be done with a page. */
export function buttonsFor(
  listing: Listing,
  { page, here }: Leafing,
  { isShareable }: { isShareable: boolean },
): SlackBlock[] {
  const { entries, bookmark } = listing;
  const { start, end } = page;
  const leaf = (label: string, id: string, spot: Spot) => bookmarkButton(label, `${LEAF}:${id}`, { ...here, spot });
  const isTooLong = writeBookmark(here) === undefined;
  return [
    ...row(
      start > 0 ? leaf("Newer", "newer", { is: "newer", key: keyAt(entries, start) }) : undefined,
      end < entries.length ? leaf("Older", "older", { is: "older", key: keyAt(entries, end - 1) }) : undefined,
      refreshButton(bookmark),
      isShareable ? bookmarkButton("Share here", SHARE, here) : undefined,
      bookmarkButton("CSV", CSV, here),
      backButton(bookmark, listing.now),
    ),
    ...row(detailsMenu(listing, page)),
    ...(isTooLong ? [smallPrint(TOO_LONG)] : []),
  ];
}

const TOO_LONG = "This command is too long for buttons. With fewer filters there are some.";

/** A button that bears a bookmark; none where that would be too long. */
export function bookmarkButton(label: string, action: string, bookmark: Bookmark): Button | undefined {
  const value = writeBookmark(bookmark);
  return value === undefined ? undefined : button({ label, action, value });
}

/** The same command once more, from the newest entry on. */
export function refreshButton(bookmark: Bookmark): Button | undefined {
  return bookmarkButton("Refresh", `${LEAF}:refresh`, { ...bookmark, spot: NEWEST, first: undefined });
}

/** Leads to the listing from which this one was come to. */
export function backButton({ back }: Bookmark, now: number): Button | undefined {
  const to = back === undefined ? undefined : readBookmark(back, now);
  if (back === undefined || !to) return undefined;
  return button({ label: `Back to ${columns[to.command.kind].many}`, action: `${LEAF}:back`, value: back });
}

function detailsMenu(listing: Listing, page: Page): StaticSelect | undefined {
  const { entries, command, now, timeZone } = listing;
  const options = entries.slice(page.start, page.end).flatMap((entry, row): PlainTextOption[] => {
    const value = optionValue(listing, page, page.start + row);
    const label = entryLabel(command.kind, entry, { now, timeZone });
    return value === undefined ? [] : [{ text: plain(label), value }];
  });
  if (options.length === 0) return undefined;
  return { type: "static_select", action_id: DETAILS, placeholder: plain("Details of…"), options };
}

/** What an option takes is little: where the command is longer, the way back from an entry leads to the whole log. */
function optionValue({ entries, bookmark, project }: Listing, page: Page, at: number): string | undefined {
  const here = { ...bookmark, spot: spotOf(entries, page, at) };
  const whole = { name: "logs", kind: bookmark.command.kind, in: project.id, filters: [] } as const;
  return writeBookmark(here, OPTION) ?? writeBookmark({ command: whole, spot: here.spot }, OPTION);
}

/** Whether others would read what is shared: not in the direct conversation with the bot. */
export async function canShare({
  slack,
  userId,
  channelId,
}: Pick<Request, "slack" | "userId" | "channelId">): Promise<boolean> {
  if (channelId === undefined) return false;
  if (!channelId.startsWith("D")) return true;
  try {
    const { channel } = await slack.conversations.open({ users: userId, prevent_creation: true });
    return channel?.id !== channelId;
  } catch (error) {
    // There is no such conversation, so that this is one with somebody else. Where Slack does not say, it is the entries
    // that matter.
    return refusalOf(error)?.code === "channel_not_found";
  }
}
