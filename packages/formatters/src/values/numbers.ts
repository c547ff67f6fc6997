import { DAY, HOUR, MINUTE, SECOND } from "@media-ops/reports/entries";

const UNITS = ["kB", "MB", "GB", "TB", "PB", "EB"] as const;

/** Three significant digits without trailing zeros: 1.24, 12.4, 124. */
function threeDigits(value: number): string {
  const places = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return String(Number(value.toFixed(places)));
}

/** A whole number with thousands separators: 1,234,567. */
export function formatCount(value: number): string {
  const text = String(value);
  return Math.abs(value) < 1000 || !/^-?\d+$/.test(text) ? text : text.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** "1 token is", "3 tokens are" */
export const counted = (count: number, one: string, many: string): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** Bytes in a decimal unit: 1.24 MB. */
export function formatBytes(bytes: number): string {
  if (!(bytes >= 1000)) return `${formatCount(bytes)} B`;
  let value = bytes / 1000;
  let unit = 0;
  // 999.5 would be rounded to 1000 of the smaller unit.
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return value >= 999.5 ? `${formatCount(Math.round(value))} ${UNITS[unit]}` : `${threeDigits(value)} ${UNITS[unit]}`;
}

const STEPS = [
  ["d", DAY],
  ["h", HOUR],
  ["min", MINUTE],
  ["s", SECOND],
] as const;

/** A duration in at most two units: 84 ms, 1.24 s, 2 min 3 s, 3 d 4 h. */
export function formatDuration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return `${milliseconds} ms`;
  if (milliseconds < 0) return `-${formatDuration(-milliseconds)}`;
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${threeDigits(milliseconds / SECOND)} s`;
  // Rounded to the smaller unit, otherwise 59.9 s after a minute would be "1 min 60 s".
  const step = milliseconds < HOUR ? SECOND : milliseconds < DAY ? MINUTE : HOUR;
  const rounded = Math.round(milliseconds / step) * step;
  const at = STEPS.findIndex(([, length]) => rounded >= length);
  const parts = STEPS.slice(at, at + 2).map(([unit, length], index) => {
    const before = STEPS[at]?.[1] ?? length;
    const count = Math.floor((index === 0 ? rounded : rounded % before) / length);
    return { count, unit };
  });
  return parts
    .filter(({ count }) => count > 0)
    .map(({ count, unit }) => `${formatCount(count)} ${unit}`)
    .join(" ");
}

const ONE = new Map([
  ["1 s", "second"],
  ["1 min", "minute"],
  ["1 h", "hour"],
  ["1 d", "day"],
]);

/** A duration after "the" or "the last": 20 min, and "hour" for one unit. */
export function formatPeriod(milliseconds: number): string {
  const text = formatDuration(milliseconds);
  return ONE.get(text) ?? text;
}

/** A duration after "within": 20 min, and "an hour" for one unit. */
export function formatWithin(milliseconds: number): string {
  const text = formatDuration(milliseconds);
  const one = ONE.get(text);
  return one === undefined ? text : `${one === "hour" ? "an" : "a"} ${one}`;
}

/** A duration in whole minutes: 44 min, 2 h 5 min, < 1 min. */
export function formatMinutes(minutes: number): string {
  return minutes === 0 ? "< 1 min" : formatDuration(minutes * MINUTE);
}

/** A percentage: 0.4%, 12%; never 0% or 100% unless exact. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0%";
  if (part === whole) return "100%";
  const percent = (part / whole) * 100;
  if (percent < 0.1) return "< 0.1%";
  if (percent > 99.9) return "> 99.9%";
  return percent < 10 || percent > 99 ? `${Number(percent.toFixed(1))}%` : `${Math.round(percent)}%`;
}
