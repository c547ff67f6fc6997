/**
 * A UTC timestamp as a text that sorts by time whatever its number of digits: without the `Z`, which would sort a whole
 * second behind its fractions, and without zeros at the end of the fraction.
 *
 * @example sortKey("2026-04-01T09:30:15.500Z") // "2026-04-01T09:30:15.5"
 */
export function sortKey(timestamp: string): string {
  const point = timestamp.indexOf(".");
  let end = timestamp.length - 1;
  if (point === -1) return timestamp.slice(0, end);
  while (timestamp[end - 1] === "0") end -= 1;
  return timestamp.slice(0, end - 1 === point ? point : end);
}
