import { DAY, HOUR, MINUTE, type OffsetAt, offsetsIn, SECOND } from "../entries/index.js";

/** The maximum number of categories of a chart in Slack. */
const MOST = 20;

/** Common durations, so that buckets start at round times. */
const LENGTHS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2].map((count) => count * DAY),
];

/**
 * The start of each of at most twenty buckets, and the end of the last one. Buckets start at round times of the zone and
 * have the same length, except when its clocks change.
 *
 * @param until the excluded end: a period until midnight has no part of the next day.
 */
export function bucketBounds(since: number, until: number, offsetAt: OffsetAt): number[] {
  return boundsOf(within(since), within(Math.max(until - 1, since)), offsetAt);
}

/** The periods that a service counts: all of one length. */
export interface Periods {
  /** Their length in milliseconds. */
  length: number;
  /** How far the zone's clocks are ahead of UTC, in milliseconds. */
  offset: number;
  /** The start of each, and the end of the last one. */
  bounds: number[];
}

/**
 * The same for a service, which knows no zones: if clocks change within the period, the buckets after it start at
 * other local times.
 *
 * @throws {RangeError} for an unknown time zone.
 */
export function periodsOf(since: number, until: number, timeZone: string): Periods {
  const offset = offsetsIn(timeZone)(within(since));
  const [first, last] = [within(since), within(Math.max(until - 1, since))];
  const length = lengthOf(first, last, () => offset);
  const start = Math.floor((first + offset) / length) * length - offset;
  const count = Math.floor((last - start) / length) + 1;
  return { length, offset, bounds: Array.from({ length: count + 1 }, (_, at) => start + at * length) };
}

// Times outside the range of dates are clamped: no clock shows them, and sums would overflow.
const within = (time: number): number => Math.min(Math.max(time, -LAST_DATE), LAST_DATE);
const LAST_DATE = 8.64e15;

function boundsOf(first: number, last: number, offsetAt: OffsetAt): number[] {
  const length = lengthOf(first, last, offsetAt);
  const offset = offsetAt(first);
  const start = Math.floor((first + offset) / length);
  const bounds = Array.from({ length: countOf(first, last, length, offsetAt) + 1 }, (_, at) => {
    const local = (start + at) * length;
    return length > HOUR ? momentOf(local, offsetAt) : local - offset;
  });
  // If a zone skips a whole day, as Samoa did, its hours occur twice.
  return [...new Set(bounds)];
}

/** The shortest common duration that gives few enough buckets. */
function lengthOf(first: number, last: number, offsetAt: OffsetAt): number {
  const found = LENGTHS.find((length) => countOf(first, last, length, offsetAt) <= MOST);
  const days = (last + offsetAt(last) - first - offsetAt(first)) / (MOST - 1) / DAY;
  return found ?? Math.ceil(days) * DAY;
}

/** How many buckets there are. Those up to an hour ignore clock changes: a repeated hour is two of them. */
function countOf(first: number, last: number, length: number, offsetAt: OffsetAt): number {
  const offset = offsetAt(first);
  const end = last + (length > HOUR ? offsetAt(last) : offset);
  return Math.floor(end / length) - Math.floor((first + offset) / length) + 1;
}

/** When clocks first show this local time; if it is skipped, when the skip occurs. */
function momentOf(local: number, offsetAt: OffsetAt): number {
  const [before, after] = [local - offsetAt(local - DAY), local - offsetAt(local + DAY)];
  const isShown = (moment: number): boolean => moment + offsetAt(moment) === local;
  return !isShown(before) && isShown(after) ? after : before;
}
