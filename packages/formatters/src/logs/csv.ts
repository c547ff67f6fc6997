import type { LogKind } from "@media-ops/contract";
import { columnsOf, fieldOf, jsonOf, rowOf } from "@media-ops/reports/entries";
import { givenColumnsOf } from "./columns.js";

export interface CsvLogsOptions {
  /** Whether to start with a byte order mark, which Excel needs to detect the encoding. @default false */
  bom?: boolean | undefined;
}

const LINE_END = "\r\n";

/**
 * Log entries as CSV (RFC 4180): a header line with the field names, then one line per entry; every line ends with
 * CRLF.
 *
 * Nothing is rounded, shortened or translated: numbers and timestamps are unchanged, missing and null values are empty,
 * objects and lists are JSON. There is one exception: a text that a spreadsheet would run as a formula (it starts with
 * `=`, `+`, `-`, `@`, a tab or a carriage return, also after spaces and apostrophes) gets an apostrophe before it, and
 * so does the rest of a text after a possible end of a cell (a semicolon, a tab or a line end). `undoFormulaGuard`
 * removes the apostrophes.
 */
export function formatLogs(kind: LogKind, entries: readonly unknown[], options: CsvLogsOptions = {}): string {
  const fields = [...columnsOf(kind), ...givenColumnsOf(kind, entries)].map(({ field }) => field);
  return formatTable(fields, entries, options);
}

/** The header line of a file that is written in parts; it names every field that an entry of the kind may have. */
export function formatHeader(kind: LogKind, { bom }: CsvLogsOptions = {}): string {
  return headerOf(fieldsOf(kind), bom);
}

/** The lines of some entries of a file that is written in parts, after {@link formatHeader}. */
export function formatRows(kind: LogKind, entries: readonly unknown[]): string {
  return rowsOf(fieldsOf(kind), entries);
}

function fieldsOf(kind: LogKind): string[] {
  const { columns, optionalColumns } = rowOf(kind);
  return [...columns, ...optionalColumns].map(({ field }) => field);
}

/** A file of rows with any fields, as CSV like that of {@link formatLogs}. */
export const formatTable = (
  fields: readonly string[],
  rows: readonly unknown[],
  { bom }: CsvLogsOptions = {},
): string => headerOf(fields, bom) + rowsOf(fields, rows);

/** The header line. */
const headerOf = (fields: readonly string[], bom = false): string =>
  `${bom ? "\ufeff" : ""}${fields.join(",")}${LINE_END}`;

/** A line for each entry. */
function rowsOf(fields: readonly string[], entries: readonly unknown[]): string {
  return entries.map((entry) => fields.map((field) => cellOf(fieldOf(entry, field))).join(",") + LINE_END).join("");
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  // Empty if JSON cannot represent it.
  return quoted(guardFormula(typeof value === "string" ? value : (jsonOf(value) ?? "")));
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// The starts of formulas, also in full width; spreadsheets may skip a tab or a line end before them. Apostrophes may
// precede them, so that an added one can always be removed.
const FORMULA = /^[\s']*[=+\-@\t\r＝＋－＠]/;

// These end a cell if the list separator is not the comma, or if a line is not read as quoted.
const ENDS = "[;\\t\\r\\n]";
const ENDING = new RegExp(ENDS);
const BEHIND = "(?:'|[^\\S\\t\\r\\n])*[=+\\-@＝＋－＠]";
const INNER = new RegExp(`${ENDS}(?=${BEHIND})`, "g");
const INNER_GUARDED = new RegExp(`(${ENDS})'(?=${BEHIND})`, "g");

/** A text without formulas: an apostrophe precedes the start of each. */
export function guardFormula(text: string): string {
  // Few texts have one, and a test takes half as long as a replacement.
  const guarded = ENDING.test(text) ? text.replace(INNER, "$&'") : text;
  return FORMULA.test(text) ? `'${guarded}` : guarded;
}

/**
 * The original text of a cell, without the apostrophes of the formula guard. For programs that read the files; numbers
 * never have one.
 */
export function undoFormulaGuard(cell: string): string {
  const text = cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;
  return text.replace(INNER_GUARDED, "$1");
}
