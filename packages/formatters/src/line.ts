import type { LogKind } from "@media-ops/sdk";
import { columnsOf, type FieldColumn, isFigure } from "./columns.js";
import { endOfAddress, type Shown, show } from "./values/show.js";
import { aroundMiddle, NOTHING } from "./values/text.js";
import { clockFor, type TimeOptions } from "./values/time.js";

/** The columns of an entry that is one line without titles. How it went comes first: the marks then stand below each other. */
export function lineColumnsOf(kind: LogKind): readonly FieldColumn[] {
  const inTable = columnsOf(kind).filter((column) => column.in === "table");
  return [...inTable.filter(({ as }) => as === "status"), ...inTable.filter(({ as }) => as !== "status")];
}

/** A value as it stands in such a line. A figure without a word says nothing, but a status has its mark. */
export function textInLine({ as, title }: FieldColumn, { text, number }: Shown): string {
  return number === undefined || as === "status" ? text : `${title.toLowerCase()} ${text}`;
}

/** What Slack takes for an option of a menu, counted in UTF-16 units. */
const LONGEST = 75;
const SEPARATOR = " · ";

/**
 * An entry in one short line of plain text, from 1 to 75 characters, by which it is chosen from others: when it was, and
 * what tells it from its neighbours.
 *
 * @throws {RangeError} where there is no such time zone, or `now` is no time.
 */
export function entryLabel(kind: LogKind, entry: unknown, options: TimeOptions): string {
  const clock = clockFor(options);
  const columns = lineColumnsOf(kind).filter(({ as }) => !isFigure(as));
  const inOrder = [...columns.filter(({ as }) => as === "time"), ...columns.filter(({ as }) => as !== "time")];
  const parts = inOrder
    .map((column) => ({ ...show(entry, column, clock), isAddress: column.as === "address" }))
    .filter(({ text }) => text !== NOTHING && text.trim() !== "");
  const room = LONGEST - SEPARATOR.length * (parts.length - 1);
  // The longest texts give way first, so that an event and an address are both seen.
  let longest = LONGEST;
  while (parts.reduce((sum, part) => sum + Math.min(part.text.length, longestOf(part, longest)), 0) > room)
    longest -= 1;
  return parts.map((part) => shorten(part, longestOf(part, longest))).join(SEPARATOR) || NOTHING;
}

/** Times and statuses are short, and mean nothing in part. */
const longestOf = ({ time, number }: Shown, longest: number): number =>
  time === undefined && number === undefined ? longest : LONGEST;

/** Leaves out the middle: an address is told from its neighbours by its end. */
function shorten({ text, isAddress }: Shown & { isAddress: boolean }, longest: number): string {
  if (text.length <= longest) return text;
  const atEnd = isAddress ? endOfAddress(text, longest) : Math.floor((longest - 1) / 2);
  return aroundMiddle(text, longest - 1 - atEnd, text.length - atEnd).join("…");
}
