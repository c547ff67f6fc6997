import { isDateTime } from "@media-ops/tokens";
import { sortKey } from "../logs/log-store.js";

/** Sorts after the key of every time. */
export const END_OF_TIME = "~";

const US_PER_MS = 1000;
const US_DIGITS = 6;
const SECONDS_END = "2026-04-01T09:30:15".length;
const MINUTES_END = "2026-04-01T09:30".length;
// Times that an offset moves out of the years with four digits.
const FIRST = "0000-01-01T00:00:00";
const LAST = "9999-12-31T23:59:60";

/**
 * The sort key of an RFC 3339 time, whatever its offset; undefined if the text is not a time.
 *
 * @example momentKey("2026-04-01T18:30:15.50+09:00") // "2026-04-01T09:30:15.5"
 */
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

/** The RFC 3339 time of a sort key, or of the key that it follows. */
export const momentOf = (key: string): string => `${key.replace(/\D+$/, "")}Z`;

/**
 * A sort key in µs since 1970. Further digits count as half a µs and a leap second as the half before midnight, so that
 * the result compares with whole µs as the key does with the keys of other times.
 */
export function microsOf(key: string): number {
  const second = Number(key.slice(MINUTES_END + 1, SECONDS_END));
  const micros = (Date.parse(`${key.slice(0, MINUTES_END)}:00Z`) + second * 1000) * US_PER_MS;
  if (second === 60) return micros - 0.5;
  const fraction = key.slice(SECONDS_END + 1);
  return micros + Number(fraction.slice(0, US_DIGITS).padEnd(US_DIGITS, "0")) + (fraction.length > US_DIGITS ? 0.5 : 0);
}
