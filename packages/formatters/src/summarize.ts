import type { LogKind } from "@media-ops/sdk";
import { bucketBounds } from "./buckets.js";
import { TIME_FIELD } from "./columns.js";
import {
  type Bucket,
  failingStatuses,
  fieldsByUse,
  type Group,
  type GroupField,
  type Groups,
  isSearched,
  MOST_GROUPS,
  mostFrequent,
  type Period,
  type Spread,
  type Summary,
  type Tally,
} from "./summary.js";
import { isFailure } from "./values/show.js";
import { fieldOf, textOf } from "./values/text.js";
import { millisecondsOf, type OffsetAt, offsetsIn } from "./values/time.js";

export interface SummarizeOptions {
  /** The start of the requested period, in milliseconds since 1970. @default the oldest entry's time */
  since?: number | undefined;
  /** Its excluded end. @default the newest entry's time */
  until?: number | undefined;
  /** The time before which entries may be missing, in milliseconds since 1970. @default none is missing */
  searchedTo?: number | undefined;
  /** The lowest failing status; an entry without a response always failed. @default 400 */
  failsFrom?: number | undefined;
  /** Whether an event with the outcome `refused` failed. @default true */
  refusedFails?: boolean | undefined;
  /** The zone in which periods start at round times, by its IANA name. @default "UTC" */
  timeZone?: string | undefined;
  /** The fields to group by. @default none */
  by?: readonly GroupField[] | undefined;
}

/** The values of one entry; NaN for a missing number. */
interface Measured {
  entry: unknown;
  time: number;
  /** The number of calls that the entry represents. */
  count: number;
  status: number;
  isFailed: boolean;
  elapsed: number;
  duration: number;
}

/**
 * Summarizes entries of a kind. A missing value excludes an entry only from the results that need it.
 *
 * @throws {RangeError} for an unknown time zone.
 */
export function summarize(kind: LogKind, entries: readonly unknown[], options: SummarizeOptions = {}): Summary {
  const { failsFrom = 400, refusedFails = true, since, until, searchedTo, timeZone = "UTC", by } = options;
  const offsetAt = offsetsIn(timeZone);
  const fields = fieldsByUse(kind);
  const measured = entries.map((entry): Measured => {
    const status = numberIn(entry, fields.status);
    return {
      entry,
      time: millisecondsOf(fieldOf(entry, TIME_FIELD)) ?? Number.NaN,
      count: countIn(entry, fields.count),
      status,
      isFailed: fields.outcome ? hasFailed(entry, fields.outcome, refusedFails) : isFailure(status, failsFrom),
      elapsed: numberIn(entry, fields.elapsed),
      duration: numberIn(entry, fields.duration),
    };
  });
  const failed = measured.filter(({ isFailed }) => isFailed);
  const range = rangeOf(measured);
  const complete = searchedTo === undefined || (since !== undefined && searchedTo <= since);
  const period = periodFrom({ since: complete ? since : searchedTo, until }, range);
  const first = complete ? rangeOf(failed)?.from : undefined;
  const elapsed = spreadOf(measured.map((entry) => entry.elapsed));
  const duration = spreadOf(measured.map((entry) => entry.duration));
  const statuses = [...tally(failed, ({ status }) => (Number.isNaN(status) ? undefined : status))].map(
    ([status, count]) => ({ status, count }),
  );
  return {
    kind,
    count: countOf(measured),
    complete,
    ...(period && { period }),
    ...(fields.canFail && {
      failures: {
        count: countOf(failed),
        byStatus: failingStatuses(statuses, failsFrom),
        ...(fields.outcome && { byReason: namesIn(failed, fields.cause) }),
        where: namesIn(failed, fields.culprit),
        ...(fields.node && { nodes: namesIn(failed, fields.node) }),
        ...(first !== undefined && { first }),
      },
    }),
    ...(elapsed && { elapsed }),
    ...(duration && { duration }),
    ...(fields.channel && { channels: namesIn(measured, fields.channel) }),
    bytes: fields.bytes.map(({ title, field }) => {
      return { title, field, total: entries.reduce<number>((sum, entry) => sum + (numberIn(entry, field) || 0), 0) };
    }),
    ...(by && { groups: groupsOf(measured, by, fields.canFail) }),
    overTime: bucketsOf(measured, periodFrom({ since, until }, range), { period, complete, offsetAt }),
  };
}

/** The requested period, or the part of it that the entries cover. */
function periodFrom(
  { since, until }: Pick<SummarizeOptions, "since" | "until">,
  range: Period | undefined,
): Period | undefined {
  // The end is excluded, and the newest entry is not.
  const [from, to] = [since ?? range?.from, until ?? (range && range.to + 1)];
  if (from === undefined || Number.isNaN(from)) return undefined;
  return { from, to: Math.max(to ?? Number.NaN, from) || from };
}

function bucketsOf(
  entries: readonly Measured[],
  requested: Period | undefined,
  { period, complete, offsetAt }: { period: Period | undefined; complete: boolean; offsetAt: OffsetAt },
): Bucket[] {
  if (!requested) return [];
  const bounds = bucketBounds(requested.from, requested.to, offsetAt);
  return bounds.slice(1).map((to, at) => {
    const from = bounds[at] ?? to;
    const inside = entries.filter(({ time }) => time >= from && time < to);
    const elapsed = spreadOf(inside.map((entry) => entry.elapsed));
    const failed = countOf(inside.filter(({ isFailed }) => isFailed));
    const isKnown = isSearched({ from, to }, period, complete);
    return { from, to, count: countOf(inside), failed, ...(elapsed && { elapsed }), complete: isKnown };
  });
}

/** The groups, the worst first. */
function groupsOf(entries: readonly Measured[], by: readonly GroupField[], canFail: boolean): Groups {
  const found = new Map<string, { by: Group["by"]; entries: Measured[] }>();
  for (const measured of entries) {
    const values = Object.fromEntries(by.map((field) => [field, valueIn(measured, field)]));
    const key = JSON.stringify(values);
    const group = found.get(key);
    if (group) group.entries.push(measured);
    else found.set(key, { by: values, entries: [measured] });
  }
  const all = [...found.values()].map(({ by, entries: inside }): Group => {
    const elapsed = spreadOf(inside.map((entry) => entry.elapsed));
    const failed = countOf(inside.filter(({ isFailed }) => isFailed));
    return { by, count: countOf(inside), ...(canFail && { failed }), ...(elapsed && { elapsed }) };
  });
  const sorted = all.sort((a, b) => (b.failed ?? 0) - (a.failed ?? 0) || b.count - a.count);
  return { by, all: sorted.slice(0, MOST_GROUPS), omitted: Math.max(sorted.length - MOST_GROUPS, 0) };
}

function valueIn({ entry, isFailed }: Measured, field: GroupField): string | number | boolean | null {
  if (field === "failed") return isFailed;
  if (field === "from") return programIn(fieldOf(entry, "url"));
  const value = fieldOf(entry, field);
  return typeof value === "string" || typeof value === "number" ? value : null;
}

/** The program that made a call, as it named itself in the URL. */
function programIn(url: unknown): string | null {
  return typeof url === "string" ? new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]).get("from") : null;
}

function numberIn(entry: unknown, field: string | undefined): number {
  const value = fieldOf(entry, field);
  return typeof value === "number" && Number.isFinite(value) ? value : Number.NaN;
}

function hasFailed(entry: unknown, field: string, refusedFails: boolean): boolean {
  const outcome = fieldOf(entry, field);
  return typeof outcome === "string" && outcome !== "ok" && (refusedFails || outcome !== "refused");
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

function namesIn(entries: readonly Measured[], field: string | undefined): Tally[] {
  const counts = tally(entries, ({ entry }) => nameOf(fieldOf(entry, field)));
  return mostFrequent([...counts].map(([name, count]) => ({ name, count })));
}

function rangeOf(entries: readonly Measured[]): Period | undefined {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { time } of entries) {
    if (time < from) from = time;
    if (time > to) to = time;
  }
  return from <= to ? { from, to } : undefined;
}

/** By nearest rank, so that each value was actually measured. NaN values are ignored. */
function spreadOf(values: readonly number[]): Spread | undefined {
  const known = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  if (known.length === 0) return undefined;
  const rank = (part: number): number => known[Math.ceil(part * known.length) - 1] ?? Number.NaN;
  return { p50: rank(0.5), p95: rank(0.95), p99: rank(0.99), max: rank(1) };
}
