import { onlyNearest } from "../nearest.js";
import { readDuration, unitHint } from "../values/duration.js";
import { dayWords } from "./day-words.js";
import { readDate } from "./timestamp.js";

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
