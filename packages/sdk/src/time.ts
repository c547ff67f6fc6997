import { MediaUsageError } from "./errors.js";

/** A timestamp as numbers, without loss. */
export interface ParsedTimestamp {
  /** Milliseconds since 1970, rounded down, for `new Date()`. */
  epochMilliseconds: number;
  /** Microseconds since 1970, rounded down. */
  epochMicroseconds: bigint;
  /** All digits of the fraction: `"482913"`; empty without one. */
  fraction: string;
}

const RFC_3339 = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/i;
const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };

/**
 * Parses an RFC 3339 time with any number of fraction digits, in UTC or with an offset, to the microsecond. Returns
 * `undefined` for anything else.
 *
 * @example parseTimestamp("2026-04-01T09:30:15.482913Z")?.epochMicroseconds // 1775035815482913n
 */
export function parseTimestamp(text: string): ParsedTimestamp | undefined {
  const [, day, time, second = "", fraction = "", offset = ""] = RFC_3339.exec(text) ?? [];
  const minute = `${day}T${time}`;
  const local = Date.parse(`${minute}Z`);
  const whole = local + Number(second) * 1000 + Date.parse(`1970-01-01T00:00${offset.toUpperCase()}`);
  // Date.parse parses 30 February as 2 March, and does not support leap seconds, which end a day in UTC.
  const isTime = second < "60" ? !Number.isNaN(whole) : second === "60" && whole % UNITS_MS.d === 0;
  if (!isTime || !new Date(local).toJSON().startsWith(minute)) return undefined;

  const microseconds = Number(fraction.slice(0, 6).padEnd(6, "0"));
  return {
    epochMilliseconds: whole + Math.floor(microseconds / 1000),
    epochMicroseconds: BigInt(whole) * 1000n + BigInt(microseconds),
    fraction,
  };
}

/**
 * A time as text that sorts like the time, with all digits: in UTC, without `Z` and trailing zeros. Undefined for
 * anything that is no time.
 *
 * @example timeKey("2026-04-01T18:30:15.500+09:00") // "2026-04-01T09:30:15.5"
 */
export function timeKey(time: unknown): string | undefined {
  const parsed = parseTimestamp(String(time instanceof Date ? time.toJSON() : time));
  if (!parsed) return undefined;
  return new Date(parsed.epochMilliseconds).toJSON().slice(0, 19) + `.${parsed.fraction}`.replace(/\.?0*$/, "");
}

/** A duration: `"90s"`, `"10m"`, `"2h"`, `"1d"`, or a combination: `"1h30m"`. */
export type Duration = `${number}${"s" | "m" | "h" | "d"}` | (string & {});

/**
 * The RFC 3339 time at the end of a duration that starts now, for `expiration_time` and `not_before`.
 *
 * @param duration The time from now.
 * @param now The current time in milliseconds since 1970. @default Date.now()
 * @example client.tokens.create({ expiration_time: expiresIn("10m") })
 */
export function expiresIn(duration: Duration, now: number = Date.now()): string {
  // Six digits keep the year below 10,000; a longer duration is a mistake.
  if (!/^(\d{1,6}[dhms])+$/.test(duration)) {
    throw new MediaUsageError(`Invalid duration "${duration}". Use a form like "90s", "10m" or "1h30m".`);
  }
  let end = now;
  for (const [, count, unit] of duration.matchAll(/(\d+)(.)/g)) {
    end += Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
  }
  return new Date(end).toISOString();
}
