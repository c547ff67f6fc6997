import { onlyNearest } from "../nearest.js";
import { quote, takes } from "../quote.js";
import { dayWords, type Looking, readDate, readMoment } from "../times/read-moment.js";
import { readDuration, unitHint } from "./duration.js";
import { type Choice, type DescribeContext, refused, understood, type ValueType } from "./value-type.js";

interface MomentOptions {
  /** Which way a time without a date is looked for. */
  readonly looking: Looking;
  /** Whether it must have gone by. */
  readonly gone: boolean;
  readonly example: string;
}

/** A time: `2h`, `yesterday`, `09:00`, `2026-11-20`, RFC 3339. Gives milliseconds since 1970. */
export function moment({ looking, gone, example }: MomentOptions): ValueType<number> {
  return {
    name: "time",
    example,
    spaced: true,
    telling: true,
    zoned: true,
    parse(text, { subject, now, zone }) {
      const found = readMoment(text, { now, zone, looking });
      if (!found) {
        const wanted = `a time, such as ${choices[looking]
          .slice(0, 2)
          .map(([word]) => word)
          .join(", ")}, 09:00 or 2026-11-20`;
        return refused(`${takes(subject, wanted, text)}${timeHint(text)}`, mendMoment(text), "times");
      }
      if (gone && found.from > now) {
        return refused(`${subject} looks back, and ${quote(text)} is still to come.`, undefined, "times");
      }
      return understood(found.from);
    },
    complete: () => choices[looking],
    write: (instant) => new Date(instant).toISOString(),
    describe: (instant, context) => describeMoment(instant, context),
  };
}

/** Where a listing begins: told as a distance, where it was one. */
export const since: ValueType<number> = {
  ...moment({ looking: "back", gone: true, example: "2h" }),
  describe(instant, context) {
    const clock = describeMoment(instant, context);
    // A day by its date, even where it began a round number of hours ago.
    const distance = clock.includes(" ") ? describeDistance(instant, context) : undefined;
    return distance ? `last ${distance}` : `since ${clock}`;
  },
};

/** Where a listing ends, itself left out: told by the clock, so that nobody takes a day for the whole of it. */
export const until: ValueType<number> = {
  ...moment({ looking: "back", gone: false, example: "1h" }),
  describe: (instant, context) => describeMoment(instant, context, "none"),
};

const choices: Readonly<Record<Looking, readonly Choice[]>> = {
  back: [
    ["2h", "2 hours ago"],
    ["yesterday", "the midnight with which yesterday began"],
    ["today", "the midnight with which today began"],
    ["30m", "30 minutes ago"],
    ["1d", "24 hours ago"],
    ["7d", "7 days ago"],
    ["09:00", "the last time it was nine"],
    ["monday", "the midnight with which the last Monday before today began"],
  ],
  ahead: [
    ["2h", "in 2 hours"],
    ["tomorrow", "at its beginning"],
    ["30m", "in 30 minutes"],
    ["09:00", "the next time it is nine"],
    ["monday", "the next Monday after today"],
  ],
};

const DAY_MS = 86_400_000;

/** How far back each unit is still told in whole numbers; what lies further is told by the clock. */
const distances: readonly (readonly [ms: number, one: string, least: number, most: number])[] = [
  [DAY_MS, "day", 2, 60],
  [3_600_000, "hour", 1, 24],
  [60_000, "minute", 1, 120],
  [1000, "second", 1, 120],
];

// Between the parsing of "2h" and the telling of it lies a call of the service.
const SLACK_MS = 10_000;

/** `2 hours` for a time as far back as that, give or take what passes while a command is carried out. */
function describeDistance(instant: number, { now }: DescribeContext): string | undefined {
  if (now === undefined) return undefined;
  const age = now - instant;
  // What was typed by the clock lies on a whole minute; it must not pass for a distance by chance.
  const slack = instant % 60_000 === 0 ? 0 : SLACK_MS;
  for (const [ms, one, least, most] of distances) {
    const count = Math.floor(age / ms);
    const isNear = count >= least && age - count * ms <= Math.min(slack, ms / 2);
    if (isNear && count <= most) return count === 1 ? one : `${count} ${one}s`;
  }
  return undefined;
}

/** Which moment of a day is told as the day alone. */
export type Edge = "start" | "end" | "none";

/** `2026-11-20 09:00`, or the day alone where the time is its beginning, or its end where an end is told. */
export function describeMoment(instant: number, { zone }: DescribeContext, edge: Edge = "start"): string {
  const wall = zone.wallAt(instant);
  const isEdge = edge !== "none" && (edge === "start" ? wall : wall + 1) % DAY_MS === 0;
  const [date = "", time = ""] = new Date(wall).toISOString().split("T");
  if (isEdge) return date;
  const clock = wall % 60_000 === 0 ? time.slice(0, 5) : time.slice(0, 8);
  return `${date} ${clock}${zone.name === "UTC" ? " UTC" : ""}`;
}

/**
 * What nearly is a time, as it would be right. Only what leaves no doubt which time was meant is mended: whoever presses
 * a suggestion relies on it.
 */
export function mendMoment(text: string): string | undefined {
  const typed = text.trim().toLowerCase();
  const bare = typed.replace(/[.,;!?]+$/, "");
  if (bare !== typed && readDuration(bare) !== undefined) return bare;
  return mendClock(bare) ?? mendDate(bare) ?? (/\d/.test(bare) ? undefined : onlyNearest(bare, dayWords));
}

/** `0900` and `9.30` */
function mendClock(typed: string): string | undefined {
  const [, hours = "", minutes = ""] = /^(\d\d?)(?:\.|(?<=^0\d))(\d\d)$/.exec(typed) ?? [];
  return hours !== "" && Number(hours) < 24 && Number(minutes) < 60
    ? `${hours.padStart(2, "0")}:${minutes}`
    : undefined;
}

/** `2026/11/20`, `20.11.2026`, and with slashes where only one of the two readings is a day. */
function mendDate(typed: string): string | undefined {
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

/** A word on what is wrong with a text that nearly is a time. */
export function timeHint(text: string): string {
  if (/^\d{1,4}[./]\d{1,2}[./]\d{1,4}$/.test(text)) return " Dates are written with hyphens, the year first.";
  if (/^\d{4}-\d\d-\d\d$/.test(text))
    return readDate(text) === undefined ? " There is no such day." : " That is out of reach.";
  if (/^\d\d?:\d\d$/.test(text)) return " No day has such a time.";
  if (readDuration(text) !== undefined) return " That is out of reach.";
  return unitHint(text);
}
