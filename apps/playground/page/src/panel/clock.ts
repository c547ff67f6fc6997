import { dateWriter } from "../text/date-writer.js";

/** A time of day to the second, as a log tells it. */
export function clock(ms: number, timeZone: string): string {
  return dateWriter("en-GB", { timeZone, timeStyle: "medium" }).format(ms);
}
