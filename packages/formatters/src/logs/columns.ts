import type { ColumnPlace, FieldContent, LogKind } from "@media-ops/contract";
import { columnOf, columnsOf, type FieldColumn, fieldNamesOf, fieldOf, rowOf } from "@media-ops/reports/entries";
import { formatCount } from "../values/numbers.js";
import { endOfAddress, type Shown, show } from "../values/show.js";
import { aroundMiddle, NOTHING, oneLine } from "../values/text.js";
import { clockFor, type TimeOptions } from "../values/time.js";

/** What a connection received and sent: no entry has it as a field, but the API and people sort by it. */
const bytesInAll: FieldColumn = { field: "total_bytes", title: "Bytes", as: "bytes", in: "table" };

/** The options of every printed list of log entries. */
export interface SortedByOptions {
  /**
   * The field that the entries are sorted by, which is shown even if it has no column otherwise: the API's name, or
   * `total_bytes`. @default none
   */
  sortedBy?: string | undefined;
}

/** The columns of a listing: those in these places, and after the first one that by which it is sorted. */
export function listingColumnsOf(
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
export const isFigure = (as: FieldContent): boolean => FIGURES.includes(as);

const FIGURES: readonly FieldContent[] = ["milliseconds", "minutes", "bytes", "count"];

/** "1 webhook", "1,204 webhooks" */
export function amountOf(kind: LogKind, count: number): string {
  const { one, many } = rowOf(kind);
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** The name of a log within a sentence: "event log", "API log". */
export const logNameOf = (kind: LogKind): string =>
  rowOf(kind).title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

/** The text for an empty list of entries. */
export const noneFound = (kind: LogKind): string => `No ${rowOf(kind).many} were found.`;

/** The text with a capital first letter. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The columns of an entry on one line without titles. Status and outcome are first, so that the marks are aligned. */
export function lineColumnsOf(kind: LogKind, sortedBy?: string): readonly FieldColumn[] {
  const inTable = listingColumnsOf(kind, ["table"], sortedBy);
  const isMarked = ({ as }: FieldColumn): boolean => as === "status" || as === "outcome";
  return [...inTable.filter(isMarked), ...inTable.filter((column) => !isMarked(column))];
}

/** A value on such a line. A number needs its name, but a status has its mark. */
export function textInLine({ as, title }: FieldColumn, { text, number }: Shown): string {
  return number === undefined || as === "status" ? text : `${title.toLowerCase()} ${text}`;
}

/** The longest menu option in Slack, in UTF-16 units. */
const LONGEST = 75;
const SEPARATOR = " · ";

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
