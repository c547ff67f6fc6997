import { readDuration } from "../values/duration.js";
import { dayNamed, type Looking } from "./day-words.js";
import { readDate, readTimestamp } from "./timestamp.js";
import { utc, type Zone } from "./zone.js";

const DAY_MS = 86_400_000;
// The last millisecond that RFC 3339 can write.
const LAST_MS = 253_402_300_799_999;

/** A time as it was typed: an instant, or as much as the words cover. */
export interface Moment {
  readonly from: number;
  /** The last millisecond that is still meant: of a day, its last; of `09:00`, the last of that minute. */
  readonly to: number;
  readonly covers: "instant" | "second" | "minute" | "day";
  /** Whether it was told as a distance from now. */
  readonly relative: boolean;
}

export interface MomentOptions {
  readonly now: number;
  readonly zone: Zone;
  readonly looking: Looking;
}

/** Reads a time as people type it; undefined for what is none, or lies outside the years 1970 to 9999. */
export function readMoment(text: string, options: MomentOptions): Moment | undefined {
  const typed = normal(text);
  const [, inUtc] = /^(.+?) ?(?:utc|gmt)$/.exec(typed) ?? [];
  const moment =
    readRelative(typed, options) ??
    readInstant(typed) ??
    (inUtc === undefined ? readWall(typed, options) : readWall(inUtc, { ...options, zone: utc }));
  return moment && moment.from >= 0 && moment.to <= LAST_MS ? moment : undefined;
}

/** Whether a text is a time of the day, without a day. */
export function isClock(text: string): boolean {
  return readClock(normal(text)) !== undefined;
}

function normal(text: string): string {
  const typed = text.trim().toLowerCase().replaceAll(/\s+/g, " ");
  return typed.replace(/\bnoon\b/, "12:00").replace(/\bmidnight\b/, "00:00");
}

function readRelative(typed: string, { now, looking }: MomentOptions): Moment | undefined {
  if (typed === "now") return { from: now, to: now, covers: "instant", relative: true };
  const [, back] = /^(?:-|last |past )(.+)$|^(.+) ago$/.exec(typed)?.filter(Boolean) ?? [];
  const [, ahead] = /^(?:\+|in )(.+)$|^(.+) from now$/.exec(typed)?.filter(Boolean) ?? [];
  const ms = readDuration(back ?? ahead ?? typed);
  if (ms === undefined) return undefined;
  const isBack = back !== undefined || (ahead === undefined && looking === "back");
  const at = Math.round(isBack ? now - ms : now + ms);
  return { from: at, to: at, covers: "instant", relative: true };
}

function readInstant(typed: string): Moment | undefined {
  // The seconds may be left out, and a blank may stand for the T, and before the offset.
  const [all, date, minute, rest = "", sign = "+", hours = "00", minutes = "00"] =
    /^(\d{4}-\d\d-\d\d)[t ](\d\d:\d\d)(:\d\d(?:\.\d+)?)? ?(?:z|utc|gmt|([+-])(\d\d):?(\d\d)?)$/.exec(typed) ?? [];
  if (all === undefined) return undefined;
  const from = readTimestamp(`${date}T${minute}${rest || ":00"}${sign}${hours}:${minutes}`);
  return from === undefined ? undefined : covering(from, rest);
}

function covering(from: number, seconds: string): Moment {
  if (seconds === "") return { from, to: from + 59_999, covers: "minute", relative: false };
  if (seconds.includes(".")) return { from, to: from, covers: "instant", relative: false };
  return { from, to: from + 999, covers: "second", relative: false };
}

/** What a clock or a calendar on the wall shows: a day, a time, or both. */
function readWall(typed: string, { now, zone, looking }: MomentOptions): Moment | undefined {
  const wall = zone.wallAt(now);
  const today = wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS);
  const dayOf = (word: string): number | undefined =>
    /^\d{4}-\d\d-\d\d$/.test(word) ? readDate(word) : dayNamed(word, today, looking);

  const day = dayOf(typed);
  if (day !== undefined) {
    const [from, next] = [zone.instantAt(day), zone.instantAt(day + DAY_MS)];
    return { from, to: next - 1, covers: "day", relative: false };
  }
  const { day: word, clock } = split(typed);
  const time = readClock(clock);
  if (time === undefined) return undefined;
  const on = word === "" ? today : dayOf(word);
  if (on === undefined) return undefined;
  let from = zone.instantAt(on + time.ms);
  if (word === "" && looking === "back" && from > now) from = zone.instantAt(on - DAY_MS + time.ms);
  if (word === "" && looking === "ahead" && from < now) from = zone.instantAt(on + DAY_MS + time.ms);
  return covering(from, time.seconds);
}

/** `yesterday 09:00`, `9 am tomorrow` and `2026-11-20T09:00` in their two parts. */
function split(typed: string): { day: string; clock: string } {
  const [, date, after] = /^(\d{4}-\d\d-\d\d)[t ](.+)$/.exec(typed) ?? [];
  if (date && after) return { day: date, clock: after };
  const [, before, later] = /^([a-z ]+) (\d.*)$/.exec(typed) ?? [];
  if (before && later) return { day: before.replace(/ at$/, ""), clock: later };
  const [, clock = typed, day = ""] = /^(\d[\d:.]*(?: ?[ap]m)?)(?: ([a-z ]+))?$/.exec(typed) ?? [];
  return { day, clock };
}

function readClock(text: string): { ms: number; seconds: string } | undefined {
  const [, hours, minutes = "0", seconds = "", half] =
    /^(\d\d?)(?::([0-5]\d)(:[0-5]\d(?:\.\d{1,9})?)?)?(?: ?([ap])m)?$/.exec(text) ?? [];
  if (hours === undefined || (half === undefined && !text.includes(":"))) return undefined;
  const hour = Number(hours);
  if (half !== undefined && (hour < 1 || hour > 12)) return undefined;
  const hourOfDay = half === undefined ? hour : (hour % 12) + (half === "p" ? 12 : 0);
  const ms = (hourOfDay * 60 + Number(minutes)) * 60_000 + Math.floor(Number(`0${seconds.slice(1)}`) * 1000);
  // 24:00 is the end of a day.
  return ms <= DAY_MS ? { ms, seconds } : undefined;
}
