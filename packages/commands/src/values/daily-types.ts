import { nearestOf, takes } from "../messages.js";
import { readTimeOfDay, writeTimeOfDay } from "../times.js";
import { nameOf } from "../words.js";
import { splitZone } from "../zones.js";
import { correctClock } from "./time-types.js";
import { refused, understood, type ValueType } from "./value-type.js";

/** A span of every day, in minutes of the day. One that ends before it begins goes on through midnight. */
export interface DailySpan {
  /** The first minute of the span. */
  readonly from: number;
  /** The minute at which it ends, which is excluded. */
  readonly to: number;
}

const OFF = "off";
const offWords = [OFF, "never", "none"];

/** A time of day in minutes, such as 540 for `09:00`, `9` or `9am`; or `off`. */
export const timeOfDay: ValueType<number | typeof OFF> = {
  name: "time",
  example: "09:00",
  spaced: true,
  distinctive: true,
  parse(text, { subject }) {
    const typed = nameOf(text);
    if (offWords.includes(typed)) return understood(OFF);
    const minute = readTimeOfDay(typed);
    if (minute !== undefined) return understood(minute);
    const nearest = nearestClock(typed) ?? (nearestOf(typed, offWords) && OFF);
    return refused(`${takes(subject, "a time of day, such as 09:00 or 9pm, or off", text)}${hintOn(typed)}`, nearest);
  },
  complete: () => [
    ["09:00", "nine in the morning"],
    ["17:30", "half past five in the afternoon"],
    [OFF, "no more"],
  ],
  write: (time) => (time === OFF ? OFF : writeTimeOfDay(time)),
  describe: (time) => (time === OFF ? OFF : `at ${writeTimeOfDay(time)}`),
};

// A range of times is also written with two dots, a wave or a word.
const SPAN = /^(?:from )?(.*?[^ .])(?: ?(?:[-–—−~]|\.{2,3}|…) ?| (?:to|until|till) )([^ .-].*)$/;

/** A span of every day: `22:00-07:00`, `22-7`, `10pm to 7am`. */
export const dailySpan: ValueType<DailySpan> = {
  name: "span",
  example: "22:00-07:00",
  spaced: true,
  distinctive: true,
  parse(text, { subject }) {
    const wanted = "two times of day, such as 22:00-07:00";
    const typed = nameOf(text).trim().replaceAll(/\s+/g, " ");
    const [, first, second] = SPAN.exec(typed) ?? [];
    if (first === undefined || second === undefined) return refused(takes(subject, wanted, text));
    const [from, to] = [readTimeOfDay(first), readTimeOfDay(second)];
    if (from === undefined || to === undefined) {
      const near = [first, second].map(nearestClock);
      const nearest = near.includes(undefined) ? undefined : near.join("-");
      return refused(`${takes(subject, wanted, text)}${hintOn(from === undefined ? first : second)}`, nearest);
    }
    if (from !== to) return understood({ from, to });
    return refused(`${subject} takes ${wanted}; ${writeTimeOfDay(from)} is both its start and its end.`);
  },
  complete: () => [
    ["22:00-07:00", "every night"],
    ["18:00-09:00", "outside office hours"],
  ],
  write: ({ from, to }) => `${writeTimeOfDay(from)}-${writeTimeOfDay(to)}`,
  describe: ({ from, to }) => `${writeTimeOfDay(from)} to ${writeTimeOfDay(to)}`,
};

/** The time of day that is meant by `9`, `9.30`, `2200`, `9h30` or `09:00:00`; undefined if it is unclear. */
function nearestClock(typed: string): string | undefined {
  const meant = typed.replace(/^(\d\d?)h(\d\d)?$|^(\d\d)(\d\d)$/, "$1$3:$2$4").replace(/:$/, ":00");
  const minute = readTimeOfDay(correctClock(meant) ?? meant.replace(/^(\d\d?:\d\d):\d\d$/, "$1"));
  return minute === undefined ? undefined : writeTimeOfDay(minute);
}

/** A hint on text that is nearly a time of day. */
function hintOn(typed: string): string {
  if (/^\d\d?(?:\d\d|:\d\d| ?[ap]m)?$/.test(typed) && nearestClock(typed) === undefined)
    return " The time of day does not exist.";
  const zoned = splitZone(typed);
  return zoned && readTimeOfDay(zoned.before) !== undefined ? " Write it without a time zone." : "";
}
