import type { LogKind } from "@media-ops/sdk";
import { detailColumnsOf, rowOf } from "../columns.js";
import {
  failureWords,
  type LogStatus,
  lastHourWords,
  markOf,
  type ServiceStatus,
  serviceWords,
} from "../log-status.js";
import { type ProblemOptions, problemOf } from "../problem.js";
import { type SummaryOptions, summaryParts } from "../summary-words.js";
import { type TokenClaims, tokenWords } from "../token.js";
import { show, showWhole } from "../values/show.js";
import { formatAgo } from "../values/time.js";
import { chartLines } from "./chart.js";
import {
  factLines,
  type Screen,
  type Style,
  screenOf,
  type TerminalOptions,
  type TerminalScreenOptions,
  timedScreenOf,
} from "./screen.js";
import { clean, wrap } from "./width.js";

/**
 * All fields of an entry.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
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

/**
 * A summary of many entries: in words, in numbers, and as a chart.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export function formatSummary(kind: LogKind, entries: readonly unknown[], options: TerminalSummaryOptions): string {
  const screen = screenOf(options);
  const { width, paint } = screen;
  const titled = (text: string): string[] => wrap(clean(text), width).map((line) => paint(line, "title"));

  const { title, words, facts, range, chart, clock } = summaryParts(kind, entries, options);
  const lines = [...titled(title), ...wrap(clean(words), width)];
  if (facts.length === 0) return lines.join("\n");
  const zone = clock.timeZone === "UTC" ? " (UTC)" : "";
  const drawn = chart ? ["", ...titled(`${chart.title}${zone}`), ...chartLines(chart, screen)] : [];
  return [...lines, "", ...factLines([...facts, ...range], screen), ...drawn].join("\n");
}

const styles = { "✓": "good", "▲": "bad", "–": "faint" } as const satisfies Record<string, Style>;

/**
 * The availability and response time of the service, and the state of each log.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export function formatStatus(statuses: readonly LogStatus[], service: ServiceStatus, options: TerminalOptions): string {
  const screen = timedScreenOf(options);
  return [
    ...markedLines("✓", serviceWords(service), screen),
    ...statuses.flatMap((status) => markedLines(markOf(status), wordsOf(status, screen.clock.now), screen)),
  ].join("\n");
}

function wordsOf(status: LogStatus, now: number): string {
  const { title } = rowOf(status.kind);
  if (status.newest === undefined) return `${title}: empty.`;
  return `${title}: newest ${formatAgo(status.newest, now)}, ${lastHourWords(status)}${failureWords(status)}.`;
}

/** Narrower terminals have no space beside the marks. */
const NARROW = 20;

/** Continuation lines are aligned with the text, not with the mark. */
function markedLines(mark: keyof typeof styles, text: string, { width, paint }: Screen): string[] {
  const painted = paint(mark, styles[mark]);
  if (width <= NARROW) return [painted, ...wrap(clean(text), width)];
  return wrap(clean(text), width - 2).map((line, at) => `${at === 0 ? painted : " "} ${line}`);
}

/**
 * A token, and the permissions that it grants. The token is on one line, which may exceed the width of the terminal, so
 * that it can be copied.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export function formatToken(token: string, claims: TokenClaims, options: TerminalOptions): string {
  return [clean(token), "", formatClaims(claims, options)].join("\n");
}

/**
 * The permissions that a token grants, without the token: for a shared screen, or beside a token that is piped.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export function formatClaims(claims: TokenClaims, options: TerminalOptions): string {
  const screen = timedScreenOf(options);
  const { sentence, facts } = tokenWords(claims, screen.clock);
  return [...wrap(clean(sentence), screen.width), "", ...factLines(facts, screen)].join("\n");
}

export interface TerminalProblemOptions extends TerminalScreenOptions, ProblemOptions {}

/** What happened, why, and the next step, for any thrown value. */
export function formatProblem(error: unknown, options: TerminalProblemOptions = {}): string {
  const { width, paint } = screenOf(options);
  const { what, why, next, requestId } = problemOf(error, options);
  const paragraphs: [text: string, style: Style][] = [
    [`✗ ${what}.`, "bad"],
    [why, "plain"],
    [next, "plain"],
    [requestId ? `The request id in the service's logs is ${requestId}.` : "", "faint"],
  ];
  return paragraphs
    .filter(([text]) => text !== "")
    .flatMap(([text, style]) => wrap(clean(text), width).map((line) => paint(line, style)))
    .join("\n");
}
