import { fieldOf, jsonOf } from "@media-ops/reports/entries";

export interface CsvLogsOptions {
  /** Whether to start with a byte order mark, which Excel needs to detect the encoding. @default false */
  bom?: boolean | undefined;
}

const LINE_END = "\r\n";

/** A file of rows with any fields, as CSV. */
export const formatTable = (
  fields: readonly string[],
  rows: readonly unknown[],
  { bom }: CsvLogsOptions = {},
): string => headerOf(fields, bom) + rowsOf(fields, rows);

/** The header line. */
export const headerOf = (fields: readonly string[], bom = false): string =>
  `${bom ? "\ufeff" : ""}${fields.join(",")}${LINE_END}`;

/** A line for each entry. */
export function rowsOf(fields: readonly string[], entries: readonly unknown[]): string {
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
