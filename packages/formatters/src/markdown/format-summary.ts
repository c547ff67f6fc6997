import type { LogKind } from "@media-ops/sdk";
import { type Chart, type ChartOf, chartOf } from "../chart.js";
import { rowOf } from "../columns.js";
import { rangeFact } from "../range-fact.js";
import { type SummarizeOptions, summarize } from "../summary.js";
import { summaryFacts, summaryWords } from "../summary-words.js";
import { chartLines } from "../terminal/chart.js";
import { screenOf } from "../terminal/screen.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import { escapeMarkdown } from "./escape.js";
import { headingLines } from "./heading.js";
import { factLines } from "./table.js";

export interface MarkdownSummaryOptions extends TimeOptions, SummarizeOptions {
  /** Stands above it. @default what the log is called */
  title?: string | undefined;
  /** What the chart shows; kinds without processing times have only that of entries. @default "entries" */
  chart?: ChartOf | undefined;
}

/** So many characters stand side by side in a block of code on most pages. */
const WIDTH = 80;

/**
 * What many entries say together: in words, in figures, and as a chart.
 *
 * @throws {RangeError} where there is no such time zone, or `now` is no time.
 */
export function formatSummary(kind: LogKind, entries: readonly unknown[], options: MarkdownSummaryOptions): string {
  const { title, chart: of = "entries", since, until } = options;
  const clock = clockFor(options);
  const summary = summarize(kind, entries, { since, until, timeZone: clock.timeZone });
  const words = [...headingLines(title || rowOf(kind).title), escapeMarkdown(summaryWords(summary))];
  if (summary.count === 0) return words.join("\n");
  const facts = factLines("Figure", [...summaryFacts(summary), ...rangeFact(summary, clock)]);
  const chart = chartOf(summary, of, clock.timeZone);
  return [...words, "", ...facts, ...(chart ? ["", ...drawn(chart, clock)] : [])].join("\n");
}

/** Nothing in a chart is from outside: its labels are times. */
function drawn(chart: Chart, { timeZone }: Clock): string[] {
  const lines = chartLines(chart, screenOf({ width: WIDTH }));
  return [`**${escapeMarkdown(`${chart.title} (${timeZone})`)}**`, "", "```text", ...lines, "```"];
}
