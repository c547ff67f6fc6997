import type { LogKind } from "@media-ops/sdk";
import { amountOf, capital, rowOf, TIME_FIELD } from "./columns.js";
import { type Summary, summarize } from "./summary.js";
import { formatCount, formatDuration } from "./values/numbers.js";
import { briefAddress } from "./values/show.js";
import { fieldOf } from "./values/text.js";
import { clockFor, HOUR, millisecondsOf } from "./values/time.js";

/**
 * The state of one log. An entry failed if its status is 400 or more, or if there was no response. In the API log it
 * failed from 500 on: 4xx means that the service refused an invalid request.
 */
export interface LogStatus {
  kind: LogKind;
  /** The time of its newest entry in milliseconds since 1970; absent if the log is empty. */
  newest?: number;
  /** The summary of the last hour. */
  lastHour: Summary;
  /** Whether the last hour may have more entries than were listed. */
  isCapped: boolean;
}

/** The service beside its logs. */
export interface ServiceStatus {
  /** Its URL, as it may be shown. */
  address: string;
  /** The duration of one response. */
  answeredInMs: number;
  /** The owner of the key, such as "profile staging". */
  askedWith?: string | undefined;
}

export interface LogStatusOptions {
  /** The current time in milliseconds since 1970, such as `Date.now()`. */
  now: number;
  /** Whether older entries may exist. @default whether the list is as long as the service's limit */
  isCapped?: boolean | undefined;
}

/** The most entries that the service lists. */
const MOST = 1000;

/**
 * The state of a log, from its newest entries as the service lists them.
 *
 * @throws {RangeError} if `now` is not finite.
 */
export function logStatus(kind: LogKind, entries: readonly unknown[], options: LogStatusOptions): LogStatus {
  const { now } = clockFor(options);
  const { isCapped = entries.length >= MOST } = options;
  const timed = entries.flatMap((entry) => {
    const time = millisecondsOf(fieldOf(entry, TIME_FIELD));
    return time === undefined ? [] : [{ entry, time }];
  });
  const recent = timed.filter(({ time }) => time > now - HOUR).map(({ entry }) => entry);
  return {
    kind,
    ...(timed.length > 0 && { newest: Math.max(...timed.map(({ time }) => time)) }),
    lastHour: summarize(kind, recent, { since: now - HOUR, until: now, failsFrom: kind === "api" ? 500 : 400 }),
    // If entries before this hour were listed, the hour is complete.
    isCapped: isCapped && recent.length === timed.length,
  };
}

/** The mark of a log: failures within the hour, none, or an empty log. */
export const markOf = ({ newest, lastHour }: LogStatus): "▲" | "✓" | "–" =>
  lastHour.failures?.count ? "▲" : newest === undefined ? "–" : "✓";

/** "37 webhooks in the last hour, 12 of them failed" */
export function lastHourWords({ kind, lastHour: { count, failures }, isCapped }: LogStatus): string {
  if (count === 0) return "none in the last hour";
  const amount = `${isCapped ? "at least " : ""}${amountOf(kind, count)} in the last hour`;
  const failed = failures?.count ?? 0;
  if (failed === 0) return amount;
  if (failed < count) return `${amount}, ${formatCount(failed)} of them failed`;
  return `${amount}, ${count === 1 ? "which failed" : "all of which failed"}`;
}

/** The statuses and positions of failures, to follow words about them. It contains names from untrusted input. */
export function failureWords({ lastHour: { failures } }: LogStatus): string {
  const { byStatus = [], where = [] } = failures ?? {};
  return howWords(byStatus) + placeWords(where);
}

type Failures = NonNullable<Summary["failures"]>;

function howWords([first, second]: Failures["byStatus"]): string {
  if (!first || first.count === second?.count) return "";
  return `${second ? ", most often" : ""} ${first.status === 0 ? "without an answer" : `with ${first.status}`}`;
}

function placeWords([first, second]: Failures["where"]): string {
  if (!first) return "";
  const place = briefAddress(first.name);
  if (!second) return `, for ${place}`;
  return first.count > second.count ? `; worst: ${place}` : `; among them ${place}`;
}

/** A heading and details for failures: "Webhooks fail", "12 of 37 in the last hour, most often with 503." */
export function alarmOf(status: LogStatus): { what: string; details: string } {
  const { kind, lastHour, isCapped } = status;
  const all = `${isCapped ? "at least " : ""}${formatCount(lastHour.count)}`;
  const failed = formatCount(lastHour.failures?.count ?? 0);
  return {
    what: `${capital(rowOf(kind).many)} fail`,
    details: `${failed} of ${all} in the last hour${failureWords(status)}.`,
  };
}

/** "http://127.0.0.1:8080 answered in 84 ms, with the key of profile staging." */
export function serviceWords({ address, answeredInMs, askedWith }: ServiceStatus): string {
  return `${address} answered in ${formatDuration(answeredInMs)}${askedWith ? `, with the key of ${askedWith}` : ""}.`;
}
