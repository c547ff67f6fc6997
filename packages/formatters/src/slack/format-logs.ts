import type { LogKind } from "@media-ops/sdk";
import type { DataTableBlock, SectionBlock } from "@slack/types";
import { amountOf, capital, columnsOf, type FieldColumn, isFigure, noneFound, rowOf, timeFieldOf } from "../columns.js";
import { lineColumnsOf, textInLine } from "../line.js";
import { fieldOf } from "../values/field.js";
import { formatCount } from "../values/numbers.js";
import { type Shown, show } from "../values/show.js";
import { NOTHING } from "../values/text.js";
import { type Clock, clockFor, millisecondsOf, type TimeOptions } from "../values/time.js";
import type { SlackMessage } from "./message.js";
import {
  bold,
  codeSpan,
  context,
  date,
  dateSpan,
  escapeMrkdwn,
  formatFor,
  isWritable,
  mrkdwn,
  notification,
  plainText,
  richText,
  TEXT,
  titleOf,
  universal,
} from "./parts.js";

export interface SlackLogsOptions extends TimeOptions {
  /**
   * A table that can be sorted and leafed through, or a line for each entry where tables cannot be shown.
   * @default "table"
   */
  style?: "table" | "compact" | undefined;
  /** What was asked, in words. @default what the log is called */
  title?: string | undefined;
  /** What else is to be said below the entries. */
  note?: string | undefined;
  /** Where the entries stand in a longer listing of which they are a page: as which they begin, from 1 on, and of how many. */
  position?: { readonly from: number; readonly total: number } | undefined;
  /** How many rows of the table are shown at once, from 1 to 100. @default 10 */
  pageSize?: number | undefined;
  /** How many entries are shown at most, from 1 to 100. @default 100 */
  atMost?: number | undefined;
}

/** A message with log entries. */
export interface SlackLogsMessage extends SlackMessage {
  /** How many of the entries stand in it; the others had no room. */
  shown: number;
}

/**
 * Log entries as a message, in the order in which they are given. Slack writes their times in the zone of each reader;
 * what it cannot write, such as a time before 1970, stands in the zone that was asked for.
 *
 * @throws {RangeError} where there is no such time zone, or `now` is no time.
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

  const { blocks, shown } = entriesOf(kind, entries, clock, title, options);
  const { position } = options;
  const what = position ? pageWords(kind, position, shown) : countWords(kind, entries, shown);
  return {
    blocks: [heading, ...blocks, context(capital(what), options.note)],
    text: notification(title, what),
    shown,
  };
}

function entriesOf(
  kind: LogKind,
  entries: readonly unknown[],
  clock: Clock,
  caption: string,
  { style, pageSize, atMost }: SlackLogsOptions,
) {
  if (style === "compact") return linesOf(kind, entries, clock, within(atMost, 100));
  const { block, shown } = tableOf(kind, entries, clock, {
    caption,
    pageSize: within(pageSize, 10),
    atMost: within(atMost, 100),
  });
  return { blocks: [block], shown };
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
  const field = timeFieldOf(kind);
  const times = entries.map((entry) => millisecondsOf(fieldOf(entry, field)) ?? Number.NaN);
  const oldest = Math.min(...times.slice(0, shown));
  // The service lists them so, but they may be given in any order.
  const isNewest = times.slice(shown).every((time) => time <= oldest);
  return `${isNewest ? "newest" : "first"} ${formatCount(shown)} of ${all}`;
}

/** Slack refuses a message when all its texts together are too long, somewhere above 11,000; it does not say where. */
const LINES_CHARACTERS = 9000;

/** One line for each of the first entries, as many as there is room for. */
function linesOf(
  kind: LogKind,
  entries: readonly unknown[],
  clock: Clock,
  atMost: number,
): { blocks: SectionBlock[]; shown: number } {
  const columns = lineColumnsOf(kind);
  const sections: string[] = [];
  let [room, shown] = [LINES_CHARACTERS, 0];
  for (const entry of entries.slice(0, atMost)) {
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

/** The most that Slack takes, over all cells, those of the header among them. */
const TABLE_CHARACTERS = 10_000;

/** A table with as many of the first entries as there is room for. At least one must be given, and at most 100 asked for. */
function tableOf(
  kind: LogKind,
  entries: readonly unknown[],
  clock: Clock,
  { caption, pageSize, atMost }: { caption: string; pageSize: number; atMost: number },
): { block: DataTableBlock; shown: number } {
  // A message is narrow: what is only for wide tables is left to the view of one entry.
  const columns = columnsOf(kind).filter((column) => column.in === "table");
  const lines = entries.slice(0, atMost).map((entry) => {
    return columns.map((column): Value => ({ column, ...show(entry, column, clock) }));
  });
  const times = lines.flatMap((line) => line.map(({ time }) => time).filter(isWritable));
  const format = formatFor(times, clock.now);
  const rows = [columns.map(({ title }): Cell => ({ type: "raw_text", text: title }))];
  let room = TABLE_CHARACTERS - columns.reduce((sum, { title }) => sum + title.length, 0);
  for (const line of lines) {
    room -= line.reduce((sum, value) => sum + lengthOf(value, format), 0);
    if (room < 0) break;
    rows.push(line.map((value) => cellOf(value, format)));
  }
  return {
    block: { type: "data_table", caption, rows, page_size: pageSize },
    shown: rows.length - 1,
  };
}

/** A value, and the column that it stands in. */
interface Value extends Shown {
  column: FieldColumn;
}

/** Where what is missing is sorted: below all that can be. */
const LEAST = -1;

function cellOf({ column: { as }, text, time, number }: Value, format: string): Cell {
  if (isWritable(time)) return richText(date(time, format));
  // Slack sorts a column by number only where every cell is one; else 10 s stand before 84 ms.
  const isNumber = as === "status" || isFigure(as);
  return isNumber ? { type: "raw_number", value: number ?? LEAST, text } : { type: "raw_text", text };
}

/** How Slack counts a time is not known, so the longer of its two texts is counted. */
function lengthOf({ text, time }: Value, format: string): number {
  return isWritable(time) ? Math.max(format.length, universal(time).length) : text.length;
}
