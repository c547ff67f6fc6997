import type { LogKind } from "@media-ops/contract";
import { type FieldColumn, fieldOf, millisecondsOf, rowOf, TIME_FIELD } from "@media-ops/reports/entries";
import type { DataTableBlock, RichTextElement, SectionBlock } from "@slack/types";
import {
  bold,
  codeSpan,
  context,
  date,
  dateLength,
  dateSpan,
  escapeMrkdwn,
  exact,
  fit,
  formatFor,
  isWritable,
  LINES_CHARACTERS,
  lengthOf,
  mrkdwn,
  notification,
  piece,
  plainText,
  richText,
  type SlackBlock,
  type SlackMessage,
  TEXT,
  titleOf,
  universal,
} from "../slack/parts.js";
import { formatCount } from "../values/numbers.js";
import { type Shown, show, showWhole } from "../values/show.js";
import { NOTHING, oneLine, textOf } from "../values/text.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import {
  amountOf,
  capital,
  detailColumnsOf,
  isFigure,
  lineColumnsOf,
  listingColumnsOf,
  noneFound,
  type SortedByOptions,
  textInLine,
} from "./columns.js";

export interface SlackLogsOptions extends TimeOptions, SortedByOptions {
  /**
   * A table that can be sorted and paged, or one line per entry if tables are not supported.
   * @default "table"
   */
  style?: "table" | "compact" | undefined;
  /** The query in words. @default the name of the log */
  title?: string | undefined;
  /** A note below the entries. */
  note?: string | undefined;
  /** The position of the entries in a longer listing: the number of the first one, from 1 on, and the total. */
  position?: { readonly from: number; readonly total: number } | undefined;
  /** The rows of the table per page, from 1 to 100. @default 10 */
  pageSize?: number | undefined;
  /** The maximum number of entries to show, from 1 to 100. @default 100 */
  atMost?: number | undefined;
}

/** A message with log entries. */
export interface SlackLogsMessage extends SlackMessage {
  /** The number of entries that it shows; the others did not fit. */
  shown: number;
}

/**
 * Log entries as a message, in the given order. Slack shows times in the zone of each reader; times that it cannot
 * format, such as those before 1970, are in the given zone.
 */
export function formatLogs(kind: LogKind, entries: readonly unknown[], options: SlackLogsOptions): SlackLogsMessage {
  const clock = clockFor(options);
  const title = titleOf(options.title, rowOf(kind).title);
  const heading = richText(bold(title));
  if (entries.length === 0) {
    const none = noneFound(kind);
    const blocks = [heading, { type: "section" as const, text: plainText(none) }];
    return {
      blocks: options.note ? [...blocks, context(options.note)] : blocks,
      text: notification(title, none),
      shown: 0,
    };
  }

  const { position, style, sortedBy } = options;
  const atMost = within(options.atMost, 100);
  const { blocks, shown } =
    style === "compact"
      ? linesOf(entries.slice(0, atMost), lineColumnsOf(kind, sortedBy), clock)
      : tableOf(entries.slice(0, atMost), listingColumnsOf(kind, ["table"], sortedBy), clock, {
          caption: title,
          page_size: within(options.pageSize, 10),
        });
  const what = position ? pageWords(kind, position, shown) : countWords(kind, entries, shown);
  return {
    blocks: [heading, ...blocks, context(capital(what), options.note)],
    text: notification(title, what),
    shown,
  };
}

/** A count from 1 to 100. */
function within(given: number | undefined, otherwise: number): number {
  return Math.min(Math.max(Math.floor(given ?? otherwise) || 1, 1), 100);
}

/** "51–70 of 1,000 webhooks". */
function pageWords(kind: LogKind, { from, total }: { from: number; total: number }, shown: number): string {
  const last = shown > 1 ? `–${formatCount(from + shown - 1)}` : "";
  return `${formatCount(from)}${last} of ${amountOf(kind, total)}`;
}

function countWords(kind: LogKind, entries: readonly unknown[], shown: number): string {
  const all = amountOf(kind, entries.length);
  if (shown === entries.length) return all;
  const times = entries.map((entry) => millisecondsOf(fieldOf(entry, TIME_FIELD)) ?? Number.NaN);
  const oldest = Math.min(...times.slice(0, shown));
  // The service lists the newest first, but callers may pass entries in any order.
  const isNewest = times.slice(shown).every((time) => time <= oldest);
  return `${isNewest ? "newest" : "first"} ${formatCount(shown)} of ${all}`;
}

/** The entries that are shown as blocks, and how many of them fit. */
interface ShownEntries {
  blocks: (SectionBlock | DataTableBlock)[];
  shown: number;
}

/** One line per entry, for as many of the first entries as fit. */
function linesOf(entries: readonly unknown[], columns: readonly FieldColumn[], clock: Clock): ShownEntries {
  const sections: string[] = [];
  let [room, shown] = [LINES_CHARACTERS, 0];
  for (const entry of entries) {
    const parts = columns.map((column) => partOf(entry, column, clock)).filter((part) => part !== "");
    const line = parts.join(" · ") || NOTHING;
    room -= line.length + 1;
    if (room < 0) break;
    const section = sections.at(-1);
    if (section !== undefined && section.length + line.length < TEXT) sections[sections.length - 1] += `\n${line}`;
    else sections.push(line);
    shown += 1;
  }
  return { blocks: sections.map((text) => ({ type: "section", text: mrkdwn(text) })), shown };
}

function partOf(entry: unknown, column: FieldColumn, clock: Clock): string {
  const shown = show(entry, column, clock);
  const { text, time, number } = shown;
  if (text === NOTHING) return "";
  if (isWritable(time)) return dateSpan(time, formatFor([time], clock.now));
  return number === undefined ? codeSpan(text) : escapeMrkdwn(textInLine(column, shown));
}

type Cell = DataTableBlock["rows"][number][number];

/** Slack's limit for all cells including the header. */
const TABLE_CHARACTERS = 10_000;

/**
 * A table with as many of the first entries as fit, from 1 to 100. A message is narrow: wide columns are only shown in
 * the details of an entry.
 */
function tableOf(
  entries: readonly unknown[],
  columns: readonly FieldColumn[],
  clock: Clock,
  { caption, page_size }: { caption: string; page_size: number },
): ShownEntries {
  const lines = entries.map((entry) => columns.map((column): Value => ({ column, ...show(entry, column, clock) })));
  const times = lines.flatMap((line) => line.map(({ time }) => time).filter(isWritable));
  const format = formatFor(times, clock.now);
  const rows = [columns.map(({ title }): Cell => ({ type: "raw_text", text: title }))];
  let room = TABLE_CHARACTERS - columns.reduce((sum, { title }) => sum + title.length, 0);
  for (const line of lines) {
    room -= line.reduce((sum, value) => sum + cellLength(value, format), 0);
    if (room < 0) break;
    rows.push(line.map((value) => cellOf(value, format)));
  }
  return { blocks: [{ type: "data_table", caption, rows, page_size }], shown: rows.length - 1 };
}

/** A value and its column. */
interface Value extends Shown {
  column: FieldColumn;
}

/** Sorts missing values below all others. */
const LEAST = -1;

function cellOf({ column: { as }, text, time, number }: Value, format: string): Cell {
  if (isWritable(time)) return richText(date(time, format));
  // Slack sorts a column numerically only if every cell is a number; otherwise 10 s would precede 84 ms.
  const isNumber = as === "status" || isFigure(as);
  return isNumber ? { type: "raw_number", value: number ?? LEAST, text } : { type: "raw_text", text };
}

function cellLength({ text, time }: Value, format: string): number {
  return isWritable(time) ? dateLength(time, format) : text.length;
}

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

const cut = ({ length }: string): RichTextElement => piece(` (cut; ${formatCount(length)} characters in total)`);
