import { fieldOf, stringIn } from "@media-ops/reports/entries";
import type { Answer, AnswerOptions } from "../values/answer.js";
import { counted, formatCount } from "../values/numbers.js";
import type { Shown, Tone } from "../values/show.js";
import { brief, NOTHING, oneLine } from "../values/text.js";
import { type Clock, formatAgo } from "../values/time.js";

/**
 * A part of a sentence or a line: words, a name or id to copy, a time, or who requested something. Names and words
 * contain untrusted text, which is on one line and not escaped.
 */
type Part = string | { readonly name: string } | { readonly time: number } | { readonly person: string };

/** A sentence or a fact, which each printer writes in its own way. */
export type Phrase = readonly Part[];

/** Options of everything that names who requested something. */
export interface RequesterOptions {
  /**
   * Names who requested something, such as "Ann" for `slack:T0PLAY/U0ANN`. An empty text means the default.
   * @default the text of the service
   */
  nameOf?: ((requestedBy: string) => string) | undefined;
}

/** Who requested something, on one line. */
export const requesterName = (requestedBy: string, { nameOf }: RequesterOptions): string =>
  oneLine(nameOf?.(requestedBy) || requestedBy);

/** A phrase as plain text, with times in the clock's zone. */
export function phraseText(phrase: Phrase, clock: Clock, options: RequesterOptions = {}): string {
  return phrase
    .map((part) => {
      if (typeof part === "string") return part;
      if ("name" in part) return part.name;
      return "time" in part ? clock.short(part.time) : requesterName(part.person, options);
    })
    .join("");
}

/** What stands between the facts of a line. */
export const SEPARATOR = " · ";

/** A line of facts as plain text. */
export const lineText = (line: readonly Phrase[], clock: Clock, options: RequesterOptions = {}): string =>
  line.map((phrase) => phraseText(phrase, clock, options)).join(SEPARATOR);

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
  items: readonly Item[];
  /** Whether the service has more. */
  hasMore: boolean;
}

/** What makes a list of items. */
export type ListingOf<Item> = (items: readonly Item[], options: ListingOptions) => Listing<Item>;

/** The longest name, id or text of a listing. */
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
export function moreWords(omitted: number, hasMore: boolean): string {
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
