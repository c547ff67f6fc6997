import { isObject, type Json, listIn, numberIn, stringIn } from "../json.js";
import { type Part, plainOf, readRichText } from "../text/rich-text.js";

export interface Cell {
  readonly text: string;
  /** As rich text, where it is more than text. */
  readonly parts: readonly Part[] | undefined;
  /** What it is sorted by. */
  readonly order: number | string;
}

export type Row = readonly Cell[];

export interface Sorting {
  readonly column: number;
  readonly direction: "ascending" | "descending";
}

/** The rows of a `data_table` or a `table`, the header among them. */
export function readRows(block: Json): Row[] {
  const rows = Array.isArray(block.rows) ? block.rows : [];
  return rows.map((row) => listIn(row).map(readCell));
}

function readCell(cell: Json): Cell {
  const text = stringIn(cell.text);
  if (cell.type === "raw_number") return { text, parts: undefined, order: numberIn(cell.value) ?? text };
  if (cell.type !== "rich_text") return { text, parts: undefined, order: text };
  const parts = readRichText(cell);
  const plain = plainOf(parts);
  return { text: plain, parts, order: timeIn(parts) ?? plain };
}

/** A cell that shows a time is sorted by it. */
function timeIn(parts: readonly Part[]): number | undefined {
  const pieces = parts.flatMap((part) => (part.type === "list" ? part.items.flat() : part.pieces));
  const [date] = pieces.flatMap((piece) => (piece.type === "date" ? [piece.timestamp] : []));
  return date;
}

/** Sorted by a column; rows that are equal in it stay in their order. */
export function sortRows(rows: readonly Row[], sorting: Sorting | undefined): readonly Row[] {
  if (!sorting) return rows;
  const { column, direction } = sorting;
  const sign = direction === "ascending" ? 1 : -1;
  return rows.toSorted((a, b) => sign * compare(a[column]?.order ?? "", b[column]?.order ?? ""));
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

/** What a click on a column's title leads to: up, down, and as it came. */
export function nextSorting(now: Sorting | undefined, column: number): Sorting | undefined {
  if (now?.column !== column) return { column, direction: "ascending" };
  return now.direction === "ascending" ? { column, direction: "descending" } : undefined;
}

/** Where the texts of columns stand: numbers below one another at the right, unless the app says otherwise. */
export function alignments(block: Json, rows: readonly Row[]): readonly ("left" | "center" | "right")[] {
  const settings = Array.isArray(block.column_settings) ? block.column_settings : [];
  return (rows[0] ?? []).map((_, column) => {
    const own: unknown = settings[column];
    const align = isObject(own) ? own.align : undefined;
    if (align === "left" || align === "center" || align === "right") return align;
    const isNumeric = rows
      .slice(1)
      .every((row) => typeof row[column]?.order === "number" && /^[\d<]/.test(row[column].text));
    return isNumeric && rows.length > 1 && rows.slice(1).every((row) => row[column]?.parts === undefined)
      ? "right"
      : "left";
  });
}
