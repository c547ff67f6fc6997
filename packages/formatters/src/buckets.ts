import { DAY, HOUR, MINUTE, offsetsIn, SECOND } from "./values/time.js";

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
  /** How many each entry stands for. */
  counts: Float64Array;
  /** Of each entry, 1 if it failed. */
  failed: Uint8Array;
  /** Of each entry, its processing time, or NaN. */
  elapsed: Float64Array;
  /** Which range was asked for; else it is that of the times. */
  since?: number | undefined;
  until?: number | undefined;
  from?: number;
  to?: number;
  timeZone?: string | undefined;
}

/**
 * Cuts a range of time into at most twenty stretches, and counts what falls into each. They begin on round times of the
 * zone, and are equally long but where its clocks are changed.
 *
 * @throws {RangeError} where there is no such zone.
 */
export function bucketsOf({
  times,
  counts,
  failed,
  elapsed,
  since,
  until,
  from,
  to,
  timeZone = "UTC",
}: Measured): Bucket[] {
  const offsetAt = offsetsIn(timeZone);
  // Until is left out: what lasts until midnight has no part of the next day.
  const end = until === undefined ? to : until - 1;
  const [first, last] = [since ?? from, Math.max(end ?? Number.NaN, since ?? from ?? Number.NaN)];
  if (first === undefined || Number.isNaN(last)) return [];

  const bounds = boundsOf(within(first), within(last), offsetAt);
  const buckets = bounds.slice(1).map((to, at): Bucket & { values: number[] } => {
    return { from: bounds[at] ?? to, to, count: 0, failed: 0, values: [] };
  });
  for (const [at, time] of times.entries()) {
    const bucket = buckets.find(({ from, to }) => time >= from && time < to);
    if (!bucket) continue;
    const count = counts[at] ?? 1;
    bucket.count += count;
    if (failed[at]) bucket.failed += count;
    bucket.values.push(elapsed[at] ?? Number.NaN);
  }
  return buckets.map(({ values, ...bucket }) => {
    const spread = spreadOf(Float64Array.from(values));
    return spread ? { ...bucket, elapsed: spread } : bucket;
  });
}

/** What lies beyond all dates is cut: no clock shows it, and its sums would overflow. */
const within = (time: number): number => Math.min(Math.max(time, -LAST_DATE), LAST_DATE);
const LAST_DATE = 8.64e15;

/** How far clocks are ahead of UTC. */
type OffsetAt = (time: number) => number;

/** When each stretch begins, and when the last one ends. */
function boundsOf(first: number, last: number, offsetAt: OffsetAt): number[] {
  const offset = offsetAt(first);
  const start = first + offset;
  // Up to an hour they go on evenly when clocks are changed: an hour that comes twice is two of them.
  const endFor = (length: number): number => last + (length > HOUR ? offsetAt(last) : offset);
  const countOf = (length: number): number => Math.floor(endFor(length) / length) - Math.floor(start / length) + 1;
  const length =
    LENGTHS.find((one) => countOf(one) <= MOST) ?? Math.ceil((endFor(DAY) - start) / (MOST - 1) / DAY) * DAY;
  const bounds = Array.from({ length: countOf(length) + 1 }, (_, at) => {
    const local = (Math.floor(start / length) + at) * length;
    return length > HOUR ? momentOf(local, offsetAt) : local - offset;
  });
  // Where a zone has skipped a whole day, as Samoa did, its hours come out twice.
  return [...new Set(bounds)];
}

/** When clocks show this local time for the first time; where they skip it, when they skip. */
function momentOf(local: number, offsetAt: OffsetAt): number {
  const [before, after] = [local - offsetAt(local - DAY), local - offsetAt(local + DAY)];
  const isShown = (moment: number): boolean => moment + offsetAt(moment) === local;
  return !isShown(before) && isShown(after) ? after : before;
}

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
