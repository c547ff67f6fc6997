import { readTimestamp } from "@media-ops/contract";

/** A day in milliseconds. */
export const DAY_MS = 86_400_000;

/** A time zone. Wall times are local times, counted as if they were UTC. */
export interface Zone {
  /** Its name, or `UTC` for an unknown zone. */
  readonly name: string;
  /** The local time at an instant. */
  wallAt(instant: number): number;
  /** The instant of a local time: the first of two, and if it is skipped, as long after the gap. */
  instantAt(wall: number): number;
}

function fixed(name: string, ms: number): Zone {
  return { name, wallAt: (instant) => instant + ms, instantAt: (wall) => wall - ms };
}

/** Coordinated universal time. */
export const utc: Zone = fixed("UTC", 0);

/** The zone of an IANA name. An unknown name falls back to UTC, so that a time can still be read. */
export function zoneNamed(name = "UTC"): Zone {
  if (name === "UTC") return utc;
  const wallAt = (instant: number): number => {
    const clock = clockOf(name);
    if (!clock) return instant;
    const parts = Object.fromEntries(clock.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000);
  };
  return {
    get name() {
      return clockOf(name) ? name : "UTC";
    },
    wallAt,
    instantAt(wall) {
      // No zone changes its offset twice within two days, so these are the only two candidates.
      const offsetAt = (instant: number): number => wallAt(instant) - instant;
      const [before, after] = [wall - offsetAt(wall - DAY_MS), wall - offsetAt(wall + DAY_MS)];
      const right = [before, after].filter((instant) => wallAt(instant) === wall);
      return right.length > 0 ? Math.min(...right) : before;
    },
  };
}

// Creating a formatter takes many milliseconds: they are created on first use and cached.
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat | undefined {
  const known = clocks.get(timeZone);
  if (known) return known;
  const [numeric, hourCycle] = ["numeric", "h23"] as const;
  const parts = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
  try {
    const clock = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle, ...parts });
    clocks.set(timeZone, clock);
    return clock;
  } catch {
    return undefined;
  }
}

/** Abbreviations with a single meaning, in hours ahead of UTC. */
const abbreviations: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ utc: 0, gmt: 0, z: 0, wet: 0, west: 1, cet: 1, cest: 2, eet: 2, eest: 3, sast: 2, msk: 3, ict: 7 },
    ...{ awst: 8, hkt: 8, sgt: 8, jst: 9, kst: 9, aest: 10, aedt: 11, nzst: 12, nzdt: 13 },
    ...{ edt: -4, mdt: -6, pdt: -7, akdt: -8, akst: -9, hst: -10 },
  }),
);

// Listing the zones takes a millisecond: only texts that end like a zone need it.
let zonesByCity: ReadonlyMap<string, string> | undefined;

/** The zone that is named after a city: `Asia/Tokyo` for `tokyo`. */
function zoneOfCity(key: string): string | undefined {
  zonesByCity ??= new Map(
    Intl.supportedValuesOf("timeZone").map((zone) => [keyOf(zone.split("/").at(-1) ?? ""), zone]),
  );
  return zonesByCity.get(key);
}

/** A zone as it is compared: `in São Paulo` as `sao paulo`. */
function keyOf(text: string): string {
  return text
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f.'’()]/g, "")
    .replaceAll(/[\s_]+/g, " ")
    .trim()
    .replace(/^in /, "")
    .replace(/ time$/, "");
}

const OFFSET = /^(?:utc|gmt)? ?([+−-])(\d\d?)(?::?([0-5]\d))?$/;
const HOUR_MS = 3_600_000;

/** The zone that a text names: an IANA name or its last part, an abbreviation with a single meaning, or an offset. */
export function zoneTyped(text: string): Zone | undefined {
  const key = keyOf(text);
  const [, sign, hours, minutes = 0] = OFFSET.exec(key) ?? [];
  if (hours !== undefined && Number(hours) <= 14) {
    return fixed(key.toUpperCase(), (sign === "+" ? 1 : -1) * (Number(hours) * HOUR_MS + Number(minutes) * 60_000));
  }
  const ahead = abbreviations.get(key);
  if (ahead !== undefined) return ahead === 0 ? utc : fixed(key.toUpperCase(), ahead * HOUR_MS);
  const name = zoneOfCity(key) ?? (/^[a-z_]+\//i.test(text) ? text : "");
  const clock = name === "" ? undefined : clockOf(name);
  return clock && zoneNamed(clock.resolvedOptions().timeZone);
}

// Longer texts are no times.
const LONGEST = 100;

/** Separates a time and its zone, the longest that it may be: `14:00` and `New York`. */
export function splitZone(text: string): { readonly before: string; readonly zone: Zone } | undefined {
  if (text.length > LONGEST) return undefined;
  for (const { 0: blank, index } of text.matchAll(/(?<=\S)\s+(?=\S)/g)) {
    const zone = zoneTyped(text.slice(index + blank.length));
    if (zone) return { before: text.slice(0, index), zone };
  }
  const [, before] = /^(.*\d)(?:utc|gmt|z)$/i.exec(text) ?? [];
  return before === undefined ? undefined : { before, zone: utc };
}

interface Unit {
  readonly ms: number;
  readonly short: string;
  readonly one: string;
  readonly many: string;
  readonly others: readonly string[];
}

const units: readonly Unit[] = [
  { ms: 604_800_000, short: "w", one: "week", many: "weeks", others: [] },
  { ms: DAY_MS, short: "d", one: "day", many: "days", others: [] },
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

/** Milliseconds of `90s`, `1d12h`, `2 hours`, `half an hour`; undefined if it is not a duration. */
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
    // Larger units come first, and each only once: 30m2h is a mistake.
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

/** A duration for people, in short: `1 h 30 min`. */
export function describeShortly(ms: number): string {
  const parts = inUnits(ms).map(([count, { short }]) => `${count} ${short === "m" ? "min" : short}`);
  return parts.join(" ") || "0 ms";
}

/** A duration for people, in short, after "within": `10 min`, and `a minute` for one unit. */
export function describeWithin(ms: number): string {
  const one = units.find((unit) => unit.ms === ms && ms >= 1000)?.one;
  return one === undefined ? describeShortly(ms) : `${one === "hour" ? "an" : "a"} ${one}`;
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

/** The last millisecond that RFC 3339 can write. */
export const LAST_MS = 253_402_300_799_999;

/** A typed time: an instant, or the range that it covers. */
interface Moment {
  readonly from: number;
  /** The last millisecond that is included: the last of a day; of `09:00`, the last of that minute. */
  readonly to: number;
  readonly isDay?: boolean;
  /** Whether it was a distance from now. */
  readonly relative?: boolean | undefined;
}

interface MomentOptions {
  readonly now: number;
  readonly zone: Zone;
  readonly direction: Direction;
}

const MINUTES_A_DAY = 24 * 60;

/** Reads a time as people type it; undefined if it is invalid, or not in the years 1970 to 9999. */
export function readMoment(text: string, options: MomentOptions): Moment | undefined {
  const typed = normal(text);
  const moment =
    readRelative(typed, options) ?? readInstant(typed) ?? readWall(typed, options) ?? readElsewhere(typed, options);
  return moment && moment.from >= 0 && moment.to <= LAST_MS ? moment : undefined;
}

/** Whether a text reads as a time, whenever it is read. */
export function isTimeText(text: string): boolean {
  return readMoment(text, { now: LAST_MS / 2, zone: utc, direction: "back" }) !== undefined;
}

/** Whether a text is a time of day without a date. */
export function isClock(text: string): boolean {
  const typed = normal(text);
  return readClock(splitZone(typed)?.before ?? typed) !== undefined;
}

/** The minute of the day of `9`, `09:00` or `9 pm`; 0 for `24:00`. Undefined if it is not a whole minute. */
export function readTimeOfDay(text: string): number | undefined {
  const typed = normal(text);
  const time = readClock(/^\d\d?$/.test(typed) ? `${typed}:00` : typed);
  return time === undefined || time.seconds !== "" ? undefined : (time.ms / 60_000) % MINUTES_A_DAY;
}

/** A minute of the day: `09:00`. */
export function writeTimeOfDay(minute: number): string {
  const [hour, rest] = [Math.floor(minute / 60), minute % 60];
  return [hour, rest].map((part) => String(part).padStart(2, "0")).join(":");
}

function normal(text: string): string {
  const typed = text.trim().toLowerCase().replaceAll(/\s+/g, " ");
  return typed.replace(/\bnoon\b/, "12:00").replace(/\bmidnight\b/, "00:00");
}

function readRelative(typed: string, { now, direction }: MomentOptions): Moment | undefined {
  if (typed === "now") return { from: now, to: now, relative: true };
  const [, back] = /^(?:-|last |past )(.+)$|^(.+) ago$/.exec(typed)?.filter(Boolean) ?? [];
  const [, ahead] = /^(?:\+|in )(.+)$|^(.+) from now$/.exec(typed)?.filter(Boolean) ?? [];
  const ms = readDuration(back ?? ahead ?? typed);
  if (ms === undefined) return undefined;
  const isBack = back !== undefined || (ahead === undefined && direction === "back");
  const at = Math.round(isBack ? now - ms : now + ms);
  return { from: at, to: at, relative: true };
}

function readInstant(typed: string): Moment | undefined {
  // The seconds may be omitted, and a space may replace the T and precede the offset.
  const [all, date, minute, rest = "", sign = "+", hours = "00", minutes = "00"] =
    /^(\d{4}-\d\d-\d\d)[t ](\d\d:\d\d)(:\d\d(?:\.\d+)?)? ?(?:z|utc|gmt|([+-])(\d\d):?(\d\d)?)$/.exec(typed) ?? [];
  if (all === undefined) return undefined;
  const from = readTimestamp(`${date}T${minute}${rest || ":00"}${sign}${hours}:${minutes}`);
  return from === undefined ? undefined : covering(from, rest);
}

function covering(from: number, seconds: string): Moment {
  const length = seconds === "" ? 59_999 : 999;
  return { from, to: seconds.includes(".") ? from : from + length };
}

/** A date, a time of day, or both. */
function readWall(typed: string, { now, zone, direction }: MomentOptions): Moment | undefined {
  const wall = zone.wallAt(now);
  const today = wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS);
  const dayOf = (word: string): number | undefined =>
    /^\d{4}-\d\d-\d\d$/.test(word) ? readDate(word) : dayNamed(word, today, direction);

  const day = dayOf(typed);
  if (day !== undefined) {
    const [from, next] = [zone.instantAt(day), zone.instantAt(day + DAY_MS)];
    return { from, to: next - 1, isDay: true };
  }
  const { day: word, clock } = split(typed);
  const time = readClock(clock);
  if (time === undefined) return undefined;
  const on = word === "" ? today : dayOf(word);
  if (on === undefined) return undefined;
  let from = zone.instantAt(on + time.ms);
  if (word === "" && direction === "back" && from > now) from = zone.instantAt(on - DAY_MS + time.ms);
  if (word === "" && direction === "ahead" && from < now) from = zone.instantAt(on + DAY_MS + time.ms);
  return covering(from, time.seconds);
}

/** A date or a time of day in another zone: `yesterday 14:00 Tokyo`. */
function readElsewhere(typed: string, options: MomentOptions): Moment | undefined {
  const zoned = splitZone(typed);
  return zoned && readWall(zoned.before, { ...options, zone: zoned.zone });
}

/** Separates `yesterday 09:00`, `9 am tomorrow` and `2026-11-20T09:00` into day and clock. */
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

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
/** Words for days. */
export const dayWords: readonly string[] = ["today", "yesterday", "tomorrow", ...weekdays];

/** The direction in which a time without a date is resolved: past or future. */
export type Direction = "back" | "ahead";

/** The local midnight at the start of a named day. A weekday is never today. */
function dayNamed(word: string, today: number, direction: Direction): number | undefined {
  if (word === "today") return today;
  if (word === "yesterday") return today - DAY_MS;
  if (word === "tomorrow") return today + DAY_MS;
  const name = word.replace(direction === "back" ? /^last / : /^next /, "");
  const isShort = name.length >= 3 && name.length <= 5;
  const weekday = weekdays.findIndex((day) => day === name || (isShort && day.startsWith(name)));
  if (weekday < 0) return undefined;
  const now = new Date(today).getUTCDay();
  return direction === "back"
    ? today - (((now - weekday + 6) % 7) + 1) * DAY_MS
    : today + (((weekday - now + 6) % 7) + 1) * DAY_MS;
}

/** The UTC midnight at the start of a date; undefined if the date does not exist. */
function readDate(date: string): number | undefined {
  const midnight = Date.parse(`${date}T00:00Z`);
  // Some engines parse 30 February as 2 March.
  return new Date(midnight).getUTCDate() === Number(date.slice(8)) ? midnight : undefined;
}
