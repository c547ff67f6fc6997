import { fieldOf, stringIn } from "@media-ops/reports/entries";
import type { Button } from "@slack/types";
import * as markdown from "./markdown/markup.js";
import * as slack from "./slack/parts.js";
import * as terminal from "./terminal/screen.js";
import {
  type Answer,
  type AnswerOptions,
  lineText,
  type Phrase,
  type RequesterOptions,
  requesterName,
} from "./values/answer.js";
import { counted, formatCount } from "./values/numbers.js";
import type { Shown, Tone } from "./values/show.js";
import { brief, type Clock, formatAgo, NOTHING } from "./values/words.js";

/** The options of every printed list of tokens, deliveries, endpoints or audit entries. */
export interface ListingOptions extends AnswerOptions, RequesterOptions {
  /** Whether the service has more than these, as with a `next_cursor`. @default false */
  hasMore?: boolean | undefined;
}

/** A column of a list. */
export interface ListingColumn<Item> {
  title: string;
  /** Whether its cells are times, whose zone the title names. */
  isTime?: boolean;
  /** Whether its cells are URLs. */
  isAddress?: boolean;
  /** Whether a terminal shows it only if all of it fits. */
  isOptional?: boolean;
  /** Whether its texts are short words, which must not be cut. */
  isFixed?: boolean;
  cell(item: Item): Shown;
}

/** A list in words: a table for terminals and pages, and lines for messages. */
export interface Listing<Item> extends Answer {
  columns: readonly ListingColumn<Item>[];
  /** The facts of one item, the most important first. */
  lineOf(item: Item): readonly Phrase[];
}

/** What makes a list of items. */
export type ListingOf<Item> = (items: readonly Item[], options: ListingOptions) => Listing<Item>;

const LONGEST = 64;

/** A text on one line, shortened in its middle; a dash if it is empty. */
export const briefText = (text: string): string => brief(text, LONGEST) || NOTHING;

/** A text in a table. */
export const textCell = (text: string, tone: Tone = "plain"): Shown => ({ text: text || NOTHING, tone });

/** The mark and the tone of a state or an outcome. */
export type Marks = ReadonlyMap<string, { mark: string; tone: Tone }>;

/** A state or an outcome in a table: "✓ ok"; an unknown one has no mark. */
export function markedCell(word: string, marks: Marks): Shown {
  const { mark, tone } = marks.get(word) ?? { mark: "", tone: "plain" };
  return textCell(`${mark}${briefText(word)}`, tone);
}

/** A time in a table, or other words if there is none. */
export function timeCell(time: number | undefined, clock: Clock, otherwise: Shown = textCell("")): Shown {
  if (time === undefined) return otherwise;
  return { text: clock.short(time), tone: "plain", time, ago: formatAgo(time, clock.now) };
}

/** A time that is ahead, in a table: how far it is says more than the time. */
export function aheadCell(time: number | undefined, clock: Clock, otherwise: Shown): Shown {
  if (time === undefined) return otherwise;
  return { text: formatAgo(time, clock.now), tone: "plain", time, ago: clock.short(time) };
}

/** Who requested something, in a table. */
export function requesterCell(item: unknown, field: string, options: RequesterOptions): Shown {
  const requestedBy = stringIn(item, field);
  return textCell(requestedBy === "" ? "" : brief(requesterName(requestedBy, options), LONGEST));
}

/** "ends in 8 min (14:13:30)", for a message that is read later, too. */
export const timeFact = (words: string, time: number, { now }: Clock): Phrase => [
  `${words} ${formatAgo(time, now)} (`,
  { time },
  ")",
];

/** "failing since 14:03:22 (2 min ago)" */
export const sinceFact = (words: string, time: number, { now }: Clock): Phrase => [
  `${words} since `,
  { time },
  ` (${formatAgo(time, now)})`,
];

/** Whether any of some items has a field. */
export const isGiven = (items: readonly unknown[], field: string): boolean =>
  items.some((item) => fieldOf(item, field) !== undefined);

/** "and 12 more", "and at least 12 more", "and more"; empty if all are shown. */
function moreWords(omitted: number, { hasMore = false }: Pick<ListingOptions, "hasMore">): string {
  if (omitted === 0) return hasMore ? "There are more than these." : "";
  return `… and ${hasMore ? "at least " : ""}${formatCount(omitted)} more`;
}

/** "12 deliveries: 3 failed, 2 waiting, 7 delivered.": an amount, and how many items have each of these words. */
export function tallyWords(amount: string, items: readonly unknown[], field: string, words: readonly string[]): string {
  const parts = words.flatMap((word) => {
    const count = items.filter((item) => stringIn(item, field) === word).length;
    return count === 0 ? [] : [`${formatCount(count)} ${word}`];
  });
  return `${amount}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}.`;
}

/** "3 deliveries", "at least 100 deliveries" */
export const amountWords = (count: number, hasMore: boolean, one: string, many: string): string =>
  `${hasMore && count > 0 ? "at least " : ""}${counted(count, one, many)}`;

/** The options of a list of tokens, deliveries, endpoints or audit entries in Slack. */
export interface SlackListingOptions<Item> extends Omit<ListingOptions, "nameOf">, slack.SlackRequesterOptions {
  /** The maximum number of items to show, from 1 to 40; with buttons, at most 22 fit. @default 20 */
  atMost?: number | undefined;
  /** Makes the button below an item, such as "Revoke"; each needs its own action id. @default no item has one */
  button?: ((item: Item) => Button | undefined) | undefined;
}

/** A message with a list. */
export interface SlackListingMessage extends slack.SlackMessage {
  /** The number of items that it shows. */
  shown: number;
}

/** A message has at most 50 blocks, of which the caller, the heading and the note need some. */
const BLOCKS = 44;
const MOST = 40;
const USUAL = 20;

/** Prints a list as a message: what it has, a section for each item, and how many are not shown. */
export function slackPrinter<Item>(listingOf: ListingOf<Item>) {
  return (items: readonly Item[], options: SlackListingOptions<Item>): SlackListingMessage => {
    const { nameOf: _, ...plain } = options;
    const listing = listingOf(items, plain);
    const { blocks, shown } = slackItems(listing, items, options);
    return { ...slack.answerMessage(listing, blocks, moreWords(items.length - shown, options)), shown };
  };
}

/** As many items as fit, each in a section, with its button below. */
function slackItems<Item>(
  { lineOf, clock }: Listing<Item>,
  items: readonly Item[],
  options: SlackListingOptions<Item>,
) {
  const atMost = Math.min(Math.max(Math.floor(options.atMost ?? USUAL) || 1, 1), MOST);
  const blocks: slack.SlackBlock[] = [];
  let [room, shown] = [slack.LINES_CHARACTERS, 0];
  for (const item of items.slice(0, atMost)) {
    const line = lineOf(item);
    const marked = slack.lineMrkdwn(line, clock, options);
    // Escapes may make a text of strange characters much longer.
    const text = marked.length <= slack.TEXT ? slack.mrkdwn(marked) : slack.plainText(lineText(line, clock));
    const button = options.button?.(item);
    room -= text.text.length;
    if (room < 0 || blocks.length + (button ? 2 : 1) > BLOCKS) break;
    blocks.push({ type: "section", text });
    if (button) blocks.push({ type: "actions", elements: [button] });
    shown += 1;
  }
  return { blocks, shown };
}

/** Prints a list as a title, a sentence and a table. */
export function terminalPrinter<Item>(listingOf: ListingOf<Item>) {
  return (items: readonly Item[], options: ListingOptions & terminal.TerminalScreenOptions): string => {
    const listing = listingOf(items, options);
    const { clock, columns } = listing;
    const screen = { ...terminal.screenOf(options), clock };
    const notes = [moreWords(0, options), ...listing.notes];
    return terminal.answerText({ ...listing, notes }, terminalItems(columns, items, screen), screen);
  };
}

/** A table of items after an empty line; nothing without items. */
export function terminalItems<Item>(
  columns: readonly ListingColumn<Item>[],
  items: readonly Item[],
  { clock, width, paint }: terminal.TimedScreen,
): string[] {
  const table = columns.map(
    ({ title, isTime, isAddress = false, isOptional = false, isFixed = false, cell }): terminal.TableColumn => {
      const shown = items.map(cell);
      return {
        title: isTime ? title + terminal.zoneOf(clock) : title,
        isRight: shown.some(({ number }) => number !== undefined),
        isOptional,
        isAddress,
        cells: shown.map((one) => (isFixed ? { ...terminal.cellOf(one), isFixed } : terminal.cellOf(one))),
      };
    },
  );
  return items.length > 0 ? ["", ...terminal.tableLines(table, width, paint)] : [];
}

/** Prints a list as a heading, a sentence and a table. Times have their date and are not relative. */
export function markdownPrinter<Item>(
  listingOf: ListingOf<Item>,
): (items: readonly Item[], options: ListingOptions) => string {
  return (items, options) => {
    const listing = listingOf(items, options);
    const lines = markdownItems(listing.columns, items, listing.clock);
    return markdown.answerText(listing, lines, moreWords(0, options));
  };
}

/** A table of items after an empty line; nothing without items. */
export function markdownItems<Item>(
  columns: readonly ListingColumn<Item>[],
  items: readonly Item[],
  { timeZone, full }: Clock,
): string[] {
  const cells = columns.map(({ cell }) => items.map(cell));
  return markdown.tableBelow(
    columns.map(({ title, isTime }, at) => ({
      title: isTime ? `${title} (${timeZone})` : title,
      isRight: cells[at]?.some(({ number }) => number !== undefined) ?? false,
    })),
    items.map((_, row) =>
      cells.map((column) => {
        const { text = NOTHING, time } = column[row] ?? {};
        return time === undefined ? text : full(time);
      }),
    ),
  );
}
