import type { RichTextElement } from "@slack/types";
import { rowOf } from "../columns.js";
import type { LogStatus, ServiceStatus } from "../log-status.js";
import { alarmOf, lastHourWords, markOf, serviceWords } from "../log-status-words.js";
import { type Clock, clockFor, formatAgo, type TimeOptions } from "../values/time.js";
import type { SlackMessage } from "./message.js";
import { bold, context, date, formatFor, isWritable, notification, piece, richText } from "./parts.js";

/**
 * How a service and its logs stand: what fails or that all is well, then each log with its newest entry, and how fast
 * the service answered.
 *
 * @throws {RangeError} where there is no such time zone, or `now` is no time.
 */
export function formatStatus(
  statuses: readonly LogStatus[],
  service: ServiceStatus,
  options: TimeOptions,
): SlackMessage {
  const clock = clockFor(options);
  const failing = statuses.filter((status) => markOf(status) === "▲").map(alarmOf);
  const calm = calmWords(statuses);
  const headline = failing.flatMap(({ what, details }, at) => [
    ...(at === 0 ? [] : [piece("\n")]),
    bold(`▲ ${what}: `),
    piece(details),
  ]);
  const text = failing.map(({ what, details }) => `▲ ${what}: ${details}`).join(" ") || calm;
  const logs = statuses.flatMap((status, at) => [...(at === 0 ? [] : [piece("\n")]), ...logLine(status, clock)]);
  return {
    blocks: [
      failing.length > 0 ? richText(...headline) : richText(bold(calm)),
      ...(logs.length > 0 ? [richText(...logs)] : []),
      context(serviceWords(service)),
    ],
    text: notification(text),
  };
}

/** What is said where nothing fails. */
function calmWords(statuses: readonly LogStatus[]): string {
  return statuses.some(({ lastHour }) => lastHour.count > 0)
    ? "✓ All is well: nothing failed in the last hour."
    : "– All is quiet: nothing was logged in the last hour.";
}

function logLine(status: LogStatus, clock: Clock): RichTextElement[] {
  const { kind, newest } = status;
  const name = [piece(`${markOf(status)} `), bold(rowOf(kind).title)];
  if (newest === undefined) return [...name, piece(": empty")];
  return [...name, piece(": newest "), timeOf(newest, clock), piece(`, ${lastHourWords(status)}`)];
}

function timeOf(time: number, clock: Clock): RichTextElement {
  if (isWritable(time)) return date(time, formatFor([time], clock.now));
  return piece(`${clock.short(time)} · ${formatAgo(time, clock.now)}`);
}
