/** How values lie: half of them are at most `p50`, 95 of 100 at most `p95`. */
export interface Spread {
  p50: number;
  p95: number;
  max: number;
}

/** By the nearest rank, so that each figure is one that was measured. What is NaN was not measured. */
export function spreadOf(values: Float64Array): Spread | undefined {
  const known = values.filter((value) => !Number.isNaN(value)).sort();
  if (known.length === 0) return undefined;
  const rank = (part: number): number => known[Math.ceil(part * known.length) - 1] ?? Number.NaN;
  return { p50: rank(0.5), p95: rank(0.95), max: rank(1) };
}
