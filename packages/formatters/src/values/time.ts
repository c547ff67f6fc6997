import { checkedNow, DAY, HOUR, MINUTE, offsetsIn, SECOND, within } from "@media-ops/reports/entries";

const AGO: readonly (readonly [below: number, unit: string, length: number])[] = [
  [MINUTE, "s", SECOND],
  [HOUR, "min", MINUTE],
  [DAY, "h", HOUR],
  [Number.POSITIVE_INFINITY, "d", DAY],
];

/** The distance of a time from now: "2 min ago", "in 3 h", "now". */
export function formatAgo(time: number, now: number): string {
  const distance = Math.abs(now - time);
  if (distance < SECOND) return "now";
  // 9 min 59 s reads as 10 min.
  const count = (length: number): number => (time <= now ? Math.floor : Math.round)(distance / length);
  const [, unit, length] = AGO.find(([below, , length]) => count(length) * length < below) ?? [0, "d", DAY];
  return time <= now ? `${count(length)} ${unit} ago` : `in ${count(length)} ${unit}`;
}

/** Writes times in one zone. Create it once for many times: finding a zone's offset is slow. */
export interface Clock {
  now: number;
  timeZone: string;
  /** As short as possible: only the time for today, otherwise with the date, and with the year if it differs. */
  short(time: number): string;
  /** Date and time to the second: "2026-11-21 14:03:22". */
  full(time: number): string;
  /** The same with the zone: "2026-11-21 14:03:22 UTC". */
  zoned(time: number): string;
}

/**
 * The options of every printer, which throws a `RangeError` for an unknown time zone, or if `now` is not finite.
 */
export interface TimeOptions {
  /** The current time in milliseconds since 1970, such as `Date.now()`. */
  now: number;
  /** The zone of the times, by its IANA name. @default "UTC" */
  timeZone?: string | undefined;
}

/** Creates a clock for one zone. */
export function clockFor({ now, timeZone = "UTC" }: TimeOptions): Clock {
  checkedNow(now);
  const offsetAt = offsetsIn(timeZone);
  const local = (time: number): string => isoOf(time + offsetAt(time));
  const today = local(now).slice(0, 10);
  const full = (time: number): string => local(time).slice(0, 19).replace("T", " ");
  return {
    now,
    timeZone,
    short(time) {
      const text = local(time);
      if (text.startsWith(today)) return text.slice(11, 19);
      const isThisYear = text.slice(0, 4) === today.slice(0, 4);
      return isThisYear ? `${monthAndDay(text)} ${text.slice(11, 19)}` : `${text.slice(0, 10)} ${text.slice(11, 19)}`;
    },
    full,
    zoned: (time) => `${full(time)} ${timeZone}`,
  };
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "Nov 3" of "2026-11-03T…" */
export function monthAndDay(iso: string): string {
  return `${MONTHS[Number(iso.slice(5, 7)) - 1]} ${Number(iso.slice(8, 10))}`;
}

const isoOf = (time: number): string => new Date(within(time)).toISOString();
