import { type ColumnPlace, type FieldContent, type LogKind, readTimestamp } from "@media-ops/contract";
import type { ListingFigures, Period, Summary } from "@media-ops/reports";
import {
  columnOf,
  columnsOf,
  type FieldColumn,
  fieldNamesOf,
  fieldOf,
  keptOf,
  rowOf,
  TIME_FIELD,
} from "@media-ops/reports/entries";
import type { DataTableBlock, RichTextElement, SectionBlock } from "@slack/types";
import * as markdown from "./markdown/markup.js";
import * as slack from "./slack/parts.js";
import * as terminal from "./terminal/screen.js";
import { cutEnd, fit, textWidth, wrap } from "./terminal/width.js";
import { SEPARATOR } from "./values/answer.js";
import { formatCount } from "./values/numbers.js";
import { endOfAddress, type Shown, show, showWhole } from "./values/show.js";
import { aroundMiddle, type Clock, clockFor, NOTHING, oneLine, type TimeOptions, textOf } from "./values/words.js";

/** What a connection received and sent: no entry has it as a field, but the API and people sort by it. */
const bytesInAll: FieldColumn = { field: "total_bytes", title: "Bytes", as: "bytes", in: "table" };

/** The options of every printed list of log entries. */
interface SortedByOptions {
  /**
   * The field that the entries are sorted by, which is shown even if it has no column otherwise: the API's name, or
   * `total_bytes`. @default none
   */
  sortedBy?: string | undefined;
}

/** The columns of a listing: those in these places, and after the first one that by which it is sorted. */
function listingColumnsOf(
  kind: LogKind,
  places: readonly ColumnPlace[],
  sortedBy: string | undefined,
): readonly FieldColumn[] {
  const all = columnsOf(kind).filter((column) => places.includes(column.in));
  if (sortedBy === undefined || all.some(({ field }) => field === sortedBy)) return all;
  const column = sortedBy === bytesInAll.field ? bytesInAll : columnOf(kind, sortedBy);
  return column ? [...all.slice(0, 1), { ...column, in: "table" }, ...all.slice(1)] : all;
}

/** The optional columns with a value in at least one of these entries. */
export const givenColumnsOf = (kind: LogKind, entries: readonly unknown[]): readonly FieldColumn[] =>
  rowOf(kind).optionalColumns.filter(({ field }) => entries.some((entry) => fieldOf(entry, field) !== undefined));

/** The columns of one entry: those of its kind in order, then its unknown fields. */
export function detailColumnsOf(kind: LogKind, entry: unknown): readonly FieldColumn[] {
  const known = [...columnsOf(kind), ...givenColumnsOf(kind, [entry])];
  const names = new Set(known.map(({ field }) => field));
  const unknown = fieldNamesOf(entry)
    .filter((field) => !names.has(field))
    .map((field) => ({ field, title: oneLine(field) || "(no name)", as: "text" as const, in: "detail" as const }));
  return [...known, ...unknown];
}

/** Whether values are compared digit by digit, and therefore aligned right. */
const isFigure = (as: FieldContent): boolean => FIGURES.includes(as);

const FIGURES: readonly FieldContent[] = ["milliseconds", "minutes", "bytes", "count"];

/** "1 webhook", "1,204 webhooks" */
export function amountOf(kind: LogKind, count: number): string {
  const { one, many } = rowOf(kind);
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** The name of a log within a sentence: "event log", "API log". */
export const logNameOf = (kind: LogKind): string =>
  rowOf(kind).title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

const noneFound = (kind: LogKind): string => `No ${rowOf(kind).many} were found.`;

/** The text with a capital first letter. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The columns of an entry on one line without titles. Status and outcome are first, so that the marks are aligned. */
function lineColumnsOf(kind: LogKind, sortedBy?: string): readonly FieldColumn[] {
  const inTable = listingColumnsOf(kind, ["table"], sortedBy);
  const isMarked = ({ as }: FieldColumn): boolean => as === "status" || as === "outcome";
  return [...inTable.filter(isMarked), ...inTable.filter((column) => !isMarked(column))];
}

/** A value on such a line. A number needs its name, but a status has its mark. */
function textInLine({ as, title }: FieldColumn, { text, number }: Shown): string {
  return number === undefined || as === "status" ? text : `${title.toLowerCase()} ${text}`;
}

/** The longest menu option in Slack, in UTF-16 units. */
const LONGEST = 75;

/**
 * An entry in one short line of plain text, from 1 to 75 characters, for a menu: its time, and the fields that
 * distinguish it from its neighbours.
 */
export function entryLabel(kind: LogKind, entry: unknown, options: TimeOptions): string {
  const clock = clockFor(options);
  const columns = lineColumnsOf(kind).filter(({ as }) => !isFigure(as));
  const inOrder = [...columns.filter(({ as }) => as === "time"), ...columns.filter(({ as }) => as !== "time")];
  const parts = inOrder
    .map((column) => ({ ...show(entry, column, clock), isAddress: column.as === "address" }))
    .filter(({ text }) => text !== NOTHING && text.trim() !== "");
  const room = LONGEST - SEPARATOR.length * (parts.length - 1);
  // The longest texts are shortened first, so that both an event and a URL are visible.
  let longest = LONGEST;
  while (parts.reduce((sum, part) => sum + Math.min(part.text.length, longestOf(part, longest)), 0) > room)
    longest -= 1;
  return parts.map((part) => shorten(part, longestOf(part, longest))).join(SEPARATOR) || NOTHING;
}

/** Times and statuses are short, and meaningless in part. */
const longestOf = ({ time, number }: Shown, longest: number): number =>
  time === undefined && number === undefined ? longest : LONGEST;

/** Omits the middle: URLs differ at their ends. */
function shorten({ text, isAddress }: Shown & { isAddress: boolean }, longest: number): string {
  if (text.length <= longest) return text;
  const atEnd = isAddress ? endOfAddress(text, longest) : Math.floor((longest - 1) / 2);
  return aroundMiddle(text, longest - 1 - atEnd, text.length - atEnd).join("…");
}

const RULE = "entries are kept for 30 days";

/** The outcome before the name of entries: "failed ", "successful ", or nothing if both were requested. */
export const adjectiveOf = (only: Summary["only"]): string =>
  only === undefined ? "" : only === "failed" ? "failed " : "successful ";

/** "Incomplete: only 21:41:25–21:41:26 was searched." */
export function incompleteWords(searched: Period | undefined, clock: Clock): string {
  if (searched && searched.from === searched.to && keptOf({ until: searched.to }, clock.now).gone)
    return `Nothing is known of this time: ${RULE}.`;
  return `Incomplete: only ${searched ? spanWords(searched, clock) : "a part"} was searched.`;
}

/** A period within a sentence: "21:41:25–21:41:26", with dates if it is not today. */
export function spanWords({ from, to }: Period, clock: Clock): string {
  const [start, end] = [clock.short(from), clock.short(to)];
  // The day is said once.
  const day = /^(.* )?(?=\S+$)/.exec(start)?.[0] ?? "";
  const isToday = day !== "" && !end.includes(" ");
  const rest = isToday ? `today ${end}` : end.startsWith(day) ? end.slice(day.length) : end;
  return `${start}–${rest}${clock.timeZone === "UTC" ? " UTC" : ""}`;
}

/** What a listing or a summary asks for. Times are in milliseconds since 1970. */
export interface Asked {
  kind: LogKind;
  /** Whether only failed entries were requested, or only others. @default both */
  only?: Summary["only"] | undefined;
  since?: number | undefined;
  until?: number | undefined;
  /** The order in words, such as "by bytes". @default the newest first */
  order?: string | undefined;
  /** Whether it is a summary, which says itself how much of the period is kept. @default false */
  isSummary?: boolean | undefined;
  /** The period in words, if it begins at this time, and the other conditions with the project. */
  phrases(since: number | undefined): { period: string; more: string };
}

/**
 * What a listing or a summary found, as a heading: "37 failed webhooks of 1,240,332 in the last 2 hours, project demo",
 * "Top 10 by bytes of 1,240 connections". If not all was searched, or kept, it says so first.
 */
export function listingHeading(asked: Asked, figures: ListingFigures, options: TimeOptions): string {
  const { kind, only, until = options.now, isSummary = false } = asked;
  const { found, of, top, searchedTo, isAtLeast = searchedTo !== undefined } = figures;
  const { since, gone } = keptOf(asked, options.now);
  const { period, more } = asked.phrases(gone === "part" ? since : asked.since);
  const { one, many } = rowOf(kind);
  const when = period && ` ${period}`;
  if (gone === "all" && !isSummary) {
    return `Nothing is known of ${[`${adjectiveOf(only)}${many}${when}`, more].filter(Boolean).join(", ")}: ${RULE}.`;
  }
  const order = top === undefined ? undefined : asked.order;
  const isTop = order !== undefined && top !== undefined && top < found;
  const amount = `${isAtLeast && found > 0 ? "at least " : ""}${formatCount(found)}`;
  const name = `${adjectiveOf(only)}${found === 1 && !isAtLeast ? one : many}`;
  const there = searchedTo !== undefined && found === 0 ? " there" : "";
  const total = of === undefined || (of === found && only === undefined) ? "" : ` of ${formatCount(of)}`;
  const heading = [
    `${isTop ? `Top ${formatCount(top)} ${order} of ` : ""}${amount} ${name}${there}${total}${when}`,
    isTop || found < 2 ? undefined : order,
    more,
  ]
    .filter(Boolean)
    .join(", ");
  if (searchedTo !== undefined) {
    const searched = { from: Math.min(Date.parse(searchedTo), until), to: until };
    return `${incompleteWords(searched, clockFor(options))} ${capital(heading)}`;
  }
  return gone && !isSummary ? `Incomplete: ${RULE}. ${capital(heading)}` : heading;
}

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
export interface SlackLogsMessage extends slack.SlackMessage {
  /** The number of entries that it shows; the others did not fit. */
  shown: number;
}

/**
 * Log entries as a message, in the given order. Slack shows times in the zone of each reader; times that it cannot
 * format, such as those before 1970, are in the given zone.
 */
export function slackLogs(kind: LogKind, entries: readonly unknown[], options: SlackLogsOptions): SlackLogsMessage {
  const clock = clockFor(options);
  const title = slack.titleOf(options.title, rowOf(kind).title);
  const heading = slack.richText(slack.bold(title));
  if (entries.length === 0) {
    const none = noneFound(kind);
    const blocks = [heading, { type: "section" as const, text: slack.plainText(none) }];
    return {
      blocks: options.note ? [...blocks, slack.context(options.note)] : blocks,
      text: slack.notification(title, none),
      shown: 0,
    };
  }

  const { position, style, sortedBy } = options;
  const atMost = within(options.atMost, 100);
  const { blocks, shown } =
    style === "compact"
      ? slackLines(entries.slice(0, atMost), lineColumnsOf(kind, sortedBy), clock)
      : slackTable(entries.slice(0, atMost), listingColumnsOf(kind, ["table"], sortedBy), clock, {
          caption: title,
          page_size: within(options.pageSize, 10),
        });
  const what = position ? pageWords(kind, position, shown) : countWords(kind, entries, shown);
  return {
    blocks: [heading, ...blocks, slack.context(capital(what), options.note)],
    text: slack.notification(title, what),
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
  const times = entries.map((entry) => readTimestamp(fieldOf(entry, TIME_FIELD)) ?? Number.NaN);
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
function slackLines(entries: readonly unknown[], columns: readonly FieldColumn[], clock: Clock): ShownEntries {
  const all = entries.map((entry) => {
    const parts = columns.map((column) => slackPart(entry, column, clock)).filter((part) => part !== "");
    return parts.join(" · ") || NOTHING;
  });
  const lines = slack.fitting(all, ({ length }) => length + 1);
  const sections: string[] = [];
  for (const line of lines) {
    const section = sections.at(-1);
    if (section !== undefined && section.length + line.length < slack.TEXT)
      sections[sections.length - 1] += `\n${line}`;
    else sections.push(line);
  }
  return { blocks: sections.map((text) => ({ type: "section", text: slack.mrkdwn(text) })), shown: lines.length };
}

function slackPart(entry: unknown, column: FieldColumn, clock: Clock): string {
  const shown = show(entry, column, clock);
  const { text, time, number } = shown;
  if (text === NOTHING) return "";
  if (slack.isWritable(time)) return slack.dateSpan(time, slack.formatFor([time], clock.now));
  return number === undefined ? slack.codeSpan(text) : slack.escapeMrkdwn(textInLine(column, shown));
}

type SlackCell = DataTableBlock["rows"][number][number];

/** Slack's limit for all cells including the header. */
const TABLE_CHARACTERS = 10_000;

/**
 * A table with as many of the first entries as fit, from 1 to 100. A message is narrow: wide columns are only shown in
 * the details of an entry.
 */
function slackTable(
  entries: readonly unknown[],
  columns: readonly FieldColumn[],
  clock: Clock,
  { caption, page_size }: { caption: string; page_size: number },
): ShownEntries {
  const lines = entries.map((entry) => columns.map((column): Value => ({ column, ...show(entry, column, clock) })));
  const times = lines.flatMap((line) => line.map(({ time }) => time).filter(slack.isWritable));
  const format = slack.formatFor(times, clock.now);
  const titles = columns.map(({ title }): SlackCell => ({ type: "raw_text", text: title }));
  const room = TABLE_CHARACTERS - columns.reduce((sum, { title }) => sum + title.length, 0);
  const shown = slack.fitting(lines, (line) => line.reduce((sum, value) => sum + cellLength(value, format), 0), room);
  const rows = [titles, ...shown.map((line) => line.map((value) => slackCell(value, format)))];
  return { blocks: [{ type: "data_table", caption, rows, page_size }], shown: shown.length };
}

/** A value and its column. */
interface Value extends Shown {
  column: FieldColumn;
}

/** Sorts missing values below all others. */
const MISSING = -1;

function slackCell({ column: { as }, text, time, number }: Value, format: string): SlackCell {
  if (slack.isWritable(time)) return slack.richText(slack.date(time, format));
  // Slack sorts a column numerically only if every cell is a number; otherwise 10 s would precede 84 ms.
  const isNumber = as === "status" || isFigure(as);
  return isNumber ? { type: "raw_number", value: number ?? MISSING, text } : { type: "raw_text", text };
}

function cellLength({ text, time }: Value, format: string): number {
  return slack.isWritable(time) ? slack.dateLength(time, format) : text.length;
}

/** Leaves space for the note and the caller's own blocks. */
const DETAIL_FIELDS = 90;
/** Slack refuses a view of more than 250 kB; a character has up to three bytes, and may occur twice. */
const DETAIL_CHARACTERS = 36_000;
const NAME = 150;
const VALUE = 3000;
const LONG = 8 * VALUE;

/** All fields of an entry, as the blocks of a modal. Long texts and excess fields are truncated with a note. */
export function slackLogDetail(kind: LogKind, entry: unknown, options: TimeOptions): slack.SlackMessage {
  const clock = clockFor(options);
  const columns = detailColumnsOf(kind, entry);
  const fields = columns.slice(0, DETAIL_FIELDS).map((column): RichTextElement[] => {
    return [slack.bold(slack.fit(column.title, NAME)), slack.piece("\n"), ...elementsOf(entry, column, clock)];
  });
  const shown = slack.fitting(fields, slack.lengthOf, DETAIL_CHARACTERS);
  const blocks: slack.SlackBlock[] = shown.map((elements) => slack.richText(...elements));
  const left = columns.length - blocks.length;
  if (left > 0)
    blocks.push(slack.context(`${formatCount(left)} more ${left === 1 ? "field is" : "fields are"} not shown.`));
  const [first] = columns.filter(({ as }) => as === "time").map((column) => show(entry, column, clock).time);
  return {
    blocks,
    text: slack.notification(rowOf(kind).title, slack.isWritable(first) ? slack.universal(first) : "one entry"),
  };
}

function elementsOf(entry: unknown, column: FieldColumn, clock: Clock): RichTextElement[] {
  const raw = fieldOf(entry, column.field);
  // Only the visible part of a very long text is processed.
  if (typeof raw === "string" && raw.length > LONG)
    return [slack.exact(slack.fit(oneLine(raw.slice(0, LONG)), VALUE)), cutWords(raw)];
  const { time, number } = show(entry, column, clock);
  const whole = showWhole(entry, column, clock);
  if (slack.isWritable(time)) {
    const format = "{date_short_pretty} {time_secs} · {ago}";
    return [slack.date(time, format, clock.zoned(time)), slack.piece(" · "), ...copyable(textOf(raw))];
  }
  if (number !== undefined || whole === NOTHING) return [slack.piece(whole)];
  if (column.as === "channel" && whole !== raw)
    return [slack.piece(`${slack.fit(whole, VALUE)} · `), ...copyable(textOf(raw))];
  return copyable(whole);
}

function copyable(text: string): RichTextElement[] {
  if (text.length <= VALUE) return [slack.exact(text)];
  return [slack.exact(slack.fit(text, VALUE)), cutWords(text)];
}

const cutWords = ({ length }: string): RichTextElement =>
  slack.piece(` (cut; ${formatCount(length)} characters in total)`);

export interface TerminalLogsOptions extends terminal.TerminalOptions, SortedByOptions {
  /** A table with titles, or one line per entry with names only for numbers. @default "table" */
  style?: "table" | "compact" | undefined;
  /** The title above the entries. */
  title?: string | undefined;
  /** A note below them. */
  note?: string | undefined;
}

/** Log entries, one per line. */
export function terminalLogs(kind: LogKind, entries: readonly unknown[], options: TerminalLogsOptions): string {
  const { style = "table", title = "", note = "", sortedBy } = options;
  const screen = terminal.timedScreenOf(options);
  const { clock, width, paint } = screen;
  const lines = (): string[] => {
    if (entries.length === 0) return wrap(noneFound(kind), width);
    if (style === "compact") return compactLines(kind, entries, screen, sortedBy);
    const shown = listingColumnsOf(kind, ["table", "wide"], sortedBy);
    return terminal.tableLines(
      shown.map(
        (column): terminal.TableColumn => ({
          title: column.as === "time" ? column.title + terminal.zoneOf(clock) : column.title,
          isRight: isFigure(column.as),
          isOptional: column.in === "wide",
          isAddress: column.as === "address",
          cells: entries.map((entry) => terminal.cellOf(show(entry, column, clock))),
        }),
      ),
      width,
      paint,
    );
  };
  return [...terminal.textLines(title, "title", screen), ...lines(), ...terminal.noteLines([note], screen)].join("\n");
}

/** One line per entry, without titles and missing values. */
function compactLines(
  kind: LogKind,
  entries: readonly unknown[],
  { clock, width, paint }: terminal.TimedScreen,
  sortedBy: string | undefined,
): string[] {
  const columns = lineColumnsOf(kind, sortedBy);
  return entries.map((entry) => {
    const parts = columns.map((column) => terminalPart(entry, column, clock)).filter(({ text }) => text !== NOTHING);
    const line = terminalLine(
      parts.map(({ text }) => text),
      width,
      columns.at(-1)?.as === "address",
    );
    const { text = "", style = "plain" } = parts[0] ?? {};
    return line.startsWith(text) ? paint(text, style) + line.slice(text.length) : line;
  });
}

/** Shorter text has too little information. */
const LEAST = 8;
/** The status and the time. */
const FIRST = 2;

/** If a line is too long, the last text is shortened, or omitted with the rest. */
function terminalLine(given: readonly string[], width: number, endsInAddress: boolean): string {
  const texts = endsInAddress ? withRoomForAddress(given, width) : given;
  const line = texts.join(SEPARATOR) || NOTHING;
  const before = texts
    .slice(0, -1)
    .map((text) => text + SEPARATOR)
    .join("");
  const room = width - textWidth(before);
  if (room < LEAST) return cutEnd(line, width);
  const last = line.slice(before.length);
  return before + fit(last, room, endsInAddress ? endOfAddress(last, room) : undefined);
}

/** Omits texts before a URL, from the right, until the URL is long enough to be identifiable; status and time stay. */
function withRoomForAddress(given: readonly string[], width: number): readonly string[] {
  const [address = ""] = given.slice(-1);
  const needed = Math.min(textWidth(address), terminal.ADDRESS);
  for (let kept = given.length - 1; kept >= FIRST; kept -= 1) {
    const texts = [...given.slice(0, kept), address];
    if (textWidth(texts.join(SEPARATOR)) - textWidth(address) + needed <= width) return texts;
  }
  return given;
}

function terminalPart(entry: unknown, column: FieldColumn, clock: Clock): terminal.Cell {
  const shown = show(entry, column, clock);
  return terminal.cellOf({ ...shown, text: textInLine(column, shown) });
}

/** All fields of an entry. */
export function terminalLogDetail(kind: LogKind, entry: unknown, options: terminal.TerminalOptions): string {
  const screen = terminal.timedScreenOf(options);
  const facts = detailColumnsOf(kind, entry).map((column) => ({
    title: column.title,
    text: showWhole(entry, column, screen.clock),
    style: show(entry, column, screen.clock).tone,
  }));
  return terminal.factLines(facts, screen).join("\n");
}

export interface MarkdownLogsOptions extends TimeOptions, SortedByOptions {
  /** The title above the table. */
  title?: string | undefined;
}

/** Log entries as a table. Times have their date and are not relative, because a page is read later. */
export function markdownLogs(kind: LogKind, entries: readonly unknown[], options: MarkdownLogsOptions): string {
  const clock = clockFor(options);
  const heading = markdown.headingLines(options.title ?? "");
  if (entries.length === 0) return [...heading, noneFound(kind)].join("\n");
  const shownColumns = listingColumnsOf(kind, ["table", "wide"], options.sortedBy);
  const table = markdown.tableLines(
    shownColumns.map(({ title, as }) => ({
      title: as === "time" ? `${title} (${clock.timeZone})` : title,
      isRight: isFigure(as),
    })),
    entries.map((entry) =>
      shownColumns.map((column) => {
        const { text, time } = show(entry, column, clock);
        return time === undefined ? text : clock.full(time);
      }),
    ),
  );
  return [...heading, ...table].join("\n");
}

/** All fields of an entry, as a table. */
export function markdownLogDetail(kind: LogKind, entry: unknown, options: TimeOptions): string {
  const clock = clockFor(options);
  const facts = detailColumnsOf(kind, entry).map((column) => ({
    title: column.title,
    text: wholeText(entry, column, clock),
  }));
  return markdown.factLines("Field", facts).join("\n");
}

function wholeText(entry: unknown, column: FieldColumn, clock: Clock): string {
  const { time } = show(entry, column, clock);
  if (time === undefined) return showWhole(entry, column, clock);
  // The age would be wrong by the time the page is read.
  return `${clock.zoned(time)} · ${textOf(fieldOf(entry, column.field))}`;
}
