import { nearestOf } from "../nearest.js";
import { countIn, readDuration, unitHint } from "../values/duration.js";
import { dayWords } from "./day-words.js";
import { readDate } from "./timestamp.js";

/** What nearly is a time, as it would be right. */
export function mendMoment(text: string): string | undefined {
  const typed = text.trim().toLowerCase();
  const bare = typed.replace(/[.,;!?]+$/, "");
  if (bare !== typed && readDuration(bare) !== undefined) return bare;
  return mendSpan(bare) ?? mendClock(bare) ?? mendDate(bare) ?? nearestOf(bare, dayWords);
}

const days: Readonly<Record<string, number>> = { day: 1, week: 7, mo: 30, month: 30 };

/** `1h30`, `this week`, `3 months`, `2x` */
function mendSpan(typed: string): string | undefined {
  if (/[a-z]\d+$/.test(typed) && readDuration(`${typed}m`) !== undefined) return `${typed}m`;
  const [, count = "1", unit] =
    /^(?:(?:this|last|past|next|the|an?|one) ?)*(?:(\d{1,2}) ?)?(day|week|mo|month)s?$/.exec(typed) ?? [];
  if (unit !== undefined) return `${Number(count) * (days[unit] ?? 1)}d`;
  const number = /^\d+ ?(?![ap]m$)[a-z]{0,2}$/.test(typed) ? countIn(typed) : undefined;
  return number && `${number}${Number(number) > 24 ? "m" : "h"}`;
}

/** `0900`, `9.30`, `13pm` */
function mendClock(typed: string): string | undefined {
  const [, hours = "", minutes = "00"] =
    /^(\d\d?)(?:\.|(?<=^0\d))(\d\d)$|^(\d\d?) ?[ap]m$/.exec(typed)?.filter(Boolean) ?? [];
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
