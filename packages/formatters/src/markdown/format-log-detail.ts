import type { LogKind } from "@media-ops/sdk";
import type { FieldColumn } from "../columns.js";
import { detailColumnsOf } from "../details.js";
import { fieldOf } from "../values/field.js";
import { show, showWhole } from "../values/show.js";
import { textOf } from "../values/text.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import { factLines } from "./table.js";

/**
 * Everything that an entry holds, with nothing left out, as a table.
 *
 * @throws {RangeError} where there is no such time zone, or `now` is no time.
 */
export function formatLogDetail(kind: LogKind, entry: unknown, options: TimeOptions): string {
  const clock = clockFor(options);
  const facts = detailColumnsOf(kind, entry).map((column) => ({
    title: column.title,
    text: textFor(entry, column, clock),
  }));
  return factLines("Field", facts).join("\n");
}

function textFor(entry: unknown, column: FieldColumn, clock: Clock): string {
  const { time } = show(entry, column, clock);
  if (time === undefined) return showWhole(entry, column, clock);
  // How long ago it was would be wrong when the page is read.
  return `${clock.zoned(time)} · ${textOf(fieldOf(entry, column.field))}`;
}
