import type { LogKind } from "@media-ops/sdk";
import { columnsOf, type FieldColumn } from "./columns.js";
import type { Shown } from "./values/show.js";

/** The columns of an entry that is one line without titles. How it went comes first: the marks then stand below each other. */
export function lineColumnsOf(kind: LogKind): readonly FieldColumn[] {
  const inTable = columnsOf(kind).filter((column) => column.in === "table");
  return [...inTable.filter(({ as }) => as === "status"), ...inTable.filter(({ as }) => as !== "status")];
}

/** A value as it stands in such a line. A figure without a word says nothing, but a status has its mark. */
export function textInLine({ as, title }: FieldColumn, { text, number }: Shown): string {
  return number === undefined || as === "status" ? text : `${title.toLowerCase()} ${text}`;
}
