import { fieldOf } from "./fields.js";

// Lengths of time in milliseconds.
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;
const SECONDS_AT = "2026-04-01T09:30:".length;

/** Milliseconds since 1970 of a timestamp with any number of fraction digits; `undefined` if it is invalid. */
export function millisecondsOf(value: unknown): number | undefined {
  if (typeof value !== "string" || !RFC_3339.test(value)) return undefined;
  // Date does not support leap seconds.
  const time = value.startsWith("60", SECONDS_AT)
    ? Date.parse(`${value.slice(0, SECONDS_AT)}59${value.slice(SECONDS_AT + 2)}`) + SECOND
    : Date.parse(value);
  // Date parses 30 February as 2 March.
  return Number.isNaN(time) || !isDay(value.slice(0, 10)) ? undefined : time;
}

function isDay(date: string): boolean {
  const day = Number(date.slice(8));
  return day <= 28 || new Date(date).getUTCDate() === day;
}

/** The time in an object's own field, in milliseconds since 1970; `undefined` if it has none. */
export const timeIn = (thing: unknown, field: string): number | undefined => millisecondsOf(fieldOf(thing, field));

/**
 * A current time that can be used.
 *
 * @throws {RangeError} if it is not finite.
 */
export function checkedNow(now: number): number {
  if (Number.isFinite(now)) return now;
  throw new RangeError(`now must be milliseconds since 1970, such as Date.now(), but is ${now}.`);
}

/** The years from 0 to 9999, which have four digits. */
export const within = (time: number): number => Math.min(Math.max(time, -62_167_219_200_000), 253_402_300_799_999);

/** Before time zones, only constant local mean times were used. (A `Date` also mistakes the years before 100.) */
const BEFORE_ZONES = Date.UTC(1800);

/** How far clocks are ahead of UTC at a time, in milliseconds. */
export type OffsetAt = (time: number) => number;

/**
 * How far a zone's clocks are ahead of UTC.
 *
 * @throws {RangeError} for an unknown time zone.
 */
export function offsetsIn(timeZone: string): OffsetAt {
  if (timeZone === "UTC") return () => 0;
  const format = formatIn(timeZone);
  return (time) => {
    const known = Math.max(within(time), BEFORE_ZONES);
    const parts = Object.fromEntries(format.formatToParts(known).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(known / 1000) * 1000;
  };
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const numeric = "numeric" as const;
  const parts = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...parts });
  } catch (cause) {
    throw new RangeError(`Unknown time zone "${timeZone}". Use an IANA name, such as Europe/Berlin or UTC.`, {
      cause,
    });
  }
}
