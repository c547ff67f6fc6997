import type { LogKind } from "@media-ops/sdk";
import type { DataTableBlock } from "@slack/types";
import { columnsOf, type FieldColumn } from "../columns.js";
import { isFigure } from "../heading.js";
import { type Shown, show } from "../values/show.js";
import type { Clock } from "../values/time.js";
import { date, formatFor, isWritable, richText, universal } from "./parts.js";

type Cell = DataTableBlock["rows"][number][number];

/** The most that Slack takes, over all cells, those of the header among them. */
const CHARACTERS = 10_000;

/** A table with as many of the first entries as there is room for. At least one must be given, and at most 100 asked for. */
export function tableOf(
  kind: LogKind,
  entries: readonly unknown[],
  clock: Clock,
  { caption, pageSize, atMost }: { caption: string; pageSize: number; atMost: number },
): { block: DataTableBlock; shown: number } {
  // A message is narrow: what is only for wide tables is left to the view of one entry.
  const columns = columnsOf(kind).filter((column) => column.in === "table");
  const lines = entries.slice(0, atMost).map((entry) => {
    return columns.map((column): Value => ({ column, ...show(entry, column, clock) }));
  });
  const times = lines.flatMap((line) => line.map(({ time }) => time).filter(isWritable));
  const format = formatFor(times, clock.now);
  const rows = [columns.map(({ title }): Cell => ({ type: "raw_text", text: title }))];
  let room = CHARACTERS - columns.reduce((sum, { title }) => sum + title.length, 0);
  for (const line of lines) {
    room -= line.reduce((sum, value) => sum + lengthOf(value, format), 0);
    if (room < 0) break;
    rows.push(line.map((value) => cellOf(value, format)));
  }
  return {
    block: { type: "data_table", caption, rows, page_size: pageSize },
    shown: rows.length - 1,
  };
}

/** A value, and the column that it stands in. */
interface Value extends Shown {
  column: FieldColumn;
}

/** Where what is missing is sorted: below all that can be. */
const LEAST = -1;

function cellOf({ column: { as }, text, time, number }: Value, format: string): Cell {
  if (isWritable(time)) return richText(date(time, format));
  // Slack sorts a column by number only where every cell is one; else 10 s stand before 84 ms.
  const isNumber = as === "status" || isFigure(as);
  return isNumber ? { type: "raw_number", value: number ?? LEAST, text } : { type: "raw_text", text };
}

/** How Slack counts a time is not known, so the longer of its two texts is counted. */
function lengthOf({ text, time }: Value, format: string): number {
  return isWritable(time) ? Math.max(format.length, universal(time).length) : text.length;
}
