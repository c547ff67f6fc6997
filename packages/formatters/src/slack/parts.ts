import { DAY, MINUTE } from "@media-ops/reports/entries";
import type {
  Block,
  ContextBlock,
  KnownBlock,
  MrkdwnElement,
  PlainTextElement,
  RichTextBlock,
  RichTextDate,
  RichTextElement,
  RichTextSection,
  RichTextText,
} from "@slack/types";
import { type Answer, type Phrase, requesterName, SEPARATOR } from "../values/answer.js";
import type { Clock } from "../values/words.js";
import { brief, NOTHING, oneLine } from "../values/words.js";

/** A block that Slack accepts. */
export type SlackBlock = KnownBlock | DataVisualizationBlock;

/** The content of a message or a modal. */
export interface SlackMessage {
  blocks: SlackBlock[];
  /** The short form for notifications and screen readers; escaped. */
  text: string;
}

/** A chart over time in a message, until `@slack/types` supports it. */
export interface DataVisualizationBlock extends Block {
  type: "data_visualization";
  /** At most 50 characters, like the labels of the axes. */
  title: string;
  chart: {
    type: "line" | "bar";
    /** Up to six, each with a unique name of at most 20 characters and a value for each category. */
    series: { name: string; data: { label: string; value: number }[] }[];
    /** At most 20 categories, all unique, with at most 20 characters each. */
    axis_config: { categories: string[]; x_label: string; y_label?: string };
  };
}

// The smallest parts of blocks. Untrusted texts use plain and rich text wherever possible: Slack interprets nothing
// there.

/** The longest text of a text object. */
export const TEXT = 3000;
/** Slack refuses a message if its total text is too long, somewhere above 11,000 characters. */
export const LINES_CHARACTERS = 9000;
/** The longest titles, which are also captions and notifications. */
const TITLE = 200;
const NOTE = 1000;

/** Cuts a text to a length in UTF-16 units, without splitting a surrogate pair. */
export function fit(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const cut = text.slice(0, longest - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

const lineOf = (text: string): string => fit(oneLine(text).trim(), TITLE);

/** A title on one line, with a default. */
export const titleOf = (given: string | undefined, otherwise: string): string => lineOf(given ?? "") || otherwise;

export function plainText(text: string): PlainTextElement {
  return { type: "plain_text", text: fit(text || NOTHING, TEXT), emoji: false };
}

/** Text in Slack's markup. Only explicit links and mentions take effect. */
export function mrkdwn(text: string): MrkdwnElement {
  return { type: "mrkdwn", text, verbatim: true };
}

export function richText(...elements: RichTextElement[]): RichTextBlock {
  return { type: "rich_text", elements: [{ type: "rich_text_section", elements }] };
}

/** Texts with a bullet before each. */
export function bulletList(items: readonly RichTextElement[][]): RichTextBlock {
  const sections = items.map((elements): RichTextSection => ({ type: "rich_text_section", elements }));
  return { type: "rich_text", elements: [{ type: "rich_text_list", style: "bullet", elements: sections }] };
}

type Opening = Pick<Answer, "incomplete" | "title" | "words">;

/** The first block of an answer: what was not searched, before anything else; the title; and a sentence. */
export function headingBlock({ incomplete = "", title, words }: Opening): RichTextBlock {
  const first = incomplete === "" ? [] : [bold(fit(incomplete, NOTE)), piece("\n")];
  return richText(...first, bold(lineOf(title)), piece("\n"), piece(fit(words, NOTE)));
}

/** An answer: its heading, its other blocks, and small print if there is any. */
export function answerMessage(
  answer: Answer,
  blocks: readonly SlackBlock[],
  ...small: readonly string[]
): SlackMessage {
  const print = context(...small, ...answer.notes);
  return {
    blocks: [headingBlock(answer), ...blocks, ...(print.elements.length > 0 ? [print] : [])],
    text: answerNotification(answer),
  };
}

// Slack refuses a whole message if one text is empty.
export const piece = (text: string): RichTextText => ({ type: "text", text: text || NOTHING });
export const bold = (text: string): RichTextText => ({ ...piece(text), style: { bold: true } });
/** A value to copy. */
export const exact = (text: string): RichTextText => ({ ...piece(text), style: { code: true } });

/** Small print below a message. */
export function context(...texts: (string | undefined)[]): ContextBlock {
  return { type: "context", elements: texts.flatMap((text) => (text ? [plainText(fit(oneLine(text), NOTE))] : [])) };
}

/** The short form of a message. */
export function notification(...texts: string[]): string {
  return escapeMrkdwn(texts.map((text) => fit(oneLine(text), TITLE)).join(": "));
}

/** The short form of an answer. */
export const answerNotification = ({ incomplete = "", title, words }: Opening): string =>
  notification(incomplete === "" ? title : `${incomplete} ${title}`, words);

const LAST = 253_402_300_799_999;

/** Whether Slack can format this time for each reader. */
export const isWritable = (time: number | undefined): time is number => time !== undefined && time >= 0 && time <= LAST;

/** As many of the first items as fit into so many characters. */
export function fitting<Item>(
  items: readonly Item[],
  lengthIn: (item: Item) => number,
  most = LINES_CHARACTERS,
): Item[] {
  let room = most;
  const end = items.findIndex((item) => {
    room -= lengthIn(item);
    return room < 0;
  });
  return items.slice(0, end === -1 ? items.length : end);
}

/** The characters that a line counts as. */
export const lengthOf = (line: readonly RichTextElement[]): number =>
  line.reduce((sum, element) => {
    if (element.type === "date") return sum + dateLength(element.timestamp * 1000, element.format);
    return sum + ("text" in element ? (element.text?.length ?? 0) : 0);
  }, 0);

/** One format for all times, so that they are comparable: with the date if any of them is more than a day away. */
export function formatFor(times: readonly number[], now: number): string {
  const isNear = times.every((time) => now - time > -MINUTE && now - time < DAY);
  return isNear ? "{time_secs} · {ago}" : "{date_num} {time_secs} · {ago}";
}

/** A time for readers without local times: "2026-11-21T14:03:22Z". */
export const universal = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

/** The characters that a time counts as: Slack's way is undocumented, so the longer of its two texts counts. */
export const dateLength = (time: number, format: string): number => Math.max(format.length, universal(time).length);

/** A time in each reader's own zone. */
export function date(time: number, format: string, fallback: string = universal(time)): RichTextDate {
  return { type: "date", timestamp: Math.floor(time / 1000), format, fallback };
}

/** A time in each reader's own zone, with its distance from now; as text if Slack can't format it. */
export function timeElement(time: number, { now, short }: Clock): RichTextElement {
  return isWritable(time) ? date(time, formatFor([time], now)) : piece(short(time));
}

/** The same in `mrkdwn`. */
export function dateSpan(time: number, format: string): string {
  return `<!date^${Math.floor(time / 1000)}^${format}|${universal(time)}>`;
}

// Slack cannot escape these, so lookalikes replace them.
const lookalikes = new Map([
  ["*", "∗"],
  ["_", "ˍ"],
  ["~", "∼"],
  ["`", "ˋ"],
]);

const entities = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
]);

/** An invisible character that separates its neighbours. */
const JOINER = "\u2060";

/**
 * Escapes a text for Slack's `mrkdwn`: it contains no mentions, links, bold text, quotes or emoji. Bare URLs still
 * become links, unless the text object is `verbatim`.
 */
export function escapeMrkdwn(text: string): string {
  return (
    text
      // A > at the start of a line quotes it, even if escaped.
      .replace(/^[ \t]*(?=[>＞])/gm, `$&${JOINER}`)
      .replace(/@(?=(?:here|channel|everyone)\b)/gi, `@${JOINER}`)
      // Not in times and periods: no emoji has a name of digits only.
      .replace(/:(?![\d–]+:)(?=[^\s:]+:)/g, `:${JOINER}`)
      // Underscores within names have no effect.
      .replace(/[*~`]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, (sign) => lookalikes.get(sign) ?? sign)
      .replace(/[&<>]/g, (sign) => entities.get(sign) ?? sign)
  );
}

/** A text as code in `mrkdwn`, shown character by character; only backticks are replaced. */
export function codeSpan(text: string): string {
  const shown = text.replaceAll("`", "ˋ").replace(/[&<>]/g, (sign) => entities.get(sign) ?? sign);
  return `\`${shown}\``;
}

/** A person in Slack, who is shown as a mention. */
export interface SlackPerson {
  /** The id of the person, such as `U0ANN`. */
  userId: string;
}

/** Options of everything that names who requested something. */
export interface SlackRequesterOptions {
  /**
   * Names who requested something, such as `{ userId: "U0ANN" }` for `slack:T0PLAY/U0ANN`. Texts are escaped; an empty
   * text means the default.
   * @default the text of the service
   */
  nameOf?: ((requestedBy: string) => string | SlackPerson) | undefined;
}

/** Slack refuses or misreads a mention of anything else. */
const USER_ID = /^[UW][A-Z0-9]{2,30}$/;
const LONGEST_NAME = 64;

/** Who requested something: the id of a person, or a name. */
function requesterOf(requestedBy: string, { nameOf }: SlackRequesterOptions): { userId: string } | { name: string } {
  const shown = nameOf?.(requestedBy) ?? "";
  if (typeof shown !== "string" && USER_ID.test(shown.userId)) return shown;
  const name = requesterName(requestedBy, { nameOf: () => (typeof shown === "string" ? shown : "") });
  return { name: brief(name, LONGEST_NAME) };
}

/** Only the time if it is near; the relative time stands beside it. */
const formatNear = (time: number, { now }: Clock): string =>
  Math.abs(now - time) < DAY ? "{time_secs}" : "{date_num} {time_secs}";

function phraseMrkdwn(phrase: Phrase, clock: Clock, options: SlackRequesterOptions): string {
  // Neighbouring words are escaped together: a mention or an emoji may span them.
  return phrase
    .map((part) => {
      if (typeof part === "string") return escapeMrkdwn(part);
      if ("name" in part) return codeSpan(part.name);
      if ("time" in part) {
        return isWritable(part.time) ? dateSpan(part.time, formatNear(part.time, clock)) : clock.short(part.time);
      }
      const who = requesterOf(part.person, options);
      return "userId" in who ? `<@${who.userId}>` : codeSpan(who.name);
    })
    .join("");
}

/** A line of facts in Slack's markup. */
export const lineMrkdwn = (line: readonly Phrase[], clock: Clock, options: SlackRequesterOptions): string =>
  line.map((phrase) => phraseMrkdwn(phrase, clock, options)).join(SEPARATOR);

/** A phrase as rich text. */
export function phraseElements(phrase: Phrase, clock: Clock, formatOf = formatNear): RichTextElement[] {
  return phrase
    .filter((part) => part !== "")
    .map((part) => {
      if (typeof part === "string") return piece(part);
      if ("name" in part) return exact(part.name);
      if ("person" in part) return exact(part.person);
      return isWritable(part.time) ? date(part.time, formatOf(part.time, clock)) : piece(clock.short(part.time));
    });
}
