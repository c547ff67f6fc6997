import type { LogKind } from "@media-ops/sdk";
import type { DataTableBlock } from "@slack/types";
import { columnsOf } from "../columns.js";
import { type Shown, show } from "../values/show.js";
import type { Clock } from "../values/time.js";
import { date, formatFor, isWritable, richText } from "./parts.js";

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
  const shownColumns = columnsOf(kind).filter((column) => column.in === "table");
  const header = shownColumns.map(({ title }): Cell => ({ type: "raw_text", text: title }));
  const rows = [header];
  let room = CHARACTERS - shownColumns.reduce((sum, { title }) => sum + title.length, 0);
  for (const entry of entries.slice(0, atMost)) {
    const row = shownColumns.map((column) => show(entry, column, clock));
    room -= row.reduce((sum, shown) => sum + lengthOf(shown), 0);
    if (room < 0) break;
    rows.push(row.map((shown) => cellOf(shown, clock.now)));
  }
  return {
    block: { type: "data_table", caption, rows, page_size: pageSize },
    shown: rows.length - 1,
  };
}

function cellOf({ text, time, number }: Shown, now: number): Cell {
  if (isWritable(time)) return richText(date(time, formatFor(time, now)));
  return number === undefined ? { type: "raw_text", text } : { type: "raw_number", value: number, text };
}

/** How Slack counts a time is not known, so the longest of its forms is counted. */
const TIME = "{date_num} {time_secs}".length;

const lengthOf = ({ text, time }: Shown): number => (isWritable(time) ? TIME : text.length);
