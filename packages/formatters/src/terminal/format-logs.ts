import type { LogKind } from "@media-ops/sdk";
import { columnsOf } from "../columns.js";
import { headingOf, isFigure } from "../heading.js";
import { noneFound } from "../kind-words.js";
import { show } from "../values/show.js";
import { cellOf } from "./cell.js";
import { clean } from "./clean.js";
import { compactLines } from "./compact.js";
import { wrap } from "./fit.js";
import { type TerminalOptions, timedScreenOf } from "./screen.js";
import { type TableColumn, tableLines } from "./table.js";

export interface TerminalLogsOptions extends TerminalOptions {
  /** A table with titles, or one line for each entry that names only what needs a name. @default "table" */
  style?: "table" | "compact" | undefined;
  /** Stands above the entries. */
  title?: string | undefined;
  /** Stands below them. */
  note?: string | undefined;
}

/**
 * Log entries, one on each line.
 *
 * @throws {RangeError} where there is no such time zone, or `now` is no time.
 */
export function formatLogs(kind: LogKind, entries: readonly unknown[], options: TerminalLogsOptions): string {
  const { style = "table", title = "", note = "" } = options;
  const screen = timedScreenOf(options);
  const { clock, width, paint } = screen;
  const lines = (): string[] => {
    if (entries.length === 0) return wrap(noneFound(kind), width);
    if (style === "compact") return compactLines(kind, entries, screen);
    const shown = columnsOf(kind).filter((column) => column.in !== "detail");
    return tableLines(
      shown.map(
        (column): TableColumn => ({
          title: headingOf(column, clock.timeZone),
          isRight: isFigure(column.as),
          isOptional: column.in === "wide",
          isAddress: column.as === "address",
          cells: () => entries.map((entry) => cellOf(show(entry, column, clock))),
        }),
      ),
      width,
      paint,
    );
  };
  return [
    ...(title === "" ? [] : wrap(clean(title), width).map((line) => paint(line, "title"))),
    ...lines(),
    ...(note === "" ? [] : ["", ...wrap(clean(note), width).map((line) => paint(line, "faint"))]),
  ].join("\n");
}
