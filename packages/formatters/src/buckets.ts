import { DAY, HOUR, MINUTE, offsetsIn, SECOND } from "./values/time.js";

/** A period of time, and the entries in it. */
export interface Bucket {
  /** Milliseconds since 1970. */
  from: number;
  /** The start of the next bucket. */
  to: number;
  count: number;
  failed: number;
  /** The processing times. */
  elapsed?: Spread;
}

/** The most categories of a chart in Slack. */
const MOST = 20;

/** Lengths that people count in, so that buckets begin at round times. */
const LENGTHS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2].map((count) => count * DAY),
];

interface Measured {
  /** The time of each entry, or NaN. */
  times: Float64Array;
  /** How many events each entry stands for. */
  counts: Float64Array;
  /** 1 for each entry that failed. */
  failed: Uint8Array;
  /** The processing time of each entry, or NaN. */
  elapsed: Float64Array;
  /** The requested period; default: that of the entries. */
  since?: number | undefined;
  until?: number | undefined;
  from?: number;
  to?: number;
  timeZone?: string | undefined;
}

/**
 * Divides a period into at most twenty buckets, and counts the entries in each. Buckets begin at round times of the
 * zone and have the same length, except when its clocks change.
 *
 * @throws {RangeError} for an unknown time zone.
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
  // The end is excluded: a period until midnight has no part of the next day.
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

// Times beyond all dates are clamped: no clock shows them, and sums would overflow.
const within = (time: number): number => Math.min(Math.max(time, -LAST_DATE), LAST_DATE);
const LAST_DATE = 8.64e15;

/** How far clocks are ahead of UTC. */
type OffsetAt = (time: number) => number;

/** The start of each bucket, and the end of the last one. */
function boundsOf(first: number, last: number, offsetAt: OffsetAt): number[] {
  const offset = offsetAt(first);
  const start = first + offset;
  // Buckets up to an hour ignore clock changes: a repeated hour is two of them.
  const endFor = (length: number): number => last + (length > HOUR ? offsetAt(last) : offset);
  const countOf = (length: number): number => Math.floor(endFor(length) / length) - Math.floor(start / length) + 1;
  const length =
    LENGTHS.find((one) => countOf(one) <= MOST) ?? Math.ceil((endFor(DAY) - start) / (MOST - 1) / DAY) * DAY;
  const bounds = Array.from({ length: countOf(length) + 1 }, (_, at) => {
    const local = (Math.floor(start / length) + at) * length;
    return length > HOUR ? momentOf(local, offsetAt) : local - offset;
  });
  // If a zone skips a whole day, as Samoa did, its hours occur twice.
  return [...new Set(bounds)];
}

/** When clocks first show this local time; if they skip it, when they skip. */
function momentOf(local: number, offsetAt: OffsetAt): number {
  const [before, after] = [local - offsetAt(local - DAY), local - offsetAt(local + DAY)];
  const isShown = (moment: number): boolean => moment + offsetAt(moment) === local;
  return !isShown(before) && isShown(after) ? after : before;
}

/** The distribution of values: half of them are at most `p50`, 95 of 100 at most `p95`. */
export interface Spread {
  p50: number;
  p95: number;
  max: number;
}

/** By nearest rank, so that each figure was actually measured. NaN values are ignored. */
export function spreadOf(values: Float64Array): Spread | undefined {
  const known = values.filter((value) => !Number.isNaN(value)).sort();
  if (known.length === 0) return undefined;
  const rank = (part: number): number => known[Math.ceil(part * known.length) - 1] ?? Number.NaN;
  return { p50: rank(0.5), p95: rank(0.95), max: rank(1) };
}
