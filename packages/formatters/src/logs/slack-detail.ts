import type { LogKind } from "@media-ops/contract";
import { type FieldColumn, fieldOf, rowOf } from "@media-ops/reports/entries";
import type { RichTextElement } from "@slack/types";
import {
  bold,
  context,
  date,
  exact,
  fit,
  isWritable,
  notification,
  piece,
  richText,
  type SlackBlock,
  type SlackMessage,
  universal,
} from "../slack/parts.js";
import { formatCount } from "../values/numbers.js";
import { show, showWhole } from "../values/show.js";
import { NOTHING, oneLine, textOf } from "../values/text.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import { detailColumnsOf } from "./columns.js";

/** Leaves space for the note and the caller's own blocks. */
const DETAIL_FIELDS = 90;
/** Slack refuses a view of more than 250 kB; a character has up to three bytes, and may occur twice. */
const DETAIL_CHARACTERS = 36_000;
const NAME = 150;
const VALUE = 3000;
const LONG = 8 * VALUE;

/** All fields of an entry, as the blocks of a modal. Long texts and excess fields are truncated with a note. */
export function formatLogDetail(kind: LogKind, entry: unknown, options: TimeOptions): SlackMessage {
  const clock = clockFor(options);
  const columns = detailColumnsOf(kind, entry);
  const blocks: SlackBlock[] = [];
  let room = DETAIL_CHARACTERS;
  for (const column of columns.slice(0, DETAIL_FIELDS)) {
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
  // Only the visible part of a very long text is processed.
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
