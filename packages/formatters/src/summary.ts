import type { LogKind } from "@media-ops/sdk";
import { columnsOf, rowOf, TIME_FIELD, type ValueKind } from "./columns.js";
import { isFailure } from "./values/show.js";
import { fieldOf, textOf } from "./values/text.js";
import { DAY, HOUR, MINUTE, millisecondsOf, offsetsIn, SECOND } from "./values/time.js";

/** How often a name occurs. */
export interface Tally {
  name: string;
  count: number;
}

/** A summary of many entries. */
export interface Summary {
  kind: LogKind;
  /** The number of calls; an entry of the API log may represent several. */
  count: number;
  /** The times of the oldest and newest entry in milliseconds since 1970; absent if no entry has a time. */
  range?: { from: number; to: number };
  /** Only for kinds with a status. */
  failures?: {
    count: number;
    /** The failing statuses, most frequent first. */
    byStatus: { status: number; count: number }[];
    /** The URLs, operations or events that failed most. */
    where: Tally[];
  };
  /** Processing times in milliseconds, for kinds that have them. */
  elapsed?: Spread;
  /** Durations in minutes, for kinds that have them. */
  duration?: Spread;
  /** The channels with the most entries, for kinds that have a channel. */
  channels?: Tally[];
  /** The sum of each field of bytes. */
  bytes: { title: string; field: string; total: number }[];
  /** At most twenty consecutive periods, oldest first. */
  overTime: Bucket[];
}

export interface SummarizeOptions {
  /** The start of the requested period, in milliseconds since 1970. @default the oldest entry's time */
  since?: number | undefined;
  /** Its excluded end. @default the newest entry's time */
  until?: number | undefined;
  /** The lowest failing status; an entry without a response always failed. @default 400 */
  failsFrom?: number | undefined;
  /** The zone in which periods start at round times, by its IANA name. @default "UTC" */
  timeZone?: string | undefined;
}

/** The length of a list of the most frequent names. */
const TOP = 5;

/** The values of one entry; NaN for a missing number. */
interface Measured {
  time: number;
  /** The number of calls that the entry represents. */
  count: number;
  status: number;
  isFailed: boolean;
  elapsed: number;
  duration: number;
  channel: unknown;
  culprit: unknown;
}

/**
 * Summarizes entries of a kind. A missing value excludes an entry only from the results that need it.
 *
 * @throws {RangeError} for an unknown time zone.
 */
export function summarize(kind: LogKind, entries: readonly unknown[], options: SummarizeOptions = {}): Summary {
  const { failsFrom = 400, ...period } = options;
  const fields = fieldsByUse(kind);
  const measured = entries.map((entry): Measured => {
    const status = numberIn(entry, fields.status);
    return {
      time: millisecondsOf(fieldOf(entry, TIME_FIELD)) ?? Number.NaN,
      count: countIn(entry, fields.count),
      status,
      isFailed: isFailure(status, failsFrom),
      elapsed: numberIn(entry, fields.elapsed),
      duration: numberIn(entry, fields.duration),
      channel: fieldOf(entry, fields.channel),
      culprit: fieldOf(entry, fields.culprit),
    };
  });
  const failed = measured.filter(({ isFailed }) => isFailed);
  const range = rangeOf(measured);
  const elapsed = spreadOf(measured.map((entry) => entry.elapsed));
  const duration = spreadOf(measured.map((entry) => entry.duration));
  return {
    kind,
    count: countOf(measured),
    ...(range && { range }),
    ...(fields.status && {
      failures: {
        count: countOf(failed),
        byStatus: [...tally(failed, ({ status }) => status)]
          .map(([status, count]) => ({ status, count }))
          .sort((a, b) => b.count - a.count),
        where: mostFrequent(tally(failed, ({ culprit }) => nameOf(culprit))),
      },
    }),
    ...(elapsed && { elapsed }),
    ...(duration && { duration }),
    ...(fields.channel && { channels: mostFrequent(tally(measured, ({ channel }) => nameOf(channel))) }),
    bytes: fields.bytes.map(({ title, field }) => {
      return { title, field, total: entries.reduce<number>((sum, entry) => sum + (numberIn(entry, field) || 0), 0) };
    }),
    overTime: bucketsOf(measured, { ...range, ...period }),
  };
}

/** The field for each purpose, by the kinds of the columns. */
function fieldsByUse(kind: LogKind) {
  const all = columnsOf(kind);
  const first = (as: ValueKind): string | undefined =>
    all.find((column) => column.as === as && column.in === "table")?.field;
  return {
    status: first("status"),
    elapsed: first("milliseconds"),
    duration: first("minutes"),
    channel: first("channel"),
    culprit: first("address") ?? first("text"),
    // Other kinds count connections; this field is for entries that represent several calls.
    count: rowOf(kind).optionalColumns.find(({ as }) => as === "count")?.field,
    bytes: all.filter(({ as }) => as === "bytes"),
  };
}

function numberIn(entry: unknown, field: string | undefined): number {
  const value = fieldOf(entry, field);
  return typeof value === "number" && Number.isFinite(value) ? value : Number.NaN;
}

/** The number of calls that an entry represents. */
function countIn(entry: unknown, field: string | undefined): number {
  const count = numberIn(entry, field);
  return Number.isSafeInteger(count) && count > 1 ? count : 1;
}

const countOf = (entries: readonly Measured[]): number => entries.reduce((sum, { count }) => sum + count, 0);

const nameOf = (value: unknown): string | undefined => {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : textOf(value);
};

/** The number of calls for each key, in the order of their first entries. */
function tally<Key>(entries: readonly Measured[], keyOf: (entry: Measured) => Key | undefined): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const entry of entries) {
    const key = keyOf(entry);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + entry.count);
  }
  return counts;
}

function mostFrequent(counts: ReadonlyMap<string, number>): Tally[] {
  const tallies = [...counts].map(([name, count]) => ({ name, count }));
  return tallies.sort((a, b) => b.count - a.count).slice(0, TOP);
}

function rangeOf(entries: readonly Measured[]): { from: number; to: number } | undefined {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { time } of entries) {
    if (time < from) from = time;
    if (time > to) to = time;
  }
  return from <= to ? { from, to } : undefined;
}

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
 * Divides a period into at most twenty buckets, and counts the entries in each. Buckets start at round times of the
 * zone and have the same length, except when its clocks change.
 *
 * @throws {RangeError} for an unknown time zone.
 */
function bucketsOf(
  entries: readonly Measured[],
  { since, until, from, to, timeZone = "UTC" }: Omit<SummarizeOptions, "failsFrom"> & { from?: number; to?: number },
): Bucket[] {
  const offsetAt = offsetsIn(timeZone);
  // The end is excluded: a period until midnight has no part of the next day.
  const end = until === undefined ? to : until - 1;
  const [first, last] = [since ?? from, Math.max(end ?? Number.NaN, since ?? from ?? Number.NaN)];
  if (first === undefined || Number.isNaN(last)) return [];

  const bounds = boundsOf(within(first), within(last), offsetAt);
  return bounds.slice(1).map((to, at) => {
    const from = bounds[at] ?? to;
    const inside = entries.filter(({ time }) => time >= from && time < to);
    const elapsed = spreadOf(inside.map((entry) => entry.elapsed));
    const failed = countOf(inside.filter(({ isFailed }) => isFailed));
    return { from, to, count: countOf(inside), failed, ...(elapsed && { elapsed }) };
  });
}

// Times outside the range of dates are clamped: no clock shows them, and sums would overflow.
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

/** When clocks first show this local time; if it is skipped, when the skip occurs. */
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

/** By nearest rank, so that each value was actually measured. NaN values are ignored. */
function spreadOf(values: readonly number[]): Spread | undefined {
  const known = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  if (known.length === 0) return undefined;
  const rank = (part: number): number => known[Math.ceil(part * known.length) - 1] ?? Number.NaN;
  return { p50: rank(0.5), p95: rank(0.95), max: rank(1) };
}
