import {
  escapeMrkdwn,
  formatLogs,
  type SlackBlock,
  type SlackLogsMessage,
  type SlackMessage,
} from "@media-ops/formatters/slack";
import type { Request } from "../request.js";
import type { Draft } from "../slack/draft.js";
import { smallPrint } from "../slack/sections.js";
import type { Bookmark } from "./bookmark.js";
import { buttonsFor, canShare, type Leafing } from "./buttons.js";
import { emptyMessage } from "./empty.js";
import { type Listing, openListing } from "./listing.js";
import { pageOf, ROWS, spotOf } from "./page.js";

interface Done {
  /** What has been done with the listing. */
  readonly said?: string | undefined;
  /** Whether that was to share it, which nobody does twice. */
  readonly isShared?: boolean;
}

/** A page of a listing, asked for now. */
export async function logsMessage(bookmark: Bookmark, request: Request): Promise<Draft> {
  return messageOf(await openListing(bookmark, request), request);
}

/** A page of a listing for the asker alone, with all that can be done with it. */
export async function messageOf(
  listing: Listing,
  request: Request,
  { said, isShared = false }: Done = {},
): Promise<Draft> {
  const below = said === undefined ? [] : [smallPrint(escapeMrkdwn(said))];
  if (listing.entries.length === 0) return emptyMessage(listing, below);
  const isShareable = !isShared && (await canShare(request));
  return pageDraft(listing, (leafing) => [...below, ...buttonsFor(listing, leafing, { isShareable })]);
}

/** A page of a listing that has entries, with what belongs below it. */
export function pageDraft(listing: Listing, below: (leafing: Leafing) => SlackBlock[]): Draft {
  const draw = (style: "table" | "compact"): SlackMessage => {
    const { message, leafing } = drawPage(listing, style);
    return { blocks: [...message.blocks, ...below(leafing)], text: message.text };
  };
  if (listing.command.as === "compact") return draw("compact");
  return { ...draw("table"), compact: () => draw("compact") };
}

function drawPage(listing: Listing, style: "table" | "compact"): { message: SlackLogsMessage; leafing: Leafing } {
  const { entries, bookmark, command, heading, note, now, timeZone } = listing;
  const options = { now, timeZone, style, title: heading, pageSize: ROWS, atMost: ROWS };
  const page = pageOf(entries, bookmark.spot, (some) => formatLogs(command.kind, some, options).shown);
  const { start, end, isOther } = page;
  const isAll = start === 0 && end === entries.length;
  const notes = [isOther ? GONE : undefined, note].filter((words) => words !== undefined);
  const message = formatLogs(command.kind, entries.slice(start, end), {
    ...options,
    note: notes.join(" "),
    position: isAll ? undefined : { from: start + 1, total: entries.length },
  });
  return { message, leafing: { page, here: { ...bookmark, spot: spotOf(entries, page) } } };
}

const GONE = "The entries that were asked for are no longer listed; these are the nearest.";
