const UNITS = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** Milliseconds of `500ms`, `60s`, `5m` or `1h`; undefined if it is none of these. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(\w+)$/.exec(text) ?? [];
  const ms = Math.round(Number(amount) * (UNITS.get(unit) ?? Number.NaN));
  return ms > 0 ? ms : undefined;
}
