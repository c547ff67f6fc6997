import type { LogStatus } from "@media-ops/reports";
import { rowOf } from "@media-ops/reports/entries";
import type { RichTextElement } from "@slack/types";
import {
  bold,
  context,
  date,
  formatFor,
  isWritable,
  notification,
  piece,
  richText,
  type SlackMessage,
} from "../slack/parts.js";
import { type Clock, clockFor, formatAgo, type TimeOptions } from "../values/time.js";
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
} from "./words.js";

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
