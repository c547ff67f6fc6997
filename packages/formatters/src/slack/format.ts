import type { LogStatus, Summary } from "@media-ops/reports";
import { type FieldColumn, fieldOf, rowOf } from "@media-ops/reports/entries";
import type { LogKind } from "@media-ops/sdk";
import type { RichTextElement } from "@slack/types";
import { HATCHED } from "../chart.js";
import { detailColumnsOf } from "../columns.js";
import type { GroupTable } from "../groups.js";
import {
  alarmOf,
  calmWords,
  emptyWords,
  incompleteStatus,
  lastHourWords,
  markOf,
  refusedWords,
  type ServiceStatus,
  serviceWords,
} from "../log-status.js";
import { type ProblemOptions, problemOf } from "../problem.js";
import { type SummaryOptions, summaryParts } from "../summary-words.js";
import { formatCount } from "../values/numbers.js";
import { show, showWhole } from "../values/show.js";
import { NOTHING, oneLine, textOf } from "../values/text.js";
import { type Clock, clockFor, formatAgo, type TimeOptions } from "../values/time.js";
import { chartBlock } from "./chart-block.js";
import {
  answerNotification,
  bold,
  bulletList,
  codeSpan,
  context,
  date,
  escapeMrkdwn,
  exact,
  fit,
  formatFor,
  isWritable,
  mrkdwn,
  notification,
  piece,
  plainText,
  richText,
  type SlackBlock,
  type SlackMessage,
  TEXT,
  titleOf,
  universal,
} from "./parts.js";

/** Leaves space for the note and the caller's own blocks. */
const DETAIL_FIELDS = 90;
/** Slack refuses a view of more than 250 kB; a character has up to three bytes, and may occur twice. */
const DETAIL_CHARACTERS = 36_000;
const NAME = 150;
const VALUE = 3000;
const LONG = 8 * VALUE;

/** All fields of an entry, as the blocks of a modal. Long texts and excess fields are truncated with a note. */
export function formatLogDetail(kind: LogKind, entry: unknown, options: TimeOptions): SlackMessage {
  const clock = clockFor(options);
  const columns = detailColumnsOf(kind, entry);
  const blocks: SlackBlock[] = [];
  let room = DETAIL_CHARACTERS;
  for (const column of columns.slice(0, DETAIL_FIELDS)) {
    const elements = [bold(fit(column.title, NAME)), piece("\n"), ...elementsOf(entry, column, clock)];
    room -= elements.reduce((sum, element) => sum + lengthOf(element), 0);
    if (room < 0) break;
    blocks.push(richText(...elements));
  }
  const left = columns.length - blocks.length;
  if (left > 0) blocks.push(context(`${formatCount(left)} more ${left === 1 ? "field is" : "fields are"} not shown.`));
  const [first] = columns.filter(({ as }) => as === "time").map((column) => show(entry, column, clock).time);
  return { blocks, text: notification(rowOf(kind).title, isWritable(first) ? universal(first) : "one entry") };
}

function elementsOf(entry: unknown, column: FieldColumn, clock: Clock): RichTextElement[] {
  const raw = fieldOf(entry, column.field);
  // Only the visible part of a very long text is processed.
  if (typeof raw === "string" && raw.length > LONG) return [exact(fit(oneLine(raw.slice(0, LONG)), VALUE)), cut(raw)];
  const { time, number } = show(entry, column, clock);
  const whole = showWhole(entry, column, clock);
  if (isWritable(time)) {
    const format = "{date_short_pretty} {time_secs} · {ago}";
    return [date(time, format, clock.zoned(time)), piece(" · "), ...copyable(textOf(raw))];
  }
  if (number !== undefined || whole === NOTHING) return [piece(whole)];
  if (column.as === "channel" && whole !== raw) return [piece(`${fit(whole, VALUE)} · `), ...copyable(textOf(raw))];
  return copyable(whole);
}

function copyable(text: string): RichTextElement[] {
  if (text.length <= VALUE) return [exact(text)];
  return [exact(fit(text, VALUE)), cut(text)];
}

const cut = ({ length }: string): RichTextElement => piece(` (cut; ${formatCount(length)} characters in all)`);

const lengthOf = (element: RichTextElement): number => ("text" in element ? (element.text?.length ?? 0) : 0);

/** The maximum number of fields in a section. */
const SUMMARY_FIELDS = 10;

/** A summary of many entries: in words, in numbers, and as a chart. */
export function formatSummary(summary: Summary, options: SummaryOptions): SlackMessage {
  const { incomplete, words, facts, period, groups, chart, note, clock } = summaryParts(summary, options);
  const title = titleOf(options.title, rowOf(summary.kind).title);
  const heading = incomplete === "" ? [bold(title)] : [bold(incomplete), piece(`\n${title}`)];
  const blocks: SlackBlock[] = [richText(...heading), { type: "section", text: plainText(words) }];
  if (facts.length > 0) {
    const shown = facts.slice(0, SUMMARY_FIELDS);
    blocks.push({
      type: "section",
      fields: shown.map((fact) => mrkdwn(`*${fact.title}*\n${escapeMrkdwn(fact.text)}`)),
    });
  }
  if (groups) blocks.push(groupBlock(groups));
  if (chart) blocks.push(chartBlock(chart, clock.timeZone));
  // In the zone of the chart, which it names: Slack's own dates would be in the zone of each reader.
  const [times] = period;
  const small = [
    times ? `${times.title}: ${times.text}` : summary.count > 0 ? "No entry has a time." : "",
    chart?.unsearched.includes(true) ? HATCHED : "",
    groups?.omitted,
    note,
  ].filter((text) => text);
  if (small.length > 0) blocks.push(context(...small));
  return { blocks, text: answerNotification({ incomplete, title, words }) };
}

function groupBlock({ lines }: GroupTable): SlackBlock {
  return bulletList(lines.map((line) => [piece(line)]));
}

/**
 * The state of a service and its logs: failures or none, then each log with its newest entry, and the response time.
 */
export function formatStatus(
  statuses: readonly LogStatus[],
  service: ServiceStatus,
  options: TimeOptions,
): SlackMessage {
  const clock = clockFor(options);
  const failing = statuses.filter((status) => markOf(status) === "▲").map(alarmOf);
  const incomplete = incompleteStatus(statuses, clock);
  const calm = calmWords(statuses);
  const lines = [
    ...(incomplete === "" ? [] : [[bold(incomplete)]]),
    ...failing.map(({ what, details }) => [bold(`▲ ${what}: `), piece(details)]),
    ...(failing.length > 0 ? [] : [[bold(calm)]]),
  ];
  const headline = lines.flatMap((line, at) => (at === 0 ? line : [piece("\n"), ...line]));
  const alarms = failing.map(({ what, details }) => `▲ ${what}: ${details}`).join(" ") || calm;
  const text = incomplete === "" ? alarms : `${incomplete} ${alarms}`;
  const logs = statuses.flatMap((status, at) => [...(at === 0 ? [] : [piece("\n")]), ...logLine(status, clock)]);
  return {
    blocks: [richText(...headline), ...(logs.length > 0 ? [richText(...logs)] : []), context(serviceWords(service))],
    text: notification(text),
  };
}

function logLine(status: LogStatus, clock: Clock): RichTextElement[] {
  const { kind, newest = clock.now } = status;
  const name = [piece(`${markOf(status)} `), bold(rowOf(kind).title)];
  const empty = emptyWords(status);
  if (empty !== undefined) return [...name, piece(`: ${empty}`)];
  return [
    ...name,
    piece(": newest "),
    timeOf(newest, clock),
    piece(`, ${lastHourWords(status)}${refusedWords(status)}`),
  ];
}

function timeOf(time: number, clock: Clock): RichTextElement {
  if (isWritable(time)) return date(time, formatFor([time], clock.now));
  return piece(`${clock.short(time)} · ${formatAgo(time, clock.now)}`);
}

/** The longest request id; ours have 26 characters. */
const ID = 100;

/** Any thrown value as a message: what happened, why, and the next step. */
export function formatProblem(error: unknown, options: ProblemOptions = {}): SlackMessage {
  const { what, why, next, requestId } = problemOf(error, options);
  const blocks: SlackBlock[] = [
    richText(bold(`✗ ${what}`), ...(why === "" ? [] : [piece(`\n${why}`)])),
    richText(bold("What to do: "), piece(fit(next, TEXT))),
  ];
  if (requestId) {
    blocks.push({ type: "context", elements: [mrkdwn(`Request id ${codeSpan(fit(requestId, ID))}`)] });
  }
  return { blocks, text: notification(what, next) };
}
