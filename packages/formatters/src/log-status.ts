import type { LogKind } from "@media-ops/sdk";
import { timeFieldOf } from "./columns.js";
import { type Summary, summarize } from "./summary.js";
import { fieldOf } from "./values/field.js";
import { HOUR } from "./values/lengths.js";
import { clockFor, millisecondsOf } from "./values/time.js";

/**
 * How one log stands. An entry failed if its status is 400 or more, or if there was no answer. In the API log it failed from
 * 500 on: with 4xx the service refused a mistake of the caller, such as a mistyped project, and nothing is wrong with it.
 */
export interface LogStatus {
  kind: LogKind;
  /** When its newest entry was made, in milliseconds since 1970; absent where there is none. */
  newest?: number;
  /** What the last hour says; what counts as failed is said above. */
  lastHour: Summary;
  /** Whether there may be more in the last hour than was listed. */
  isCapped: boolean;
}

/** What is told of the service beside its logs. */
export interface ServiceStatus {
  /** Where it is, as it may be shown. */
  address: string;
  /** How long one answer took. */
  answeredInMs: number;
  /** Whose key it was asked with, such as "profile staging". */
  askedWith?: string | undefined;
}

export interface LogStatusOptions {
  /** The present in milliseconds since 1970, such as `Date.now()`. */
  now: number;
  /** Whether there may be older entries than were given. @default whether they are as many as the service lists */
  isCapped?: boolean | undefined;
}

/** As many entries as the service lists at most. */
const MOST = 1000;

/**
 * How a log stands, by its newest entries as the service lists them.
 *
 * @throws {RangeError} where `now` is no time.
 */
export function logStatus(kind: LogKind, entries: readonly unknown[], options: LogStatusOptions): LogStatus {
  const { now } = clockFor(options);
  const { isCapped = entries.length >= MOST } = options;
  const field = timeFieldOf(kind);
  const timed = entries.flatMap((entry) => {
    const time = millisecondsOf(fieldOf(entry, field));
    return time === undefined ? [] : [{ entry, time }];
  });
  const recent = timed.filter(({ time }) => time > now - HOUR).map(({ entry }) => entry);
  return {
    kind,
    ...(timed.length > 0 && { newest: Math.max(...timed.map(({ time }) => time)) }),
    lastHour: summarize(kind, recent, { since: now - HOUR, until: now, failsFrom: kind === "api" ? 500 : 400 }),
    // Where older ones than of this hour were listed, the hour is whole.
    isCapped: isCapped && recent.length === timed.length,
  };
}
