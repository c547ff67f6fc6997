import type { LogKind } from "@media-ops/contract";
import type { LogStatus, Summary, Tally } from "@media-ops/reports";
import { rowOf } from "@media-ops/reports/entries";
import type { RichTextElement } from "@slack/types";
import { amountOf, capital, logNameOf, spanWords } from "./logs.js";
import * as slack from "./slack/parts.js";
import * as terminal from "./terminal/screen.js";
import { clean, wrap } from "./terminal/width.js";
import { counted, formatCount, formatDuration } from "./values/numbers.js";
import { briefAddress, briefReason } from "./values/show.js";
import { type Clock, clockFor, formatAgo, type TimeOptions } from "./values/words.js";

/** The service beside its logs. */
export interface ServiceStatus {
  /** Its URL, as it may be shown. */
  address: string;
  /** The duration of one response. */
  answeredInMs: number;
  /** The owner of the key, such as "profile staging". */
  askedWith?: string | undefined;
}

/** The mark of a log: failures within the hour, none, an hour that is not known wholly, or an empty log. */
export function markOf({ newest, lastHour }: LogStatus): "▲" | "✓" | "?" | "–" {
  if (lastHour.failures?.count) return "▲";
  if (!lastHour.complete) return "?";
  return newest === undefined ? "–" : "✓";
}

/** The words for a log without entries; `undefined` if it has some. */
function emptyWords({ newest, isMissing, lastHour }: LogStatus): string | undefined {
  if (isMissing) return "this service has none";
  if (newest !== undefined) return undefined;
  return `empty${lastHour.isWithoutTools ? ", excluding calls from tools" : ""}`;
}

/** "37 webhooks in the last hour, 12 of them failed" */
export function lastHourWords({ kind, lastHour }: LogStatus): string {
  const { count, complete, failures, isWithoutTools } = lastHour;
  const tools = isWithoutTools ? " (excluding tools such as the bot)" : "";
  if (count === 0) return complete ? `none in the last hour${tools}` : "the last hour is not known";
  const amount = `${complete ? "" : "at least "}${amountOf(kind, count)} in the last hour${tools}`;
  const failed = failures?.count ?? 0;
  if (failed === 0) return amount;
  if (failed < count || !complete)
    return `${amount}, ${complete ? "" : "at least "}${formatCount(failed)} of them failed`;
  return `${amount}, ${count === 1 ? "which failed" : "all of which failed"}`;
}

/** "; 40 attempts to connect refused (most often token expired)", to end a log's line; empty if none was. */
export function refusedWords({ lastHour, refused }: Pick<LogStatus, "lastHour" | "refused">): string {
  const { count = 0, byReason: [first, second] = [] } = refused ?? {};
  if (count === 0) return "";
  const attempts = `${counted(count, "attempt", "attempts")} to connect refused`;
  const words = `; ${lastHour.complete ? "" : "at least "}${attempts}`;
  if (!first || first.count === second?.count) return words;
  return `${words} (${second ? "most often " : ""}${briefReason(first.name)})`;
}

/** "Incomplete: only 21:41:25–21:41:26 of the webhook log was searched."; empty if the last hour of all logs was. */
function incompleteStatus(statuses: readonly LogStatus[], clock: Clock): string {
  const parts = statuses
    .filter(({ lastHour }) => !lastHour.complete)
    .map(({ kind, lastHour: { period } }) => {
      const span = period && period.from < period.to ? spanWords(period, clock) : "a part";
      return `${span} of the ${logNameOf(kind)}`;
    });
  return parts.length === 0 ? "" : `Incomplete: only ${parts.join(", ")} was searched.`;
}

/** The headline if no failure is known. */
export function calmWords(statuses: readonly LogStatus[]): string {
  const isKnown = statuses.every(({ lastHour }) => lastHour.complete);
  if (!isKnown) return "? Nothing failed in what was searched of the last hour.";
  // Refused clients are no failure of the service, but may be trouble for them.
  if (statuses.some(({ refused }) => refused?.count)) return "✓ Nothing failed in the last hour.";
  return statuses.some(({ lastHour }) => lastHour.count > 0)
    ? "✓ All is well: nothing failed in the last hour."
    : "– All is quiet: nothing was logged in the last hour.";
}

/** The statuses and positions of failures, to follow words about them. It contains names from untrusted input. */
export function failureWords({ kind, failures }: Pick<Summary, "kind" | "failures">): string {
  const { byStatus = [], byReason, where = [] } = failures ?? {};
  return (byReason ? reasonWords(byReason) : statusWords(byStatus)) + placeWords(kind, where);
}

type Failures = NonNullable<Summary["failures"]>;

function statusWords([first, second]: Failures["byStatus"]): string {
  if (!first || first.count === second?.count) return "";
  return `${second ? ", most often" : ""} ${first.status === 0 ? "without an answer" : `with ${first.status}`}`;
}

function reasonWords([first, second]: readonly Tally[]): string {
  if (!first || first.count === second?.count) return "";
  return `, ${second ? "most often " : ""}with the reason ${briefReason(first.name)}`;
}

function placeWords(kind: LogKind, [first, second]: Failures["where"]): string {
  if (!first) return "";
  const place = `${kind === "events" ? "client " : ""}${briefAddress(first.name)}`;
  if (!second) return `, for ${place}`;
  return first.count > second.count ? `; worst: ${place}` : `; among them ${place}`;
}

/** A heading and details for failures: "Webhooks fail", "12 of 37 in the last hour, most often with 503." */
export function alarmOf(status: LogStatus): { what: string; details: string } {
  const { kind, lastHour } = status;
  const least = lastHour.complete ? "" : "at least ";
  const failed = formatCount(lastHour.failures?.count ?? 0);
  const isEvents = kind === "events";
  const all = `${least}${formatCount(lastHour.count)}${isEvents ? " events" : ""}`;
  return {
    what: isEvents ? "Connections fail" : `${capital(rowOf(kind).many)} fail`,
    details: `${least}${failed} of ${all} in the last hour${failureWords(lastHour)}.`,
  };
}

/** "http://127.0.0.1:8080 answered in 84 ms, with the key of profile staging." */
export function serviceWords({ address, answeredInMs, askedWith }: ServiceStatus): string {
  return `${address} answered in ${formatDuration(answeredInMs)}${askedWith ? `, with the key of ${askedWith}` : ""}.`;
}

/**
 * The state of a service and its logs: failures or none, then each log with its newest entry, and the response time.
 */
export function slackStatus(
  statuses: readonly LogStatus[],
  service: ServiceStatus,
  options: TimeOptions,
): slack.SlackMessage {
  const clock = clockFor(options);
  const failing = statuses.filter((status) => markOf(status) === "▲").map(alarmOf);
  const incomplete = incompleteStatus(statuses, clock);
  const calm = calmWords(statuses);
  const lines = [
    ...(incomplete === "" ? [] : [[slack.bold(incomplete)]]),
    ...failing.map(({ what, details }) => [slack.bold(`▲ ${what}: `), slack.piece(details)]),
    ...(failing.length > 0 ? [] : [[slack.bold(calm)]]),
  ];
  const headline = lines.flatMap((line, at) => (at === 0 ? line : [slack.piece("\n"), ...line]));
  const alarms = failing.map(({ what, details }) => `▲ ${what}: ${details}`).join(" ") || calm;
  const text = incomplete === "" ? alarms : `${incomplete} ${alarms}`;
  const logs = statuses.flatMap((status, at) => [...(at === 0 ? [] : [slack.piece("\n")]), ...logLine(status, clock)]);
  return {
    blocks: [
      slack.richText(...headline),
      ...(logs.length > 0 ? [slack.richText(...logs)] : []),
      slack.context(serviceWords(service)),
    ],
    text: slack.notification(text),
  };
}

function logLine(status: LogStatus, clock: Clock): RichTextElement[] {
  const { kind, newest = clock.now } = status;
  const name = [slack.piece(`${markOf(status)} `), slack.bold(rowOf(kind).title)];
  const empty = emptyWords(status);
  if (empty !== undefined) return [...name, slack.piece(`: ${empty}`)];
  return [
    ...name,
    slack.piece(": newest "),
    timeOf(newest, clock),
    slack.piece(`, ${lastHourWords(status)}${refusedWords(status)}`),
  ];
}

function timeOf(time: number, clock: Clock): RichTextElement {
  if (slack.isWritable(time)) return slack.date(time, slack.formatFor([time], clock.now));
  return slack.piece(`${clock.short(time)} · ${formatAgo(time, clock.now)}`);
}

const styles = { "✓": "good", "▲": "bad", "?": "bad", "–": "faint" } as const satisfies Record<string, terminal.Style>;

/** The availability and response time of the service, and the state of each log. */
export function terminalStatus(
  statuses: readonly LogStatus[],
  service: ServiceStatus,
  options: terminal.TerminalOptions,
): string {
  const screen = terminal.timedScreenOf(options);
  return [
    ...terminal.textLines(incompleteStatus(statuses, screen.clock), "bad", screen),
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
function markedLines(mark: keyof typeof styles, text: string, { width, paint }: terminal.Screen): string[] {
  const painted = paint(mark, styles[mark]);
  if (width <= NARROW) return [painted, ...wrap(clean(text), width)];
  return wrap(clean(text), width - 2).map((line, at) => `${at === 0 ? painted : " "} ${line}`);
}
