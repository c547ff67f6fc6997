import type { LogKind } from "@media-ops/sdk";
import { type Bucket, bucketsOf, type Spread, spreadOf } from "./buckets.js";
import { columnsOf, type FieldColumn, rowOf, timeFieldOf, type ValueKind } from "./columns.js";
import { fieldOf } from "./values/field.js";
import { isFailure } from "./values/show.js";
import { textOf } from "./values/text.js";
import { millisecondsOf } from "./values/time.js";

/** How often a name occurs. */
export interface Tally {
  name: string;
  count: number;
}

/** A summary of many entries. */
export interface Summary {
  kind: LogKind;
  /** The number of events; an entry of the API log may stand for several calls. */
  count: number;
  /** The times of the oldest and newest entry in milliseconds since 1970; absent if no entry has a time. */
  range?: { from: number; to: number };
  /** Only for kinds with a status. */
  failures?: {
    count: number;
    /** The failing statuses, most frequent first. */
    byStatus: { status: number; count: number }[];
    /** The addresses, operations or events that failed most. */
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
  /** The lowest failing status; an entry without an answer always failed. @default 400 */
  failsFrom?: number | undefined;
  /** The zone in which periods begin at round times, by its IANA name. @default "UTC" */
  timeZone?: string | undefined;
}

/** The length of a list of the most frequent names. */
const TOP = 5;

/**
 * Summarizes entries of a kind in one pass. Entries without a value are ignored where it is needed.
 *
 * @throws {RangeError} for an unknown time zone.
 */
export function summarize(kind: LogKind, entries: readonly unknown[], options: SummarizeOptions = {}): Summary {
  const { failsFrom = 400, ...stretch } = options;
  const fields = fieldsByUse(kind);
  const times = new Float64Array(entries.length).fill(Number.NaN);
  const counts = new Float64Array(entries.length).fill(1);
  const failed = new Uint8Array(entries.length);
  const elapsed = new Float64Array(entries.length).fill(Number.NaN);
  const durations = new Float64Array(entries.length).fill(Number.NaN);
  const totals = fields.bytes.map(({ field, title }) => ({ field, title, total: 0 }));
  const [statuses, culprits, channels] = [
    new Map<number, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
  ];

  for (const [at, entry] of entries.entries()) {
    times[at] = millisecondsOf(fieldOf(entry, fields.time)) ?? Number.NaN;
    elapsed[at] = numberIn(entry, fields.elapsed);
    durations[at] = numberIn(entry, fields.duration);
    for (const sum of totals) sum.total += numberIn(entry, sum.field) || 0;
    addTo(channels, fieldOf(entry, fields.channel), 1);
    const status = numberIn(entry, fields.status);
    const count = countIn(entry, fields.count);
    counts[at] = count;
    if (isFailure(status, failsFrom)) {
      failed[at] = 1;
      statuses.set(status, (statuses.get(status) ?? 0) + count);
      addTo(culprits, fieldOf(entry, fields.culprit), count);
    }
  }

  const elapsedSpread = spreadOf(elapsed);
  const durationSpread = spreadOf(durations);
  const range = rangeOf(times);
  return {
    kind,
    count: sum(counts),
    ...(range && { range }),
    ...(fields.status && {
      failures: {
        count: sum(counts.filter((_, at) => failed[at])),
        byStatus: [...statuses].map(([status, count]) => ({ status, count })).sort((a, b) => b.count - a.count),
        where: mostFrequent(culprits),
      },
    }),
    ...(elapsedSpread && { elapsed: elapsedSpread }),
    ...(durationSpread && { duration: durationSpread }),
    ...(fields.channel && { channels: mostFrequent(channels) }),
    bytes: totals,
    overTime: bucketsOf({ times, counts, failed, elapsed, ...range, ...stretch }),
  };
}

/** The field for each purpose, by the kinds of the columns. */
function fieldsByUse(kind: LogKind) {
  const all = columnsOf(kind);
  const first = (as: ValueKind): string | undefined =>
    all.find((column) => column.as === as && column.in === "table")?.field;
  return {
    time: timeFieldOf(kind),
    status: first("status"),
    elapsed: first("milliseconds"),
    duration: first("minutes"),
    channel: first("channel"),
    culprit: first("address") ?? first("text"),
    // Other kinds count connections; this is for an entry that stands for several calls.
    count: rowOf(kind).optionalColumns.find(({ as }) => as === "count")?.field,
    bytes: all.filter((column): column is FieldColumn => column.as === "bytes"),
  };
}

function numberIn(entry: unknown, field: string | undefined): number {
  const value = fieldOf(entry, field);
  return typeof value === "number" && Number.isFinite(value) ? value : Number.NaN;
}

/** How many events an entry stands for. */
function countIn(entry: unknown, field: string | undefined): number {
  const count = numberIn(entry, field);
  return Number.isSafeInteger(count) && count > 1 ? count : 1;
}

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);

function addTo(counts: Map<string, number>, value: unknown, count: number): void {
  if (value === undefined || value === null) return;
  const name = typeof value === "string" ? value : textOf(value);
  counts.set(name, (counts.get(name) ?? 0) + count);
}

/** Without sorting the whole map, which would cost more than reading the entries. */
function mostFrequent(counts: ReadonlyMap<string, number>): Tally[] {
  const top: Tally[] = [];
  for (const [name, count] of counts) {
    if (top.length === TOP && count <= (top[TOP - 1]?.count ?? 0)) continue;
    const at = top.findIndex((other) => other.count < count);
    top.splice(at === -1 ? top.length : at, 0, { name, count });
    top.length = Math.min(top.length, TOP);
  }
  return top;
}

function rangeOf(times: Float64Array): { from: number; to: number } | undefined {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const time of times) {
    if (time < from) from = time;
    if (time > to) to = time;
  }
  return from <= to ? { from, to } : undefined;
}
