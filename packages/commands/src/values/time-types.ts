import { oneOfThese, onlyNearest, quote, takes } from "../messages.js";
import {
  type Direction,
  dayWords,
  describeDuration,
  describeWithin,
  isTimeText,
  readDate,
  readDuration,
  readMoment,
  writeDuration,
} from "../times.js";
import { correctZone, DAY_MS, endOf, meaningsOf, splitZone, zoneNamed, zoneNear, zoneTyped } from "../zones.js";
import {
  type Choice,
  type DescribeContext,
  type Limits,
  type Read,
  refused,
  understood,
  type ValueType,
} from "./value-type.js";

interface DurationOptions extends Limits {
  /** Whether descriptions are as after "within": `5 min`, `a minute`. @default false */
  readonly short?: boolean;
}

/** A duration: `10m`, `1d12h`, `2 hours`, in milliseconds. */
export function duration({ min, max, example, short = false }: DurationOptions): ValueType<number> {
  const isWithin = (text: string): boolean => {
    const ms = readDuration(text);
    return ms !== undefined && ms >= min && ms <= max;
  };
  return {
    name: "time",
    example,
    spaced: true,
    distinctive: true,
    parse(text, { subject }): Read<number> {
      const ms = readDuration(text);
      if (ms === undefined) {
        const count = countIn(text);
        const such = oneOfThese(["10m", "2h", "30d"].filter(isWithin));
        const reason = `${takes(subject, `a duration, such as ${such}`, text)}${unitHint(text)}`;
        return refused(reason, count ? `${count}m` : example);
      }
      if (ms < min)
        return refused(`${subject} must be at least ${describeDuration(min)}, not ${quote(text)}.`, example);
      if (ms <= max) return understood(Math.round(ms));
      return refused(`${subject} must be at most ${describeDuration(max)}, not ${quote(text)}.`, writeDuration(max));
    },
    complete: () => usualDurations.filter(([text]) => isWithin(text)),
    write: writeDuration,
    describe: short ? describeWithin : describeDuration,
  };
}

const usualDurations: readonly Choice[] = [
  ["10m", "10 minutes"],
  ["1h", "an hour"],
  ["8h", "8 hours"],
  ["1d", "a day"],
  ["7d", "a week"],
];

/** The number in a duration with a missing or unknown unit: `2`, `2x`. */
function countIn(text: string): string | undefined {
  const [, count] = /^(\d{1,3})\s*\D{0,5}$/.exec(text) ?? [];
  return Number(count) > 0 ? count : undefined;
}

/** A hint on units, for a number with a missing or unknown one. */
export function unitHint(text: string): string {
  if (/^\d+$/.test(text)) return " A number needs a unit.";
  return /^\d+(?:\.\d+)? ?(?!jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{1,6}$/i.test(text)
    ? " Units are ms, s, m, h, d and w."
    : "";
}

interface MomentOptions {
  /** The direction in which a time without a date is resolved. */
  readonly direction: Direction;
  readonly pastOnly: boolean;
  readonly example: string;
}

/** A time: `2h`, `yesterday`, `09:00`, `2026-11-20`, RFC 3339. In milliseconds since 1970. */
export function moment({ direction, pastOnly, example }: MomentOptions): ValueType<number> {
  return {
    name: "time",
    example,
    spaced: true,
    distinctive: true,
    zoned: true,
    parse(text, { subject, now, zone }) {
      const found = readMoment(text, { now, zone, direction });
      if (!found) {
        const wanted = `a time, such as ${choices[direction]
          .slice(0, 2)
          .map(([word]) => word)
          .join(", ")}, 09:00 or 2026-11-20`;
        return refused(`${takes(subject, wanted, text)}${timeHint(text)}`, correctMoment(text), "times");
      }
      if (pastOnly && found.from > now) {
        return refused(`${subject} must be in the past, but ${quote(text)} is in the future.`, undefined, "times");
      }
      return understood(found.from);
    },
    complete: () => choices[direction],
    write: (instant) => new Date(instant).toISOString(),
    describe: (instant, context) => describeMoment(instant, context),
  };
}

/** A time zone: `Tokyo`, `Asia/Tokyo`, `+09:00`. By its IANA name, if it has one. */
export const timeZone: ValueType<string> = {
  name: "zone",
  example: "Tokyo",
  parse(text) {
    const zone = zoneTyped(text);
    return zone ? understood(zone.name) : refused(zoneProblem(text), zoneNear(text), "times");
  },
  complete: () => [
    ["UTC", "coordinated universal time"],
    ["Tokyo", "the time in a city"],
    ["Europe/Berlin", "an IANA name"],
  ],
  write: (name) => name,
  // The times in UTC say so themselves.
  describe: (name) => (name === "UTC" ? "" : name),
};

/** The name of the zone that a time is typed with, unless that is an instant of RFC 3339. */
export function zoneIn(time: string): string | undefined {
  return /\dt[\d:.]+z$/i.test(time) ? undefined : splitZone(time)?.zone.name;
}

/** The start of a period; a distance reads as a distance. */
export const since: ValueType<number> = {
  ...moment({ direction: "back", pastOnly: true, example: "2h" }),
  describe(instant, context) {
    const clock = describeMoment(instant, context);
    // A day reads as its date, even if it began a round number of hours ago.
    const distance = clock.includes(" ") ? describeDistance(instant, context) : undefined;
    return distance ? `last ${distance}` : `since ${clock}`;
  },
};

/** The excluded end of a period. It always has a time, so that a day does not read as the whole day. */
export const until: ValueType<number> = {
  ...moment({ direction: "back", pastOnly: false, example: "1h" }),
  describe: (instant, context) => describeMoment(instant, context, "none"),
};

const choices: Readonly<Record<Direction, readonly Choice[]>> = {
  back: [
    ["2h", "2 hours ago"],
    ["yesterday", "yesterday at midnight"],
    ["today", "today at midnight"],
    ["30m", "30 minutes ago"],
    ["1d", "24 hours ago"],
    ["7d", "7 days ago"],
    ["09:00", "the last nine o'clock"],
    ["monday", "midnight of the last Monday before today"],
  ],
  ahead: [
    ["2h", "in 2 hours"],
    ["tomorrow", "tomorrow at midnight"],
    ["30m", "in 30 minutes"],
    ["09:00", "the next nine o'clock"],
    ["monday", "the next Monday after today"],
  ],
};

/** The range in which each unit reads as a whole number; anything older reads as a clock time. */
const distances: readonly (readonly [ms: number, one: string, least: number, most: number])[] = [
  [DAY_MS, "day", 2, 60],
  [3_600_000, "hour", 1, 24],
  [60_000, "minute", 1, 120],
  [1000, "second", 1, 120],
];

// A request to the service may run between parsing "2h" and describing it.
const SLACK_MS = 10_000;

/** `2 hours` for a time that long ago, with tolerance for the duration of a command. */
function describeDistance(instant: number, context: DescribeContext): string | undefined {
  const distance = distanceTo(instant, context);
  return distance === undefined ? undefined : inOneUnit(distance, 0);
}

/** A distance in one unit, in milliseconds; undefined if no unit fits. */
function distanceTo(instant: number, { now }: DescribeContext): number | undefined {
  // A typed clock time is a whole minute, and must not read as a relative time by chance.
  const unit = now === undefined ? undefined : unitOf(now - instant, instant % 60_000 === 0 ? 0 : SLACK_MS);
  return unit && unit.count * unit.ms;
}

/**
 * The length in milliseconds of a period that reads as "last 2 hours", by its start; undefined for one that reads by
 * clock times.
 */
export function lengthOfLast(
  start: number,
  { now, timeZone }: { readonly now: number; readonly timeZone?: string | undefined },
): number | undefined {
  const context = { now, zone: zoneNamed(timeZone) };
  return since.describe(start, context).startsWith("last ") ? distanceTo(start, context) : undefined;
}

/** A period after "the last", as answers have it: `24 hours`, and `hour` for one unit. */
export function describePeriod(ms: number): string {
  return inOneUnit(ms, 0) ?? describeDuration(ms);
}

/** `2 hours`; undefined if no unit fits. */
function inOneUnit(length: number, slack: number): string | undefined {
  const unit = unitOf(length, slack);
  return unit && (unit.count === 1 ? unit.one : `${unit.count} ${unit.one}s`);
}

function unitOf(length: number, slack: number): { count: number; one: string; ms: number } | undefined {
  for (const [ms, one, least, most] of distances) {
    const count = Math.floor(length / ms);
    const isNear = count >= least && length - count * ms <= Math.min(slack, ms / 2);
    if (isNear && count <= most) return { count, one, ms };
  }
  return undefined;
}

/** The moment of a day that reads as the day alone. */
export type Edge = "start" | "end" | "none";

/** `2026-11-20 09:00`, or the day alone at its edge. */
export function describeMoment(instant: number, { zone }: DescribeContext, edge: Edge = "start"): string {
  const wall = zone.wallAt(instant);
  const isEdge = edge !== "none" && (edge === "start" ? wall : wall + 1) % DAY_MS === 0;
  const [date = "", time = ""] = new Date(wall).toISOString().split("T");
  if (isEdge) return date;
  const clock = wall % 60_000 === 0 ? time.slice(0, 5) : time.slice(0, 8);
  return `${date} ${clock}${zone.name === "UTC" ? " UTC" : ""}`;
}

/**
 * The correction of text that is nearly a time. Only unambiguous text is corrected, because users rely on suggestions.
 */
export function correctMoment(text: string): string | undefined {
  const typed = text.trim().replaceAll(/\s+/g, " ");
  const zoned = splitZone(typed);
  const inZone = zoned && correctLocal(zoned.before);
  return zoned ? inZone && `${inZone} ${zoned.typed}` : (correctLocal(typed) ?? correctZone(typed, isTimeText));
}

/** The correction of a time without a zone. */
function correctLocal(text: string): string | undefined {
  const typed = text.toLowerCase();
  const bare = typed.replace(/[.,;!?]+$/, "");
  if (bare !== typed && readDuration(bare) !== undefined) return bare;
  return correctClock(bare) ?? correctDate(bare) ?? correctDay(bare);
}

/** `yesterdya`, also before a time of day. */
function correctDay(typed: string): string | undefined {
  const [, word = "", clock = ""] = /^([a-z]+)( \d.*)?$/.exec(typed) ?? [];
  const day = onlyNearest(word, dayWords);
  return day && isTimeText(`${day}${clock}`) ? `${day}${clock}` : undefined;
}

/** The time of day that is meant by `0900` and `9.30`. */
export function correctClock(typed: string): string | undefined {
  const [, hours = "", minutes = ""] = /^(\d\d?)(?:\.|(?<=^0\d))(\d\d)$/.exec(typed) ?? [];
  return hours !== "" && Number(hours) < 24 && Number(minutes) < 60
    ? `${hours.padStart(2, "0")}:${minutes}`
    : undefined;
}

/** `2026/11/20`, `20.11.2026`, and dates with slashes if only one reading is a date. */
function correctDate(typed: string): string | undefined {
  const [, year, month, day] = /^(\d{4})[./](\d\d?)[./](\d\d?)$/.exec(typed) ?? [];
  if (year) return dateOf(year, month, day);
  const [, first, separator, second, last] = /^(\d\d?)([./-])(\d\d?)\2(\d{4})$/.exec(typed) ?? [];
  const [dayFirst, monthFirst] = [dateOf(last, second, first), dateOf(last, first, second)];
  if (separator === ".") return dayFirst;
  return dayFirst && monthFirst ? undefined : (dayFirst ?? monthFirst);
}

function dateOf(year = "", month = "", day = ""): string | undefined {
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return readDate(date) === undefined ? undefined : date;
}

/** Why the end of a text is not the zone of the time before it; undefined if there is no time. */
function unknownZone(text: string): string | undefined {
  const end = endOf(text.trim(), isTimeText);
  return end && zoneProblem(end);
}

/** Why a text is not a time zone. */
export function zoneProblem(typed: string): string {
  if (/^\d/.test(typed)) return `${quote(typed)} is not part of a time.`;
  const meanings = meaningsOf(typed);
  if (meanings) return `${quote(typed)} may mean ${meanings}: name the city.`;
  return `${quote(typed)} is not a time zone. Name a city such as Tokyo, a zone such as Asia/Tokyo, or an offset such as +09:00.`;
}

/** A hint on text that is nearly a time. */
export function timeHint(text: string): string {
  if (/^\d{1,4}[./]\d{1,2}[./]\d{1,4}$/.test(text)) return " Dates are written with hyphens, the year first.";
  if (/^\d{4}-\d\d-\d\d$/.test(text))
    return readDate(text) === undefined ? " The date does not exist." : " The time is out of range.";
  if (/^\d\d?:\d\d$/.test(text)) return " The time of day does not exist.";
  const zone = unknownZone(text);
  if (zone) return ` ${zone}`;
  if (readDuration(text) !== undefined) return " The time is out of range.";
  return unitHint(text);
}
