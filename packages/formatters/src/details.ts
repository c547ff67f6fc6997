import type { LogKind } from "@media-ops/sdk";
import { columnsOf, type FieldColumn, givenColumnsOf } from "./columns.js";
import { fieldNamesOf } from "./values/field.js";
import { oneLine } from "./values/text.js";

/** The columns of one entry with all that it holds: those of its kind in order, then the fields that nobody knows yet. */
export function detailColumnsOf(kind: LogKind, entry: unknown): readonly FieldColumn[] {
  const known = [...columnsOf(kind), ...givenColumnsOf(kind, [entry])];
  const names = new Set(known.map(({ field }) => field));
  const unknown = fieldNamesOf(entry)
    .filter((field) => !names.has(field))
    .map((field) => ({ field, title: oneLine(field) || "(no name)", as: "text" as const, in: "detail" as const }));
  return [...known, ...unknown];
}
