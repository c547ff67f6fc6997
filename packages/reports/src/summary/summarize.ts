import type { LogKind } from "@media-ops/contract";
import { fieldOf, isFailure, millisecondsOf, offsetsIn, TIME_FIELD } from "../entries/index.js";
import { bucketBounds } from "./periods.js";
import {
  type Counts,
  fieldsByUse,
  type GroupField,
  MOST_GROUPS,
  nameIn,
  type Period,
  type Spread,
  type Summary,
  summaryOf,
} from "./summary.js";

/** How entries at hand are summarized. */
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
  const { status, outcome, cause, culprit, node, channel, canFail, ...fields } = fieldsByUse(kind);
  const all = entries.map(
    (entry): Measured => ({
      entry,
      time: millisecondsOf(fieldOf(entry, TIME_FIELD)) ?? Number.NaN,
      count: countIn(entry, fields.count),
      isFailed: outcome ? hasFailed(entry, outcome, refusedFails) : isFailure(numberIn(entry, status), failsFrom),
      elapsed: numberIn(entry, fields.elapsed),
      duration: numberIn(entry, fields.duration),
    }),
  );
  const failed = all.filter(({ isFailed }) => isFailed);
  const range = rangeOf(all);
  const complete = searchedTo === undefined || (since !== undefined && searchedTo <= since);
  const period = periodFrom({ since: complete ? since : searchedTo, until }, range);
  const requested = periodFrom({ since, until }, range);
  const bounds = requested ? bucketBounds(requested.from, requested.to, offsetAt) : [];
  const groups = by ? groupsOf(all, by, valueIn).sort((a, b) => b.failed - a.failed || b.count - a.count) : [];
  const readField = ({ entry }: Measured, field: string) =>
    field === status ? known(numberIn(entry, field)) : nameIn(entry, field);
  const countBy = (some: readonly Measured[], field: string | undefined): Counts => ({
    period,
    complete: true,
    total: figuresOf(some),
    groups: field === undefined ? [] : groupsOf(some, [field], readField),
    omitted_groups: 0,
    periods: new Map(),
  });
  const duration = spreadOf(all.map((one) => one.duration));
  const sumOf = (field: string): number => all.reduce((sum, { entry }) => sum + (numberIn(entry, field) || 0), 0);
  return summaryOf(
    kind,
    {
      whole: {
        period,
        complete,
        total: {
          ...figuresOf(all),
          ...(duration && { duration_min: duration }),
          ...(fields.bytes.length > 0 && {
            received_bytes: sumOf("total_received_bytes"),
            sent_bytes: sumOf("total_sent_bytes"),
          }),
        },
        groups: groups.slice(0, MOST_GROUPS).map(({ failed, ...group }) => ({ ...group, ...(canFail && { failed }) })),
        omitted_groups: Math.max(groups.length - MOST_GROUPS, 0),
        periods: periodsIn(all, bounds),
      },
      causes: countBy(failed, cause),
      culprits: countBy(failed, culprit),
      nodes: countBy(failed, node),
      ...(channel && { channels: countBy(all, channel) }),
      firstFailed: complete ? rangeOf(failed)?.from : undefined,
    },
    { bounds, by, failsFrom },
  );
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

function periodsIn(entries: readonly Measured[], bounds: readonly number[]): Counts["periods"] {
  return new Map(
    bounds.slice(1).map((to, at) => {
      const from = bounds[at] ?? to;
      return [from, figuresOf(entries.filter(({ time }) => time >= from && time < to))];
    }),
  );
}

type Value = string | number | boolean | null;

/** The entries by their values of some fields, in the order of their first entries; without those that have none. */
function groupsOf<Field extends string>(
  entries: readonly Measured[],
  by: readonly Field[],
  read: (measured: Measured, field: Field) => Value | undefined,
) {
  const found = new Map<string, { by: Record<string, Value>; entries: Measured[] }>();
  for (const measured of entries) {
    const values = by.flatMap((field): [string, Value][] => {
      const value = read(measured, field);
      return value === undefined ? [] : [[field, value]];
    });
    if (values.length < by.length) continue;
    const key = JSON.stringify(values);
    const group = found.get(key);
    if (group) group.entries.push(measured);
    else found.set(key, { by: Object.fromEntries(values), entries: [measured] });
  }
  return [...found.values()].map((group) => ({ by: group.by, ...figuresOf(group.entries) }));
}

const known = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

function figuresOf(entries: readonly Measured[]) {
  const elapsed_ms = spreadOf(entries.map(({ elapsed }) => elapsed));
  let [count, failed] = [0, 0];
  for (const one of entries) {
    count += one.count;
    if (one.isFailed) failed += one.count;
  }
  return { count, failed, ...(elapsed_ms && { elapsed_ms }) };
}

function valueIn({ entry, isFailed }: Measured, field: GroupField): Value {
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
