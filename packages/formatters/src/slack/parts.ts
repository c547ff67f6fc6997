import type {
  ContextBlock,
  MrkdwnElement,
  PlainTextElement,
  RichTextBlock,
  RichTextDate,
  RichTextElement,
  RichTextText,
} from "@slack/types";
import { NOTHING, oneLine } from "../values/text.js";
import { DAY, MINUTE } from "../values/time.js";

// The smallest parts of blocks. Texts from outside stand in plain and rich text wherever possible: Slack interprets
// nothing there.

/** The longest text that any text object takes. */
export const TEXT = 3000;
/** Longest titles: they are also captions, and notifications. */
const TITLE = 200;
const NOTE = 1000;

/** Cuts a text to a length as Slack counts it at worst, in UTF-16 units, without cutting a sign in two. */
export function fit(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const cut = text.slice(0, longest - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** What was asked, in words, on one line; where nothing was given, the words that fit any time. */
export function titleOf(given: string | undefined, otherwise: string): string {
  return fit(oneLine(given ?? "").trim() || otherwise, TITLE);
}

export function plainText(text: string): PlainTextElement {
  return { type: "plain_text", text: fit(text || NOTHING, TEXT), emoji: false };
}

/** Text in Slack's own markup. Nothing is made a link or a mention that is not written as one. */
export function mrkdwn(text: string): MrkdwnElement {
  return { type: "mrkdwn", text, verbatim: true };
}

export function richText(...elements: RichTextElement[]): RichTextBlock {
  return { type: "rich_text", elements: [{ type: "rich_text_section", elements }] };
}

// Slack refuses the whole message for one text that is empty.
export const piece = (text: string): RichTextText => ({ type: "text", text: text || NOTHING });
export const bold = (text: string): RichTextText => ({ ...piece(text), style: { bold: true } });
/** A value to be copied. */
export const exact = (text: string): RichTextText => ({ ...piece(text), style: { code: true } });

/** Small print below a message. */
export function context(...texts: (string | undefined)[]): ContextBlock {
  return { type: "context", elements: texts.flatMap((text) => (text ? [plainText(fit(oneLine(text), NOTE))] : [])) };
}

/** The short form of a message, from what it is made of. */
export function notification(...texts: string[]): string {
  return escapeMrkdwn(texts.map((text) => fit(oneLine(text), TITLE)).join(": "));
}

/** The end of the year 9999. */
const LAST = 253_402_300_799_999;

/** Whether Slack can write this time for each reader. */
export const isWritable = (time: number | undefined): time is number => time !== undefined && time >= 0 && time <= LAST;

/**
 * How Slack writes times, all of them in one way, so that they can be compared: with their day where one of them is not
 * within a day from now.
 */
export function formatFor(times: readonly number[], now: number): string {
  const isNear = times.every((time) => now - time > -MINUTE && now - time < DAY);
  return isNear ? "{time_secs} · {ago}" : "{date_num} {time_secs} · {ago}";
}

/** A time for readers whose Slack cannot write it: "2026-11-21T14:03:22Z". */
export const universal = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

/** A time as each reader's own clock has it. */
export function date(time: number, format: string, fallback: string = universal(time)): RichTextDate {
  return { type: "date", timestamp: Math.floor(time / 1000), format, fallback };
}

/** The same within `mrkdwn`. */
export function dateSpan(time: number, format: string): string {
  return `<!date^${Math.floor(time / 1000)}^${format}|${universal(time)}>`;
}

// Slack knows no way to escape these, so what looks like them stands in their place.
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

/** Cannot be seen, and parts what would be read together. */
const JOINER = "\u2060";

/**
 * Makes a text mean nothing in Slack's `mrkdwn`: it mentions nobody, links nothing, and is neither bold, a quote nor an
 * emoji. Bare addresses still become links, unless the text object is `verbatim`.
 */
export function escapeMrkdwn(text: string): string {
  return (
    text
      // A sign at the beginning of a line makes a quote, also where it is escaped.
      .replace(/^[ \t]*(?=[>＞])/gm, `$&${JOINER}`)
      .replace(/@(?=(?:here|channel|everyone)\b)/gi, `@${JOINER}`)
      // Not the times of a day: no emoji is called by figures alone.
      .replace(/:(?!\d+:)(?=[^\s:]+:)/g, `:${JOINER}`)
      // Within a name, an underscore is one.
      .replace(/[*~`]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, (sign) => lookalikes.get(sign) ?? sign)
      .replace(/[&<>]/g, (sign) => entities.get(sign) ?? sign)
  );
}

/** A text as code in `mrkdwn`, where it is shown sign by sign; only backticks are replaced. */
export function codeSpan(text: string): string {
  const shown = text.replaceAll("`", "ˋ").replace(/[&<>]/g, (sign) => entities.get(sign) ?? sign);
  return `\`${shown}\``;
}
