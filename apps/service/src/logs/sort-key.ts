/**
 * A UTC timestamp as a text that sorts by time whatever its number of digits: without the `Z`, which would sort a whole
 * second behind its fractions, and without zeros at the end of the fraction.
 *
 * @example sortKey("2026-04-01T09:30:15.500Z") // "2026-04-01T09:30:15.5"
 */
export function sortKey(timestamp: string): string {
  const time = timestamp.slice(0, -1);
  return time.includes(".") ? time.replace(/\.?0+$/, "") : time;
}
