import type { LogKind } from "@media-ops/sdk";
import { columnsOf, type FieldColumn } from "./columns.js";
import { type Shown, show } from "./values/show.js";
import { oneLine } from "./values/text.js";
import type { Clock } from "./values/time.js";

/** One field of an entry, with all that it holds. */
export interface Detail {
  title: string;
  /** The field's name on the wire. */
  field: string;
  as: FieldColumn["as"];
  shown: Shown;
}

/** Every field of an entry: those of the table in order, then those that it does not know. */
export function detailsOf(kind: LogKind, entry: unknown, clock: Clock): Detail[] {
  const known = columnsOf(kind);
  const unknown = (typeof entry === "object" && entry !== null && !Array.isArray(entry) ? Object.keys(entry) : [])
    .filter((field) => !known.some((column) => column.field === field))
    .map((field) => ({ field, title: oneLine(field) || "(no name)", as: "text" as const }));
  return [...known, ...unknown].map(({ field, title, as }) => ({
    title,
    field,
    as,
    shown: show(entry, { field, as }, clock),
  }));
}
