import { useSyncExternalStore } from "react";

/** Formats a time as Slack does, by a format such as `{date_short_pretty} at {time}`. */
export function formatSlackDate(
  seconds: number,
  format: string,
  { timeZone, now }: { timeZone: string; now: number },
): string {
  const ms = seconds * 1000;
  if (Number.isNaN(new Date(ms).getTime())) return "";
  const write = (options: Intl.DateTimeFormatOptions): string =>
    dateWriter("en-US", { timeZone, ...options }).format(ms);
  const written: Readonly<Record<string, () => string>> = {
    date_num: () => dayOf(ms, timeZone),
    date_short: () => write({ month: "short", day: "numeric", year: "numeric" }),
    date_long: () => write({ weekday: "long", month: "long", day: "numeric", year: "numeric" }),
    time: () => write({ hour: "numeric", minute: "2-digit" }),
    time_secs: () => write({ hour: "numeric", minute: "2-digit", second: "2-digit" }),
    ago: () => ago(ms - now),
  };
  return format.replace(/\{(\w+?)(_pretty)?\}/g, (token, name: string, pretty?: string) => {
    const near = pretty ? nearDay(ms, now, timeZone) : undefined;
    return near ?? written[name]?.() ?? token;
  });
}

/** Returns a date such as 2026-11-21. */
export function dayOf(ms: number, timeZone: string): string {
  // Swedish dates are ISO dates.
  return dateWriter("sv-SE", { timeZone, dateStyle: "short" }).format(ms);
}

const DAY_MS = 86_400_000;

function nearDay(ms: number, now: number, timeZone: string): string | undefined {
  const days = (Date.parse(dayOf(ms, timeZone)) - Date.parse(dayOf(now, timeZone))) / DAY_MS;
  if (Math.abs(days) > 1) return undefined;
  return new Intl.RelativeTimeFormat("en-US", { numeric: "auto" }).format(days, "day");
}

const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

const NOW_S = 12;

function ago(ms: number): string {
  const seconds = Math.round(ms / 1000);
  // Clocks differ, and the page's clock advances in steps.
  if (Math.abs(seconds) < NOW_S) return "just now";
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return new Intl.RelativeTimeFormat("en-US").format(Math.trunc(seconds / size), unit);
}

// Creating a formatter is slow, and the page formats thousands of times with a few of them.
const made = new Map<string, Intl.DateTimeFormat>();

/** Returns a formatter, created once for each combination. */
export function dateWriter(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const writer = made.get(key) ?? new Intl.DateTimeFormat(locale, options);
  made.set(key, writer);
  return writer;
}

const EVERY_MS = 10_000;

let now = Date.now();
const listeners = new Set<() => void>();
// One timer for the whole page.
setInterval(() => {
  now = Date.now();
  for (const listener of listeners) listener();
}, EVERY_MS);

function watch(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns a value that depends on the current time, and re-renders only when the value changes. */
export function useOfNow<T extends string | number>(valueAt: (now: number) => T): T {
  return useSyncExternalStore(watch, () => valueAt(now));
}
