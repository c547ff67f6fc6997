import type { Summary } from "@media-ops/reports";
import { chartLines } from "../terminal/chart.js";
import {
  answerText,
  factLines,
  type Screen,
  screenOf,
  type TerminalScreenOptions,
  textLines,
  zoneOf,
} from "../terminal/screen.js";
import { type TableColumn, tableLines } from "../terminal/table.js";
import { clean, wrap } from "../terminal/width.js";
import { type GroupTable, HATCHED, type SummaryOptions, summaryParts } from "./words.js";

/** A summary of many entries: in words, in numbers, and as a chart. */
export function formatSummary(summary: Summary, options: SummaryOptions & TerminalScreenOptions): string {
  const screen = screenOf(options);
  const parts = summaryParts(summary, options);
  const { facts, period, groups, chart, clock } = parts;
  const figures = [...facts, ...period];
  const hatched = chart?.unsearched.includes(true) ? HATCHED : "";
  const lines = [
    ...(figures.length > 0 ? ["", ...factLines(figures, screen)] : []),
    ...(groups ? ["", ...groupLines(groups, screen)] : []),
    ...(chart ? ["", ...textLines(chart.title + zoneOf(clock), "title", screen), ...chartLines(chart, screen)] : []),
    ...textLines(hatched, "faint", screen),
  ];
  return answerText(parts, lines, screen);
}

function groupLines({ columns, omitted }: GroupTable, { width, paint }: Screen): string[] {
  const drawn = columns.map(
    ({ texts, isRight, ...column }): TableColumn => ({
      ...column,
      isRight,
      isOptional: false,
      cells: texts.map((text) => ({ text: clean(text), style: "plain", isFixed: isRight })),
    }),
  );
  return [...tableLines(drawn, width, paint), ...(omitted === "" ? [] : wrap(omitted, width))];
}
