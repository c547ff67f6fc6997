/** A time of day to the second, as a log tells it. */
export function clock(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "medium" }).format(ms);
}
