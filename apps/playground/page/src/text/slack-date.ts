import { useSyncExternalStore } from "react";

/** The tokens of Slack's date formats. */
const MARK = /\{(\w+)\}/g;

const LOCALE = "en-US";

/**
 * Formats a time as Slack does.
 *
 * @param format Such as `{date_short_pretty} at {time}`.
 */
export function formatSlackDate(
  seconds: number,
  format: string,
  { timeZone, now }: { timeZone: string; now: number },
): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return "";
  const write = (options: Intl.DateTimeFormatOptions): string =>
    dateWriter(LOCALE, { timeZone, ...options }).format(date);
  const full = (month: "short" | "long"): string => write({ month, day: "numeric", year: "numeric" });
  const long = (): string => write({ weekday: "long", month: "long", day: "numeric", year: "numeric" });
  const written: Readonly<Record<string, () => string>> = {
    date_num: () => dayOf(date.getTime(), timeZone),
    date_slash: () => write({ month: "2-digit", day: "2-digit", year: "numeric" }),
    date: () => full("long"),
    date_short: () => full("short"),
    date_long: long,
    date_long_full: () => full("long"),
    time: () => write({ hour: "numeric", minute: "2-digit" }),
    time_secs: () => write({ hour: "numeric", minute: "2-digit", second: "2-digit" }),
    ago: () => ago(date.getTime() - now),
    day_divider_pretty: long,
  };
  const text = format.replace(MARK, (mark, name: string) => {
    const base = name === "day_divider_pretty" ? name : name.replace(/_pretty$/, "");
    const near = base !== name || name === "day_divider_pretty" ? nearDay(date.getTime(), now, timeZone) : undefined;
    return near ?? written[base]?.() ?? mark;
  });
  return format.startsWith("{day_divider") ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** Such as 2026-11-21. */
export function dayOf(ms: number, timeZone: string): string {
  const options = { timeZone, year: "numeric", month: "2-digit", day: "2-digit" } as const;
  const part = dateParts(options, ms);
  return `${part("year")}-${part("month")}-${part("day")}`;
}

const DAY_MS = 86_400_000;

function nearDay(ms: number, now: number, timeZone: string): string | undefined {
  const days = (Date.parse(dayOf(ms, timeZone)) - Date.parse(dayOf(now, timeZone))) / DAY_MS;
  if (days === 0) return "today";
  if (days === 1) return "tomorrow";
  return days === -1 ? "yesterday" : undefined;
}

const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

const NOW_S = 12;

function ago(ms: number): string {
  const seconds = Math.round(ms / 1000);
  // Clocks differ, and the page's moves in steps.
  if (Math.abs(seconds) < NOW_S) return "just now";
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  const count = Math.floor(Math.abs(seconds) / size);
  const words = `${count} ${unit}${count === 1 ? "" : "s"}`;
  return seconds > 0 ? `in ${words}` : `${words} ago`;
}

/** The page formats thousands of times in a few formats, and creating a formatter is slow. */
const made = new Map<string, Intl.DateTimeFormat>();

/** A formatter; created once for each combination. */
export function dateWriter(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const known = made.get(key);
  if (known) return known;
  const writer = new Intl.DateTimeFormat(locale, options);
  made.set(key, writer);
  return writer;
}

/** The parts of a formatted time, such as its month. */
export function dateParts(
  options: Intl.DateTimeFormatOptions,
  ms: number,
): (wanted: Intl.DateTimeFormatPartTypes) => string {
  const parts = dateWriter("en-US", options).formatToParts(ms);
  return (wanted) => parts.find(({ type }) => type === wanted)?.value ?? "";
}

const EVERY_MS = 10_000;

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function watch(listener: () => void): () => void {
  listeners.add(listener);
  // One timer for the whole page.
  timer ??= setInterval(() => {
    now = Date.now();
    for (const listener of listeners) listener();
  }, EVERY_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A value that depends on the present; re-renders only when it changes. */
export function useOfNow<T extends string | number>(valueAt: (now: number) => T): T {
  return useSyncExternalStore(watch, () => valueAt(now));
}
