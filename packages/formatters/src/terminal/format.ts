import type { LogStatus, Summary } from "@media-ops/reports";
import { rowOf } from "@media-ops/reports/entries";
import type { LogKind } from "@media-ops/sdk";
import { HATCHED } from "../chart.js";
import { detailColumnsOf } from "../columns.js";
import type { GroupTable } from "../groups.js";
import {
  emptyWords,
  failureWords,
  incompleteStatus,
  lastHourWords,
  markOf,
  refusedWords,
  type ServiceStatus,
  serviceWords,
} from "../log-status.js";
import { type ProblemOptions, problemOf } from "../problem.js";
import { type SummaryOptions, summaryParts } from "../summary-words.js";
import { show, showWhole } from "../values/show.js";
import { formatAgo } from "../values/time.js";
import { chartLines } from "./chart.js";
import {
  factLines,
  noteLines,
  openingLines,
  type Screen,
  type Style,
  screenOf,
  type TerminalOptions,
  type TerminalScreenOptions,
  textLines,
  timedScreenOf,
  zoneOf,
} from "./screen.js";
import { type TableColumn, tableLines } from "./table.js";
import { clean, wrap } from "./width.js";

/** All fields of an entry. */
export function formatLogDetail(kind: LogKind, entry: unknown, options: TerminalOptions): string {
  const screen = timedScreenOf(options);
  const facts = detailColumnsOf(kind, entry).map((column) => ({
    title: column.title,
    text: showWhole(entry, column, screen.clock),
    style: show(entry, column, screen.clock).tone,
  }));
  return factLines(facts, screen).join("\n");
}

export interface TerminalSummaryOptions extends TerminalScreenOptions, SummaryOptions {}

/** A summary of many entries: in words, in numbers, and as a chart. */
export function formatSummary(summary: Summary, options: TerminalSummaryOptions): string {
  const screen = screenOf(options);
  const parts = summaryParts(summary, options);
  const { facts, period, groups, chart, note, clock } = parts;
  const figures = [...facts, ...period];
  const hatched = chart?.unsearched.includes(true) ? HATCHED : "";
  return [
    ...openingLines(parts, screen),
    ...(figures.length > 0 ? ["", ...factLines(figures, screen)] : []),
    ...(groups ? ["", ...groupLines(groups, screen)] : []),
    ...(chart ? ["", ...textLines(chart.title + zoneOf(clock), "title", screen), ...chartLines(chart, screen)] : []),
    ...textLines(hatched, "faint", screen),
    ...noteLines([note], screen),
  ].join("\n");
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

const styles = { "✓": "good", "▲": "bad", "?": "bad", "–": "faint" } as const satisfies Record<string, Style>;

/** The availability and response time of the service, and the state of each log. */
export function formatStatus(statuses: readonly LogStatus[], service: ServiceStatus, options: TerminalOptions): string {
  const screen = timedScreenOf(options);
  return [
    ...textLines(incompleteStatus(statuses, screen.clock), "bad", screen),
    ...markedLines("✓", serviceWords(service), screen),
    ...statuses.flatMap((status) => markedLines(markOf(status), wordsOf(status, screen.clock.now), screen)),
  ].join("\n");
}

function wordsOf(status: LogStatus, now: number): string {
  const { title } = rowOf(status.kind);
  const empty = emptyWords(status);
  if (empty !== undefined) return `${title}: ${empty}.`;
  return `${title}: newest ${formatAgo(status.newest ?? now, now)}, ${lastHourWords(status)}${failureWords(status.lastHour)}${refusedWords(status)}.`;
}

/** Narrower terminals have no space beside the marks. */
const NARROW = 20;

/** Continuation lines are aligned with the text, not with the mark. */
function markedLines(mark: keyof typeof styles, text: string, { width, paint }: Screen): string[] {
  const painted = paint(mark, styles[mark]);
  if (width <= NARROW) return [painted, ...wrap(clean(text), width)];
  return wrap(clean(text), width - 2).map((line, at) => `${at === 0 ? painted : " "} ${line}`);
}

export interface TerminalProblemOptions extends TerminalScreenOptions, ProblemOptions {}

/** What happened, why, and the next step, for any thrown value. */
export function formatProblem(error: unknown, options: TerminalProblemOptions = {}): string {
  const screen = screenOf(options);
  const { what, why, next, requestId } = problemOf(error, options);
  return [
    ...textLines(`✗ ${what}.`, "bad", screen),
    ...textLines(why, "plain", screen),
    ...textLines(next, "plain", screen),
    ...textLines(requestId ? `The request id in the service's logs is ${requestId}.` : "", "faint", screen),
  ].join("\n");
}
