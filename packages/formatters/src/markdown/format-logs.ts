import type { LogKind } from "@media-ops/sdk";
import { columnsOf } from "../columns.js";
import { isFigure } from "../heading.js";
import { noneFound } from "../kind-words.js";
import { show } from "../values/show.js";
import { clockFor, type TimeOptions } from "../values/time.js";
import { headingLines } from "./heading.js";
import { tableLines } from "./table.js";

export interface MarkdownLogsOptions extends TimeOptions {
  /** Stands above the table. */
  title?: string | undefined;
}

/**
 * Log entries as a table. Times have their day and none is relative: a page is read later.
 *
 * @throws {RangeError} where there is no such time zone, or `now` is no time.
 */
export function formatLogs(kind: LogKind, entries: readonly unknown[], options: MarkdownLogsOptions): string {
  const clock = clockFor(options);
  const heading = headingLines(options.title ?? "");
  if (entries.length === 0) return [...heading, noneFound(kind)].join("\n");
  const shownColumns = columnsOf(kind).filter((column) => column.in !== "detail");
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
