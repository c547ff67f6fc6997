import type { LogKind } from "@media-ops/sdk";
import { columnsOf, givenColumnsOf } from "../columns.js";
import { fieldOf, jsonOf } from "../values/field.js";

export interface CsvLogsOptions {
  /** Whether to begin with a byte order mark, without which Excel takes the file for another encoding. @default false */
  bom?: boolean | undefined;
}

const LINE_END = "\r\n";

/**
 * Log entries as CSV (RFC 4180): a line with the names of the fields, then one for each entry; every line ends with CRLF.
 *
 * Nothing is rounded, shortened or translated: numbers and timestamps are as the service sent them, what is missing or
 * null is empty, objects and lists are JSON. One thing is changed: a text that a spreadsheet would run as a formula
 * (it begins with `=`, `+`, `-`, `@`, a tab or a carriage return, also after spaces and apostrophes) gets an apostrophe
 * before it, and so does the rest of a text after what some spreadsheets take for the end of a cell (a semicolon, a tab
 * or a line's end). `undoFormulaGuard` takes the apostrophes away again.
 */
export function formatLogs(kind: LogKind, entries: readonly unknown[], { bom = false }: CsvLogsOptions = {}): string {
  const fields = [...columnsOf(kind), ...givenColumnsOf(kind, entries)].map(({ field }) => field);
  const lines = entries.map((entry) => fields.map((field) => cellOf(fieldOf(entry, field))).join(",") + LINE_END);
  return `${bom ? "\ufeff" : ""}${fields.join(",")}${LINE_END}${lines.join("")}`;
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  // Empty where JSON cannot write it.
  return quoted(guardFormula(typeof value === "string" ? value : (jsonOf(value) ?? "")));
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// What spreadsheets take for the beginning of a formula, also in full width; a tab or a line's end may be skipped before
// it. Apostrophes are among what may come first, so that one more can always be taken away again.
const FORMULA = /^[\s']*[=+\-@\t\r＝＋－＠]/;

/** What ends a cell where the list separator is another than the comma, and a line that is not read as quoted there. */
const ENDS = "[;\\t\\r\\n]";
const ENDING = new RegExp(ENDS);
const BEHIND = "(?:'|[^\\S\\t\\r\\n])*[=+\\-@＝＋－＠]";
const INNER = new RegExp(`${ENDS}(?=${BEHIND})`, "g");
const INNER_GUARDED = new RegExp(`(${ENDS})'(?=${BEHIND})`, "g");

/** A text of which no spreadsheet runs a part as a formula: what looks like one gets an apostrophe before it. */
export function guardFormula(text: string): string {
  // Few texts have one, and looking alone is fast.
  const guarded = ENDING.test(text) ? text.replace(INNER, "$&'") : text;
  return FORMULA.test(text) ? `'${guarded}` : guarded;
}

/**
 * The text of a cell as it was in the entry: without the apostrophes before what a spreadsheet would run as a formula.
 * For programs that read the files; numbers never have one.
 */
export function undoFormulaGuard(cell: string): string {
  const text = cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;
  return text.replace(INNER_GUARDED, "$1");
}
