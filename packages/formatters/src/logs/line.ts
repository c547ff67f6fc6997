import type { LogKind } from "@media-ops/contract";
import type { FieldColumn } from "@media-ops/reports/entries";
import { endOfAddress, type Shown, show } from "../values/show.js";
import { aroundMiddle, NOTHING } from "../values/text.js";
import { clockFor, type TimeOptions } from "../values/time.js";
import { isFigure, listingColumnsOf } from "./columns.js";

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
