import { dateParts } from "../text/date-writer.js";

/** A time as a person in a zone reads it, in the form of `<input type="datetime-local">`: 2026-11-21T15:05. */
export function zonedTime(seconds: number, timeZone: string): string {
  const twoDigits = { month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
  const part = dateParts({ timeZone, hourCycle: "h23", year: "numeric", ...twoDigits }, seconds * 1000);
  return `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}`;
}

/** The seconds since 1970 that such a time means; undefined where it is none. In the hour that the clock skips, what comes after it. */
export function secondsAt(local: string, timeZone: string): number | undefined {
  // A browser reads much else as some time.
  const asUtc = /^\d{4,}-\d\d-\d\dT\d\d:\d\d$/.test(local) ? Date.parse(`${local}:00Z`) / 1000 : Number.NaN;
  if (Number.isNaN(asUtc)) return undefined;
  const offset = (seconds: number): number => Date.parse(`${zonedTime(seconds, timeZone)}:00Z`) / 1000 - seconds;
  // The offset is that of the time itself, which is not known before; the second guess is right but for skipped hours.
  const guess = asUtc - offset(asUtc);
  return asUtc - offset(guess);
}
