import { rowOf } from "./columns.js";
import { amountOf, capital } from "./kind-words.js";
import type { LogStatus, ServiceStatus } from "./log-status.js";
import type { Summary } from "./summary.js";
import { formatCount, formatDuration } from "./values/numbers.js";
import { briefAddress } from "./values/show.js";

/** How it is with a log: something in it failed within the hour, all is well, or there is nothing. */
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

/** What goes on behind words of failures: with what they failed, and where. Names in it come from outside. */
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

/** What fails, as a heading and what is known of it: "Webhooks fail", "12 of 37 in the last hour, most often with 503.". */
export function alarmOf(status: LogStatus): { what: string; details: string } {
  const { kind, lastHour, isCapped } = status;
  const all = `${isCapped ? "at least " : ""}${formatCount(lastHour.count)}`;
  const failed = formatCount(lastHour.failures?.count ?? 0);
  return {
    what: `${capital(rowOf(kind).many)} fail`,
    details: `${failed} of ${all} in the last hour${failureWords(status)}.`,
  };
}

/** "http://127.0.0.1:8080 answered in 84 ms, asked with the key of profile staging." */
export function serviceWords({ address, answeredInMs, askedWith }: ServiceStatus): string {
  return `${address} answered in ${formatDuration(answeredInMs)}${askedWith ? `, asked with the key of ${askedWith}` : ""}.`;
}
