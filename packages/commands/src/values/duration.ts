import { quote, takes } from "../quote.js";
import { type Read, refused, understood, type ValueType } from "./value-type.js";

interface Unit {
  readonly ms: number;
  readonly short: string;
  readonly one: string;
  readonly many: string;
  readonly others: readonly string[];
}

const units: readonly Unit[] = [
  { ms: 604_800_000, short: "w", one: "week", many: "weeks", others: [] },
  { ms: 86_400_000, short: "d", one: "day", many: "days", others: [] },
  { ms: 3_600_000, short: "h", one: "hour", many: "hours", others: ["hr", "hrs"] },
  { ms: 60_000, short: "m", one: "minute", many: "minutes", others: ["min", "mins"] },
  { ms: 1000, short: "s", one: "second", many: "seconds", others: ["sec", "secs"] },
  { ms: 1, short: "ms", one: "ms", many: "ms", others: ["msec", "millisecond", "milliseconds"] },
];

const msOfUnit: ReadonlyMap<string, number> = new Map(
  units.flatMap(({ ms, short, one, many, others }) =>
    [short, one, many, ...others].map((name): [string, number] => [name, ms]),
  ),
);

/** Milliseconds of `90s`, `1d12h`, `2 hours`, `half an hour`; undefined if it is no duration. */
export function readDuration(text: string): number | undefined {
  const typed = text
    .trim()
    .toLowerCase()
    .replace(/^half an? (?=[a-z])/, "0.5 ")
    .replace(/^(?:(?:an?|one) )?(?=(?:week|day|hour|minute|second)$)/, "1 ");
  // Sticky, so that each piece begins where the previous one ended.
  const piece = /(\d{1,9}(?:\.\d{1,6})?|\.\d{1,6})\s*([a-z]+)\s*/y;
  let total = 0;
  let end = 0;
  let smallest = Number.POSITIVE_INFINITY;
  while (end < typed.length) {
    const [, count, unit = ""] = piece.exec(typed) ?? [];
    const ms = msOfUnit.get(unit);
    // Larger units come first, and none twice: 30m2h is a mistake.
    if (ms === undefined || ms >= smallest) return undefined;
    smallest = ms;
    total += Number(count) * ms;
    end = piece.lastIndex;
  }
  // Anything finer is rounding of binary fractions.
  return end > 0 ? Math.round(total * 1000) / 1000 : undefined;
}

/** The shortest text for a duration: `1d12h`. */
export function writeDuration(ms: number): string {
  const parts = inUnits(ms).map(([count, { short }]) => `${count}${short}`);
  return parts.join("") || "0ms";
}

/** A duration for people: `1 day 12 hours`. */
export function describeDuration(ms: number): string {
  const parts = inUnits(ms).map(([count, { one, many }]) => `${count} ${count === 1 ? one : many}`);
  return parts.join(" ") || "0 ms";
}

/** The units of a duration, largest first. Weeks read as days, and milliseconds as fractions of seconds. */
function inUnits(ms: number): [count: number, unit: Unit][] {
  let rest = ms;
  return units
    .filter(({ short }) => short !== "w")
    .map((unit): [number, Unit] => {
      const isLast = unit.ms === 1 || (unit.ms === 1000 && rest >= 1000);
      const count = isLast ? Math.round((rest / unit.ms) * 1e6) / 1e6 : Math.floor(rest / unit.ms);
      rest = isLast ? 0 : rest - count * unit.ms;
      return [count, unit];
    })
    .filter(([count]) => count > 0);
}

interface DurationOptions {
  readonly min: number;
  readonly max: number;
  readonly example: string;
}

/** A duration: `10m`, `1d12h`, `2 hours`, in milliseconds. */
export function duration({ min, max, example }: DurationOptions): ValueType<number> {
  return {
    name: "time",
    example,
    spaced: true,
    distinctive: true,
    parse(text, { subject }): Read<number> {
      const ms = readDuration(text);
      if (ms === undefined) {
        const count = countIn(text);
        const reason = `${takes(subject, "a duration, such as 10m, 2h or 30d", text)}${unitHint(text)}`;
        return refused(reason, count ? `${count}m` : example);
      }
      if (ms < min)
        return refused(`${subject} must be at least ${describeDuration(min)}, not ${quote(text)}.`, example);
      if (ms <= max) return understood(Math.round(ms));
      return refused(`${subject} must be at most ${describeDuration(max)}, not ${quote(text)}.`, writeDuration(max));
    },
    complete: () => [
      ["10m", "10 minutes"],
      ["1h", "an hour"],
      ["8h", "8 hours"],
      ["1d", "a day"],
      ["7d", "a week"],
    ],
    write: writeDuration,
    describe: describeDuration,
  };
}

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
