import { orderOf } from "@media-ops/commands";
import { entryLabel, formatCount } from "@media-ops/formatters";
import {
  escapeMrkdwn,
  formatLogs,
  type SlackBlock,
  type SlackLogsMessage,
  type SlackMessage,
} from "@media-ops/formatters/slack";
import type { Button, PlainTextOption, StaticSelect } from "@slack/types";
import type { CommandNamed } from "../language.js";
import type { Request } from "../request.js";
import { backButton, LOG_PAGE, OPTION } from "../saved-command.js";
import { button, type Draft, menu, optionOf, plainSection, row, smallPrint } from "../slack/blocks.js";
import { refusalOf } from "../slack/client.js";
import { type Bookmark, keyAt, NEWEST, type Page, pageOf, ROWS, type Spot, spotOf, writeBookmark } from "./bookmark.js";
import { type Listing, openListing } from "./find.js";

/** The page of a listing, read now. */
export async function logsMessage(bookmark: Bookmark, request: Request): Promise<Draft> {
  return messageOf(await openListing(bookmark, request), request);
}

/**
 * The page of a listing for one person, with all available actions.
 *
 * @param done.said A sentence that confirms the last action on the listing.
 * @param done.isShared Whether it was just shared, so that the Share button is left out.
 */
export async function messageOf(
  listing: Listing,
  request: Request,
  { said, isShared = false }: { said?: string | undefined; isShared?: boolean } = {},
): Promise<Draft> {
  const below = said === undefined ? [] : [smallPrint(escapeMrkdwn(said))];
  if (listing.entries.length === 0) return emptyMessage(listing, below);
  const isShareable = !isShared && (await canShare(request));
  return pageDraft(listing, (shownPage) => [...below, ...buttonsFor(listing, shownPage, { isShareable })]);
}

/** A page of a non-empty listing, with further blocks below it. */
export function pageDraft(listing: Listing, below: (shownPage: ShownPage) => SlackBlock[]): Draft {
  const draw = (style: "table" | "compact"): SlackMessage => {
    const { message, shownPage } = drawPage(listing, style);
    return { blocks: [...message.blocks, ...below(shownPage)], text: message.text };
  };
  if (listing.command.as === "compact") return draw("compact");
  return { ...draw("table"), compact: () => draw("compact") };
}

function drawPage(listing: Listing, style: "table" | "compact"): { message: SlackLogsMessage; shownPage: ShownPage } {
  const { entries, before, found, top: total = found, bookmark, command, heading, note, now, timeZone } = listing;
  const { sortedBy } = command.sort ? orderOf(command.kind, command.sort) : {};
  const options = { now, timeZone, style, title: heading, pageSize: ROWS, atMost: ROWS, sortedBy };
  const page = pageOf(entries, bookmark.spot, (some) => formatLogs(command.kind, some, options).shown);
  const { start, end, isOther } = page;
  const isAll = before === 0 && start === 0 && end === total;
  const notes = [isOther ? GONE : undefined, note].filter((words) => words !== undefined);
  const message = formatLogs(command.kind, entries.slice(start, end), {
    ...options,
    note: notes.join(" "),
    position: isAll ? undefined : { from: before + start + 1, total },
  });
  return { message, shownPage: { page, here: { ...bookmark, spot: spotOf(entries, page) } } };
}

const GONE = "These entries are no longer listed; here are the nearest.";

/** The controls of a listing, by the first part of their action ids. */
export const LOOK_CLOSER = "log-closer";
export const SHARE = "log-share";
export const CSV = "log-csv";
export const DETAILS = "log-details";

/** The page that is shown, and its bookmark. */
export interface ShownPage {
  readonly page: Page;
  readonly here: Bookmark;
}

/** The buttons of a page. */
export function buttonsFor(
  listing: Listing,
  { page, here }: ShownPage,
  { isShareable }: { isShareable: boolean },
): SlackBlock[] {
  const { entries, before, hasOlder, bookmark } = listing;
  const { start, end } = page;
  const leaf = (label: string, id: string, spot: Spot) => bookmarkButton(label, `${LOG_PAGE}:${id}`, { ...here, spot });
  const isTooLong = writeBookmark(here) === undefined;
  return [
    ...row(
      before + start > 0 ? leaf("Newer", "newer", { is: "newer", key: keyAt(entries, start) }) : undefined,
      end < entries.length || hasOlder
        ? leaf("Older", "older", { is: "older", key: keyAt(entries, end - 1) })
        : undefined,
      refreshButton(bookmark),
      isShareable ? bookmarkButton("Share here", SHARE, here) : undefined,
      bookmarkButton("CSV", CSV, here),
      furtherButton(listing),
      backButton(bookmark.back, listing.now),
    ),
    ...row(detailsMenu(listing, page)),
    ...(isTooLong ? [smallPrint(TOO_LONG)] : []),
  ];
}

const TOO_LONG = "This command is too long for buttons. Use fewer filters to get them.";

/** A button with a bookmark; undefined if that is too long. */
export function bookmarkButton(label: string, action: string, bookmark: Bookmark): Button | undefined {
  const value = writeBookmark(bookmark);
  return value === undefined ? undefined : button({ label, action, value });
}

/** A button that runs the same command again, from the newest entry. */
function refreshButton(bookmark: Bookmark): Button | undefined {
  return bookmarkButton("Refresh", `${LOG_PAGE}:refresh`, { ...bookmark, spot: NEWEST, first: undefined });
}

/** A button that searches on where the search of this listing ended. */
function furtherButton({ bookmark, command, canGoOn, searchedTo }: Listing): Button | undefined {
  if (!canGoOn || searchedTo === undefined) return undefined;
  const until = Math.ceil(Date.parse(searchedTo)) + 1;
  const to = { ...bookmark, command: { ...command, until }, periodMs: undefined, spot: NEWEST, first: undefined };
  return bookmarkButton("Search further back", `${LOG_PAGE}:further`, to);
}

function detailsMenu(listing: Listing, page: Page): StaticSelect | undefined {
  const { entries, command, now, timeZone } = listing;
  const options = entries.slice(page.start, page.end).map((entry, row): PlainTextOption | undefined => {
    const value = optionValue(listing, page, page.start + row);
    const label = entryLabel(command.kind, entry, { now, timeZone });
    return value === undefined ? undefined : optionOf(value, label);
  });
  return menu("Details of…", DETAILS, options);
}

/**
 * An option's value. It must be short: if the command doesn't fit, the way back from the entry leads to the whole log.
 */
function optionValue({ entries, bookmark, project }: Listing, page: Page, at: number): string | undefined {
  const here = { ...bookmark, spot: spotOf(entries, page, at) };
  const whole = { name: "logs", kind: bookmark.command.kind, in: project.id, filters: [] } as const;
  return writeBookmark(here, OPTION) ?? writeBookmark({ command: whole, spot: here.spot }, OPTION);
}

/** Whether sharing has an audience: not in the direct conversation with the bot. */
export async function canShare(request: Pick<Request, "slack" | "userId" | "channelId">): Promise<boolean> {
  const { slack, userId, channelId } = request;
  if (channelId === undefined) return false;
  if (!channelId.startsWith("D")) return true;
  try {
    const { channel } = await slack.conversations.open({ users: userId, prevent_creation: true });
    return channel?.id !== channelId;
  } catch (error) {
    // The bot can't see this conversation, so it is one between other people. If Slack doesn't say, sharing is not
    // offered.
    return refusalOf(error)?.code === "channel_not_found";
  }
}

type Logs = CommandNamed<"logs">;

/** Says that nothing matches, and which query would find something. */
export function emptyMessage(listing: Listing, below: readonly SlackBlock[]): Draft {
  const { command, bookmark, heading, note, now, timeZone, wider, searchedTo } = listing;
  const { blocks, text } = formatLogs(command.kind, [], { now, timeZone, title: heading, note });
  const words = [
    wider.length === 0 && searchedTo === undefined ? NOTHING_AT_ALL : undefined,
    ...wider.map(
      ({ without, count, isAtLeast }) =>
        `Without ${without} there ${count === 1 ? "is" : "are"} ${isAtLeast ? "at least " : ""}${formatCount(count)}.`,
    ),
    onceEnded(command),
  ];
  const more = words.filter((sentence) => sentence !== undefined).join(" ");
  const buttons = wider.map(({ without, command }, at) => {
    const periodMs = command.since === undefined ? undefined : bookmark.periodMs;
    const to = { ...bookmark, command, periodMs, spot: NEWEST, first: undefined };
    return bookmarkButton(`Without ${without}`, `${LOG_PAGE}:wider-${at}`, to);
  });
  return {
    blocks: [
      ...blocks,
      ...(more === "" ? [] : [plainSection(more)]),
      ...below,
      ...row(...buttons, furtherButton(listing), refreshButton(bookmark), backButton(bookmark.back, now)),
    ],
    text,
  };
}

const NOTHING_AT_ALL = "This log is empty: nothing was logged in the last 30 days, and older entries are deleted.";

/** These logs don't contain sessions and connections that are still open. */
const onceEnded = ({ kind }: Logs): string | undefined => {
  if (kind === "sessions") return "A session is logged when it ends.";
  return kind === "connections" ? "A connection is logged when it ends." : undefined;
};
