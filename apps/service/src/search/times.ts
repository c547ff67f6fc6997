const MICROS_PER_SECOND = 1_000_000;
const MAX_LENGTH = "2026-04-01T09:30:15.123456".length;
const SECONDS_LENGTH = "2026-04-01T09:30:15".length;

/**
 * The time of a sort key in µs since 1970; NaN if it isn't that of a whole µs from 1970 to 2200, or a leap second's.
 *
 * @example toMicros("2026-04-01T09:30:15.5") // 1775035815500000
 */
export function toMicros(key: string): number {
  const { length } = key;
  if (length < SECONDS_LENGTH || length > MAX_LENGTH || length === SECONDS_LENGTH + 1) return Number.NaN;
  const year = digits(key, 0, 4);
  const month = digits(key, 5, 7);
  const day = digits(key, 8, 10);
  const hour = digits(key, 11, 13);
  const minute = digits(key, 14, 16);
  const second = digits(key, 17, 19);
  // Comparisons with NaN are false, too.
  const isTime = year >= 1970 && year < 2200 && month <= 12 && month > 0 && hour < 24 && minute < 60 && second < 60;
  if (!isTime || !isPunctuated(key)) return Number.NaN;
  const ms = Date.UTC(year, month - 1, day, hour, minute, second);
  if (!(day > 0) || (day > 28 && new Date(ms).getUTCDate() !== day)) return Number.NaN;
  if (length === SECONDS_LENGTH) return ms * 1000;
  const fraction = digits(key, SECONDS_LENGTH + 1, length) * 10 ** (MAX_LENGTH - length);
  return key.charCodeAt(length - 1) === ZERO ? Number.NaN : ms * 1000 + fraction;
}

const ZERO = "0".charCodeAt(0);

function digits(key: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) {
    const digit = key.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

const isPunctuated = (key: string): boolean =>
  key[4] === "-" &&
  key[7] === "-" &&
  key[10] === "T" &&
  key[13] === ":" &&
  key[16] === ":" &&
  (key.length === SECONDS_LENGTH || key[SECONDS_LENGTH] === ".");

/** The sort key of a time in µs since 1970. */
export function fromMicros(micros: number): string {
  const seconds = Math.floor(micros / MICROS_PER_SECOND);
  const text = new Date(seconds * 1000).toISOString().slice(0, SECONDS_LENGTH);
  const fraction = micros - seconds * MICROS_PER_SECOND;
  if (fraction === 0) return text;
  return `${text}.${String(fraction).padStart(6, "0").replace(/0+$/, "")}`;
}
