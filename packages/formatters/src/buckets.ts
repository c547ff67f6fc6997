import { type Spread, spreadOf } from "./spread.js";
import { DAY, HOUR, MINUTE, SECOND } from "./values/lengths.js";

/** A stretch of time, and what fell into it. */
export interface Bucket {
  /** In milliseconds since 1970. */
  from: number;
  /** Where the next one begins. */
  to: number;
  count: number;
  failed: number;
  /** Of the processing times that fell into it. */
  elapsed?: Spread;
}

/** As many as a chart in Slack can have. */
const MOST = 20;

/** Lengths that people count in, so that stretches begin on round times. */
const LENGTHS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2].map((count) => count * DAY),
];

interface Measured {
  /** Of each entry, its time, or NaN where it has none. */
  times: Float64Array;
  /** Of each entry, 1 if it failed. */
  failed: Uint8Array;
  /** Of each entry, its processing time, or NaN. */
  elapsed: Float64Array;
  /** Which range was asked for; else it is that of the times. */
  since?: number | undefined;
  until?: number | undefined;
  from?: number;
  to?: number;
}

/** Cuts a range of time into at most twenty stretches of equal, round length, and counts what falls into each. */
export function bucketsOf({ times, failed, elapsed, since, until, from, to }: Measured): Bucket[] {
  const [first, last] = [since ?? from, Math.max(until ?? to ?? Number.NaN, since ?? from ?? Number.NaN)];
  if (first === undefined || Number.isNaN(last)) return [];

  const { start, length, count } = cut(first, last);
  const buckets = Array.from({ length: count }, (_, at): Bucket & { values: number[] } => {
    return { from: start + at * length, to: start + (at + 1) * length, count: 0, failed: 0, values: [] };
  });
  for (const [at, time] of times.entries()) {
    const bucket = buckets[Math.floor((time - start) / length)];
    if (!bucket) continue;
    bucket.count += 1;
    bucket.failed += failed[at] ?? 0;
    bucket.values.push(elapsed[at] ?? Number.NaN);
  }
  return buckets.map(({ values, ...bucket }) => {
    const spread = spreadOf(Float64Array.from(values));
    return spread ? { ...bucket, elapsed: spread } : bucket;
  });
}

function cut(first: number, last: number): { start: number; length: number; count: number } {
  const countOf = (length: number): number => Math.floor(last / length) - Math.floor(first / length) + 1;
  const length = LENGTHS.find((one) => countOf(one) <= MOST) ?? Math.ceil((last - first) / (MOST - 1) / DAY) * DAY;
  return { start: Math.floor(first / length) * length, length, count: countOf(length) };
}
