import type { LogKind } from "@media-ops/sdk";
import { columnsOf, givenColumnsOf } from "../columns.js";
import { fieldOf } from "../values/field.js";
import { jsonOf } from "../values/json.js";
import { guardFormula } from "./formula-guard.js";

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
