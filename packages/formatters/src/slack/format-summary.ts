import type { LogKind } from "@media-ops/sdk";
import type { ContextBlock } from "@slack/types";
import { type Chart, type ChartOf, chartOf } from "../chart.js";
import { rowOf } from "../columns.js";
import { rangeFact } from "../range-fact.js";
import { type SummarizeOptions, type Summary, summarize } from "../summary.js";
import { summaryFacts, summaryWords } from "../summary-words.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import type { DataVisualizationBlock } from "./data-visualization.js";
import { escapeMrkdwn } from "./escape.js";
import type { SlackBlock, SlackMessage } from "./message.js";
import { bold, context, fit, mrkdwn, notification, plainText, richText, titleOf } from "./parts.js";

export interface SlackSummaryOptions extends TimeOptions, SummarizeOptions {
  /** What was asked, in words. @default what the log is called */
  title?: string | undefined;
  /** What the chart shows; kinds without processing times have only that of entries. @default "entries" */
  chart?: ChartOf | undefined;
}

/** What a section takes. */
const FIELDS = 10;
/** What a label of a chart's axis takes. */
const LABEL = 50;

/**
 * What many entries say together: in words, in figures, and as a chart.
 *
 * @throws {RangeError} where there is no such time zone, or `now` is no time.
 */
export function formatSummary(kind: LogKind, entries: readonly unknown[], options: SlackSummaryOptions): SlackMessage {
  const { since, until, chart: of = "entries" } = options;
  const clock = clockFor(options);
  const { timeZone } = clock;
  const summary = summarize(kind, entries, { since, until, timeZone });
  const title = titleOf(options.title, rowOf(kind).title);
  const words = summaryWords(summary);
  const blocks: SlackBlock[] = [richText(bold(title)), { type: "section", text: plainText(words) }];
  if (summary.count > 0) {
    const facts = summaryFacts(summary).slice(0, FIELDS);
    blocks.push({
      type: "section",
      fields: facts.map((fact) => mrkdwn(`*${fact.title}*\n${escapeMrkdwn(fact.text)}`)),
    });
    const chart = chartOf(summary, of, timeZone);
    if (chart) blocks.push(chartBlock(chart, timeZone));
    blocks.push(rangeContext(summary, clock));
  }
  return { blocks, text: notification(title, words) };
}

function chartBlock({ of, title, unit, labels, series, hasGaps }: Chart, timeZone: string): DataVisualizationBlock {
  return {
    type: "data_visualization",
    title,
    chart: {
      // A line would go on where nothing is known.
      type: of === "latency" && !hasGaps ? "line" : "bar",
      series: series.map(({ name, values }) => ({
        name,
        data: labels.map((label, at) => ({ label, value: values[at] ?? 0 })),
      })),
      // Slack writes a chart's labels as they are, not in the zone of each reader.
      axis_config: { categories: labels, x_label: fit(timeZone, LABEL), ...(unit && { y_label: unit }) },
    },
  };
}

/** In the zone of the chart, which it names: Slack would write its own dates in the zone of each reader. */
function rangeContext(summary: Summary, clock: Clock): ContextBlock {
  const [range] = rangeFact(summary, clock);
  return context(range ? `${range.title}: ${range.text}` : "No time is known.");
}
