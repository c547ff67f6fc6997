import type { Summary } from "@media-ops/reports";
import { answerText, escapeMarkdown, factLines, tableLines } from "../markdown/markup.js";
import { chartLines } from "../terminal/chart.js";
import { screenOf } from "../terminal/screen.js";
import type { Clock } from "../values/time.js";
import { type Chart, type GroupTable, HATCHED, type SummaryOptions, summaryParts } from "./words.js";

/** The characters that fit on a line of a code block on most pages. */
const WIDTH = 80;

/** A summary of many entries: in words, in numbers, and as a chart. */
export function formatSummary(summary: Summary, options: SummaryOptions): string {
  const parts = summaryParts(summary, options);
  const { facts, period, groups, chart, clock } = parts;
  const figures = [...facts, ...period];
  return answerText(parts, [
    ...(figures.length > 0 ? ["", ...factLines("Figure", figures)] : []),
    ...(groups ? ["", ...groupLines(groups)] : []),
    ...(chart ? ["", ...drawn(chart, clock)] : []),
  ]);
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
