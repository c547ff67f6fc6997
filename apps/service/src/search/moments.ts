import { isDateTime } from "@media-ops/tokens";
import { sortKey } from "../logs/log-store.js";

/** A range of sort keys: from the first one, and before the second. */
export interface KeyRange {
  readonly from: string;
  readonly until: string;
}

/** Sorts after the key of every time. */
export const END_OF_TIME = "~";

const US_PER_MS = 1000;
const US_DIGITS = 6;
const SECONDS_END = "2026-04-01T09:30:15".length;
const MINUTES_END = "2026-04-01T09:30".length;
// Times that an offset moves out of the years with four digits.
const FIRST = "0000-01-01T00:00:00";
const LAST = "9999-12-31T23:59:60";

/** The sort key of an RFC 3339 time, whatever its offset; undefined if the text is not a time. */
export function momentKey(text: string): string | undefined {
  if (!isDateTime(text)) return undefined;
  const [, fraction = "", zone = ""] = /:\d\d(\.\d+)?(z|[+-]..:..)$/i.exec(text) ?? [];
  const second = text.slice(MINUTES_END + 1, SECONDS_END);
  // Without its second, which may be a leap second: Date knows none.
  const minute = new Date(Date.parse(`${text.slice(0, MINUTES_END)}:00${zone}`.toUpperCase())).toISOString();
  // Years with more than four digits begin with their sign.
  if (minute.startsWith("-")) return FIRST;
  if (minute.startsWith("+")) return LAST;
  return sortKey(`${minute.slice(0, MINUTES_END)}:${second}${fraction}Z`);
}

/** The next sort key that a time could have: no other sorts in between. */
export const keyAfter = (key: string): string => `${key} `;

/** The later of two sort keys. */
export const later = (one: string, other: string): string => (one > other ? one : other);

/** The earlier of two sort keys. */
export const earlier = (one: string, other: string): string => (one < other ? one : other);

/** The sort key of a time in ms since 1970. */
export const keyOfMs = (ms: number): string => sortKey(new Date(ms).toISOString());

/** The RFC 3339 time of a sort key, or of the key that it follows. */
export const momentOf = (key: string): string => `${key.replace(/\D+$/, "")}Z`;

/** A sort key in µs since 1970; further digits, or a leap second, are half a µs, so that it compares as the key. */
export function microsOf(key: string): number {
  const second = Number(key.slice(MINUTES_END + 1, SECONDS_END));
  const micros = (Date.parse(`${key.slice(0, MINUTES_END)}:00Z`) + second * 1000) * US_PER_MS;
  if (second === 60) return micros - 0.5;
  const fraction = key.slice(SECONDS_END + 1);
  return micros + Number(fraction.slice(0, US_DIGITS).padEnd(US_DIGITS, "0")) + (fraction.length > US_DIGITS ? 0.5 : 0);
}

/** An RFC 3339 time in whole ms since 1970, rounded down; undefined if the text is not a time. */
export function momentMs(text: string): number | undefined {
  const key = momentKey(text);
  return key === undefined ? undefined : Math.floor(microsOf(key) / US_PER_MS);
}

/** The whole second since 1970 of a sort key. A leap second belongs to the second before it. */
export function secondOf(key: string): number {
  const second = key.slice(0, SECONDS_END).replace(/60$/, "59");
  return Date.parse(`${second}Z`) / 1000;
}

const MICROS_PER_SECOND = 1_000_000;
const WHOLE_MICROS = /^(?:19[7-9]|2[01]\d)\d-\d\d-\d\dT\d\d:\d\d:[0-5]\d(?:\.\d{0,5}[1-9])?$/;

/** The time of a sort key in µs since 1970; NaN unless it is a whole µs from 1970 to 2200, and no leap second. */
export function toMicros(key: string): number {
  if (!WHOLE_MICROS.test(key)) return Number.NaN;
  const ms = Date.parse(`${key.slice(0, SECONDS_END)}Z`);
  const day = Number(key.slice(8, 10));
  // Date takes the 31st of February for a day in March, and 24:00 for the next day.
  if ((day > 28 && new Date(ms).getUTCDate() !== day) || key.startsWith("24", 11)) return Number.NaN;
  const fraction = key.slice(SECONDS_END + 1);
  return ms * US_PER_MS + (fraction === "" ? 0 : Number(fraction) * 10 ** (US_DIGITS - fraction.length));
}

/** The sort key of a time in µs since 1970. */
export function fromMicros(micros: number): string {
  const seconds = Math.floor(micros / MICROS_PER_SECOND);
  const text = new Date(seconds * 1000).toISOString().slice(0, SECONDS_END);
  let fraction = micros - seconds * MICROS_PER_SECOND;
  if (fraction === 0) return text;
  let length = US_DIGITS;
  for (; fraction % 10 === 0; fraction /= 10) length -= 1;
  return `${text}.${String(fraction).padStart(length, "0")}`;
}
