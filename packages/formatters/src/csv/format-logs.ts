import type { LogKind } from "@media-ops/sdk";
import { columnsOf } from "../columns.js";
import { fieldOf } from "../values/field.js";
import { guardFormula } from "./formula-guard.js";

export interface CsvOptions {
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
 * before it, which `undoFormulaGuard` takes away again.
 */
export function formatLogs(kind: LogKind, entries: readonly unknown[], { bom = false }: CsvOptions = {}): string {
  const fields = columnsOf(kind).map(({ field }) => field);
  const lines = entries.map((entry) => fields.map((field) => cellOf(fieldOf(entry, field))).join(",") + LINE_END);
  return `${bom ? "\ufeff" : ""}${fields.join(",")}${LINE_END}${lines.join("")}`;
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return quoted(guardFormula(value));
  return quoted(typeof value === "object" ? jsonOf(value) : String(value));
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Empty where JSON cannot write it, such as a cycle. */
function jsonOf(value: object): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}
