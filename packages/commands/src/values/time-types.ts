import { nearestOf, oneOfThese, quote, takes } from "../messages.js";
import {
  type Direction,
  dayWords,
  describeDuration,
  describeWithin,
  readDate,
  readDuration,
  readMoment,
  writeDuration,
} from "../times.js";
import { DAY_MS, splitZone, zoneNamed, zoneTyped } from "../zones.js";
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
        const such = oneOfThese(["10m", "2h", "30d"].filter(isWithin));
        return refused(`${takes(subject, `a duration, such as ${such}`, text)}${unitHint(text)}`);
      }
      if (ms < min) return refused(`${subject} must be at least ${describeDuration(min)}, not ${quote(text)}.`);
      if (ms > max) return refused(`${subject} must be at most ${describeDuration(max)}, not ${quote(text)}.`);
      return understood(Math.round(ms));
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

/** A hint on units, for a number with a missing or unknown one. */
export function unitHint(text: string): string {
  if (/^\d+$/.test(text)) return " A number needs a unit.";
  return /^\d+(?:\.\d+)? ?[a-z]{1,6}$/i.test(text) ? " Units are ms, s, m, h, d and w." : "";
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
      if (!found) return noTime(subject, text, direction);
      if (!pastOnly || found.from <= now) return understood(found.from);
      return refused(`${subject} must be in the past, but ${quote(text)} is in the future.`);
    },
    complete: () => choices[direction],
    write: (instant) => new Date(instant).toISOString(),
    describe: (instant, context) => describeMoment(instant, context),
  };
}

/** The refusal of a text that is no time. */
export function noTime(subject: string, text: string, direction: Direction = "back") {
  const [[first], [second]] = choices[direction];
  const wanted = `a time, such as ${first}, ${second}, 09:00 or 2026-11-20`;
  return refused(`${takes(subject, wanted, text)}${timeHint(text)}`, nearestOf(text, dayWords));
}

/** A hint on text that is nearly a time. */
function timeHint(text: string): string {
  if (/^\d{1,4}[./]\d{1,2}[./]\d{1,4}$/.test(text)) return " Dates are written with hyphens, the year first.";
  if (/^\d{4}-\d\d-\d\d$/.test(text) && readDate(text) === undefined) return " The date does not exist.";
  if (/^\d\d?:\d\d$/.test(text)) return " The time of day does not exist.";
  if (/^\d{4}-\d\d-\d\d$/.test(text) || readDuration(text) !== undefined) return " The time is out of range.";
  return unitHint(text);
}

/** A time zone: `Tokyo`, `Asia/Tokyo`, `+09:00`. By its IANA name, if it has one. */
export const timeZone: ValueType<string> = {
  name: "zone",
  example: "Tokyo",
  parse(text, { subject }) {
    const zone = zoneTyped(text);
    return zone
      ? understood(zone.name)
      : refused(takes(subject, "a time zone, such as Asia/Tokyo, Tokyo or +09:00", text));
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
    const distance = distanceOf(instant, context);
    return distance ? `last ${distance.words}` : `since ${describeMoment(instant, context)}`;
  },
};

/** The excluded end of a period. It always has a time, so that a day does not read as the whole day. */
export const until: ValueType<number> = {
  ...moment({ direction: "back", pastOnly: false, example: "1h" }),
  describe: (instant, context) => describeMoment(instant, context, "none"),
};

const choices: Readonly<Record<Direction, readonly [Choice, Choice, ...Choice[]]>> = {
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

/** The period from a time to now that reads as a distance, with tolerance for the duration of a command. */
function distanceOf(instant: number, { now, zone }: DescribeContext): Distance | undefined {
  // A day reads as its date, even if it began a round number of hours ago.
  if (now === undefined || !describeMoment(instant, { now, zone }).includes(" ")) return undefined;
  // A typed clock time is a whole minute, and must not read as a relative time by chance.
  return inOneUnit(now - instant, instant % 60_000 === 0 ? 0 : SLACK_MS);
}

/** The length of a period that is described as "last 2 hours"; undefined if it is described by a clock time. */
export function roundPeriod(since: number, { now, timeZone }: { now: number; timeZone: string }): number | undefined {
  return distanceOf(since, { now, zone: zoneNamed(timeZone) })?.ms;
}

/** A period after "the last", as answers have it: `24 hours`, and `hour` for one unit. */
export function describePeriod(ms: number): string {
  return inOneUnit(ms, 0)?.words ?? describeDuration(ms);
}

interface Distance {
  readonly ms: number;
  /** `2 hours`, and `hour` for one. */
  readonly words: string;
}

/** A length as a whole number of one unit; undefined if none fits. */
function inOneUnit(length: number, slack: number): Distance | undefined {
  for (const [ms, one, least, most] of distances) {
    const count = Math.floor(length / ms);
    const isNear = count >= least && length - count * ms <= Math.min(slack, ms / 2);
    if (isNear && count <= most) return { ms: count * ms, words: count === 1 ? one : `${count} ${one}s` };
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
