import type { LogKind } from "@media-ops/sdk";
import type { RichTextElement } from "@slack/types";
import { type FieldColumn, rowOf } from "../columns.js";
import { detailColumnsOf } from "../details.js";
import { fieldOf } from "../values/field.js";
import { formatCount } from "../values/numbers.js";
import { show, showWhole } from "../values/show.js";
import { NOTHING, oneLine, textOf } from "../values/text.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import type { SlackBlock, SlackMessage } from "./message.js";
import { bold, context, date, exact, fit, isWritable, notification, piece, richText, universal } from "./parts.js";

/** Leaves room for the note, and for what the caller adds. */
const FIELDS = 90;
/** Slack refuses a view of more than 250 kB; a sign has up to three bytes, and stands there up to twice. */
const CHARACTERS = 36_000;
const NAME = 150;
const VALUE = 3000;
const LONG = 8 * VALUE;

/**
 * Everything that an entry holds, as the blocks of a modal. What is too long or too much is cut, and said to be.
 *
 * @throws {RangeError} where there is no such time zone, or `now` is no time.
 */
export function formatLogDetail(kind: LogKind, entry: unknown, options: TimeOptions): SlackMessage {
  const clock = clockFor(options);
  const columns = detailColumnsOf(kind, entry);
  const blocks: SlackBlock[] = [];
  let room = CHARACTERS;
  for (const column of columns.slice(0, FIELDS)) {
    const elements = [bold(fit(column.title, NAME)), piece("\n"), ...elementsOf(entry, column, clock)];
    room -= elements.reduce((sum, element) => sum + lengthOf(element), 0);
    if (room < 0) break;
    blocks.push(richText(...elements));
  }
  const left = columns.length - blocks.length;
  if (left > 0) blocks.push(context(`${formatCount(left)} more ${left === 1 ? "field is" : "fields are"} not shown.`));
  const [first] = columns.filter(({ as }) => as === "time").map((column) => show(entry, column, clock).time);
  return { blocks, text: notification(rowOf(kind).title, isWritable(first) ? universal(first) : "one entry") };
}

function elementsOf(entry: unknown, column: FieldColumn, clock: Clock): RichTextElement[] {
  const raw = fieldOf(entry, column.field);
  // Of a text that is much too long, only what is shown is looked at.
  if (typeof raw === "string" && raw.length > LONG) return [exact(fit(oneLine(raw.slice(0, LONG)), VALUE)), cut(raw)];
  const { time, number } = show(entry, column, clock);
  const whole = showWhole(entry, column, clock);
  if (isWritable(time)) {
    const format = "{date_short_pretty} {time_secs} · {ago}";
    return [date(time, format, clock.zoned(time)), piece(" · "), ...copyable(textOf(raw))];
  }
  if (number !== undefined || whole === NOTHING) return [piece(whole)];
  if (column.as === "channel" && whole !== raw) return [piece(`${fit(whole, VALUE)} · `), ...copyable(textOf(raw))];
  return copyable(whole);
}

function copyable(text: string): RichTextElement[] {
  if (text.length <= VALUE) return [exact(text)];
  return [exact(fit(text, VALUE)), cut(text)];
}

const cut = ({ length }: string): RichTextElement => piece(` (cut; ${formatCount(length)} characters in all)`);

const lengthOf = (element: RichTextElement): number => ("text" in element ? (element.text?.length ?? 0) : 0);
