import type { LogKind } from "@media-ops/sdk";
import { type ChartOf, chartOf } from "../chart.js";
import { rowOf } from "../columns.js";
import { rangeFact } from "../range-fact.js";
import { type SummarizeOptions, summarize } from "../summary.js";
import { summaryFacts, summaryWords } from "../summary-words.js";
import { chartLines } from "./chart.js";
import { clean } from "./clean.js";
import { factLines } from "./facts.js";
import { wrap } from "./fit.js";
import { type TerminalOptions, timedScreenOf } from "./screen.js";

export interface TerminalSummaryOptions extends TerminalOptions, SummarizeOptions {
  /** Stands above it. @default what the log is called */
  title?: string | undefined;
  /** What the chart shows; kinds without processing times have only that of entries. @default "entries" */
  chart?: ChartOf | undefined;
}

/**
 * What many entries say together: in words, in figures, and as a chart.
 *
 * @throws {RangeError} where there is no such time zone, or `now` is no time.
 */
export function formatSummary(kind: LogKind, entries: readonly unknown[], options: TerminalSummaryOptions): string {
  const { title, chart: of = "entries", since, until } = options;
  const screen = timedScreenOf(options);
  const { clock, width, paint } = screen;
  const titled = (text: string): string[] => wrap(clean(text), width).map((line) => paint(line, "title"));

  const summary = summarize(kind, entries, { since, until, timeZone: clock.timeZone });
  const words = [...titled(title || rowOf(kind).title), ...wrap(clean(summaryWords(summary)), width)];
  if (summary.count === 0) return words.join("\n");

  const facts = factLines([...summaryFacts(summary), ...rangeFact(summary, clock)], screen);
  const chart = chartOf(summary, of, clock.timeZone);
  const zone = clock.timeZone === "UTC" ? " (UTC)" : "";
  const drawn = chart ? ["", ...titled(`${chart.title}${zone}`), ...chartLines(chart, screen)] : [];
  return [...words, "", ...facts, ...drawn].join("\n");
}
