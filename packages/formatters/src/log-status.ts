import type { LogKind } from "@media-ops/sdk";
import { amountOf, capital, logNameOf, rowOf, TIME_FIELD } from "./columns.js";
import { spanWords } from "./heading.js";
import { summarize } from "./summarize.js";
import type { Summary, Tally } from "./summary.js";
import { formatCount, formatDuration } from "./values/numbers.js";
import { briefAddress, briefReason } from "./values/show.js";
import { fieldOf } from "./values/text.js";
import { type Clock, clockFor, HOUR, millisecondsOf } from "./values/time.js";

/**
 * The state of one log. An entry failed if its status is 400 or more, or if there was no response. In the API log it
 * failed from 500 on: 4xx means that the service refused an invalid request. An event failed if its outcome is
 * `failed`: refused clients are no failure of the service, and are counted apart.
 */
export interface LogStatus {
  kind: LogKind;
  /** The time of its newest entry in milliseconds since 1970; absent if the log is empty. */
  newest?: number;
  /** The summary of the last hour; it says whether all of the hour was searched. */
  lastHour: Summary;
  /** The clients that were refused within the last hour. Only of the event log. */
  refused?: RefusedClients;
  /** Whether the service has no such log. @default it has */
  isMissing?: true;
}

/** Refused clients. If the hour was not searched wholly, there may be more. */
export interface RefusedClients {
  /** How often a client was refused; one that tries again is counted again. */
  count: number;
  /** The reasons, most frequent first. */
  byReason: Tally[];
}

/** The logs that not every service has. */
const OPTIONAL: readonly LogKind[] = ["events"];

/** Whether a service may do without a log. */
export const isOptionalLog = (kind: LogKind): boolean => OPTIONAL.includes(kind);

/** The state of a log that the service does not have. */
export function missingStatus(kind: LogKind, options: Pick<LogStatusOptions, "now">): LogStatus {
  return { ...logStatus(kind, [], options), isMissing: true };
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
  /**
   * The time before which entries may be missing, in milliseconds since 1970.
   * @default the oldest entry's, if the list is as long as the service's limit
   */
  searchedTo?: number | undefined;
}

/** The most entries that the service lists. */
const MOST = 1000;

/** The lowest status that is a failure of the service. */
export const failsFrom = (kind: LogKind): number => (kind === "api" ? 500 : 400);

/**
 * The state of a log, from its newest entries as the service lists them.
 *
 * @throws {RangeError} if `now` is not finite.
 */
export function logStatus(kind: LogKind, entries: readonly unknown[], options: LogStatusOptions): LogStatus {
  const { now } = clockFor(options);
  const timed = entries.flatMap((entry) => {
    const time = millisecondsOf(fieldOf(entry, TIME_FIELD));
    return time === undefined ? [] : [{ entry, time }];
  });
  const recent = timed.filter(({ time }) => time > now - HOUR).map(({ entry }) => entry);
  const times = timed.map(({ time }) => time);
  const searchedTo = options.searchedTo ?? (entries.length >= MOST ? Math.min(...times, now) : undefined);
  const hour = { since: now - HOUR, until: now, failsFrom: failsFrom(kind), refusedFails: false, searchedTo };
  return {
    kind,
    ...(times.length > 0 && { newest: Math.max(...times) }),
    lastHour: summarize(kind, recent, hour),
    ...(kind === "events" && { refused: refusedIn(recent) }),
  };
}

/** The refused clients among events. */
export function refusedIn(events: readonly unknown[]): RefusedClients {
  const { count, failures } = summarize(
    "events",
    events.filter((event) => fieldOf(event, "outcome") === "refused"),
  );
  return { count, byReason: failures?.byReason ?? [] };
}

/** The mark of a log: failures within the hour, none, an hour that is not known wholly, or an empty log. */
export function markOf({ newest, lastHour }: LogStatus): "▲" | "✓" | "?" | "–" {
  if (lastHour.failures?.count) return "▲";
  if (!lastHour.complete) return "?";
  return newest === undefined ? "–" : "✓";
}

/** The words for a log without entries; `undefined` if it has some. */
export function emptyWords({ newest, isMissing, lastHour }: LogStatus): string | undefined {
  if (isMissing) return "this service has none";
  if (newest !== undefined) return undefined;
  return `empty${lastHour.isWithoutTools ? ", without the calls of tools" : ""}`;
}

/** "37 webhooks in the last hour, 12 of them failed" */
export function lastHourWords({ kind, lastHour }: LogStatus): string {
  const { count, complete, failures, isWithoutTools } = lastHour;
  const tools = isWithoutTools ? " (without those of tools such as the bot)" : "";
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
  const attempts = `${formatCount(count)} ${count === 1 ? "attempt" : "attempts"} to connect refused`;
  const words = `; ${lastHour.complete ? "" : "at least "}${attempts}`;
  if (!first || first.count === second?.count) return words;
  return `${words} (${second ? "most often " : ""}${briefReason(first.name)})`;
}

/** "Incomplete: only 21:41:25–21:41:26 of the webhook log was searched."; empty if the last hour of all logs was. */
export function incompleteStatus(statuses: readonly LogStatus[], clock: Clock): string {
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
