import type { LogKind } from "@media-ops/contract";
import { type FieldColumn, fieldOf } from "@media-ops/reports/entries";
import { factLines, headingLines, tableLines } from "../markdown/markup.js";
import { show, showWhole } from "../values/show.js";
import { textOf } from "../values/text.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import { detailColumnsOf, isFigure, listingColumnsOf, noneFound, type SortedByOptions } from "./columns.js";

export interface MarkdownLogsOptions extends TimeOptions, SortedByOptions {
  /** The title above the table. */
  title?: string | undefined;
}

/** Log entries as a table. Times have their date and are not relative, because a page is read later. */
export function formatLogs(kind: LogKind, entries: readonly unknown[], options: MarkdownLogsOptions): string {
  const clock = clockFor(options);
  const heading = headingLines(options.title ?? "");
  if (entries.length === 0) return [...heading, noneFound(kind)].join("\n");
  const shownColumns = listingColumnsOf(kind, ["table", "wide"], options.sortedBy);
  const table = tableLines(
    shownColumns.map(({ title, as }) => ({
      title: as === "time" ? `${title} (${clock.timeZone})` : title,
      isRight: isFigure(as),
    })),
    entries.map((entry) =>
      shownColumns.map((column) => {
        const { text, time } = show(entry, column, clock);
        return time === undefined ? text : clock.full(time);
      }),
    ),
  );
  return [...heading, ...table].join("\n");
}

/** All fields of an entry, as a table. */
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
  // The age would be wrong by the time the page is read.
  return `${clock.zoned(time)} · ${textOf(fieldOf(entry, column.field))}`;
}
