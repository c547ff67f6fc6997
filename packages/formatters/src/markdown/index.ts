import type { Summary } from "@media-ops/reports";
import { type FieldColumn, fieldOf } from "@media-ops/reports/entries";
import type { LogKind } from "@media-ops/sdk";
import { type Chart, HATCHED } from "../chart.js";
import { detailColumnsOf, isFigure, listingColumnsOf, noneFound, type SortedByOptions } from "../columns.js";
import type { GroupTable } from "../groups.js";
import { type SummaryOptions, summaryParts } from "../summary-words.js";
import { chartLines } from "../terminal/chart.js";
import { screenOf } from "../terminal/screen.js";
import { show, showWhole } from "../values/show.js";
import { textOf } from "../values/text.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import { escapeMarkdown, factLines, headingLines, noteLines, openingLines, tableLines } from "./markup.js";

export {
  formatAudit,
  formatDeliveries,
  formatDelivery,
  formatEndpoints,
  formatTokens,
} from "./format-listing.js";
export { formatLive } from "./format-live.js";
export { formatTrace } from "./format-trace.js";
export { formatWhy } from "./format-why.js";

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

/** The characters that fit on a line of a code block on most pages. */
const WIDTH = 80;

/** A summary of many entries: in words, in numbers, and as a chart. */
export function formatSummary(summary: Summary, options: SummaryOptions): string {
  const parts = summaryParts(summary, options);
  const { facts, period, groups, chart, note, clock } = parts;
  const figures = [...facts, ...period];
  return [
    ...openingLines(parts),
    ...(figures.length > 0 ? ["", ...factLines("Figure", figures)] : []),
    ...(groups ? ["", ...groupLines(groups)] : []),
    ...(chart ? ["", ...drawn(chart, clock)] : []),
    ...noteLines(note),
  ].join("\n");
}

function groupLines({ columns, omitted }: GroupTable): string[] {
  const rows = columns[0]?.texts.map((_, row) => columns.map(({ texts }) => texts[row] ?? "")) ?? [];
  return [...tableLines(columns, rows), ...(omitted === "" ? [] : ["", omitted])];
}

/** A chart needs no escapes: its labels are times. */
function drawn(chart: Chart, { timeZone }: Clock): string[] {
  const lines = chartLines(chart, screenOf({ width: WIDTH }));
  const hatched = chart.unsearched.includes(true) ? [HATCHED] : [];
  return [`**${escapeMarkdown(`${chart.title} (${timeZone})`)}**`, "", "```text", ...lines, ...hatched, "```"];
}
