import {
  type FieldContent,
  type LogCount,
  type LogCountGroup,
  type LogCounts,
  type LogKind,
  readTimestamp,
} from "@media-ops/contract";
import type { CountLogsRequest } from "@media-ops/sdk";
import {
  columnsOf,
  DAY,
  fieldOf,
  HOUR,
  isFailure,
  jsonOf,
  MINUTE,
  type OffsetAt,
  offsetsIn,
  rowOf,
  SECOND,
  TIME_FIELD,
} from "./entries/index.js";

/** How often a name occurs. */
export interface Tally {
  name: string;
  count: number;
}

/** A period of time in milliseconds since 1970. */
export interface Period {
  from: number;
  /** Excluded. */
  to: number;
}

/** A summary of many entries: counted by a service, or made from listed entries. */
export interface Summary {
  kind: LogKind;
  /** The number of calls; an entry of the API log may represent several. */
  count: number;
  /** Whether the whole requested period was searched; if not, older entries are missing. */
  complete: boolean;
  /** The period that was searched; absent if neither a period was requested nor an entry has a time. */
  period?: Period;
  /** The period of the same length before it. Only of complete, counted summaries. */
  before?: { count: number; failed?: number };
  /** Whether only failed entries were requested, or only others. */
  only?: "failed" | "ok";
  /** Whether the calls of tools, such as the bot, are left out of the API log. */
  isWithoutTools?: boolean;
  /** Only for kinds with a status or an outcome. */
  failures?: {
    count: number;
    /** The failing statuses, most frequent first. */
    byStatus: { status: number; count: number }[];
    /** The reasons of events that failed, most frequent first; absent for other kinds. */
    byReason?: Tally[];
    /** The URLs, operations, types of webhooks, or clients that failed most. */
    where: Tally[];
    /** The nodes with the most failures, for kinds that have a node. */
    nodes?: Tally[];
    /** The time of the first one in milliseconds since 1970, if it is known. */
    first?: number;
  };
  /** Processing times in milliseconds, for kinds that have them. */
  elapsed?: Spread;
  /** Durations in minutes, for kinds that have them. */
  duration?: Spread;
  /** The channels with the most entries, for kinds that have a channel. */
  channels?: Tally[];
  /** The sum of each field of bytes. */
  bytes: { title: string; field: string; total: number }[];
  /** The requested groups, those with the most failures first. */
  groups?: Groups;
  /** At most twenty consecutive periods, oldest first. */
  overTime: Bucket[];
}

/** A field by which entries can be grouped. */
export type GroupField = NonNullable<CountLogsRequest["by"]>[number];

/** The entries of a summary by one or two fields. */
export interface Groups {
  by: readonly GroupField[];
  all: Group[];
  /** How many more groups there are. */
  omitted: number;
}

/** The entries with the same values. */
export interface Group {
  /** The values by field; null for entries without the field. */
  by: Readonly<Record<string, string | number | boolean | null>>;
  count: number;
  /** Only for kinds with a status or an outcome. */
  failed?: number;
  /** The processing times, for kinds that have them. */
  elapsed?: Spread;
}

/** A part of the period, and the entries in it. */
export interface Bucket extends Period {
  count: number;
  failed: number;
  /** The processing times. */
  elapsed?: Spread;
  /** Whether all of it was searched; if not, there may be more entries. */
  complete: boolean;
}

/** The distribution of values: half of them are at most `p50`, 95 of 100 at most `p95`. */
export interface Spread {
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

/** The length of a list of the most frequent names. */
export const TOP = 5;

/** How many groups a summary has. */
export const MOST_GROUPS = 10;

/** The field for each purpose, by the kinds of the columns. */
export function fieldsByUse(kind: LogKind) {
  const all = columnsOf(kind);
  const first = (as: FieldContent): string | undefined =>
    all.find((column) => column.as === as && column.in === "table")?.field;
  const [status, outcome] = [first("status"), first("outcome")];
  return {
    status,
    outcome,
    /** Whether entries can fail. */
    canFail: status !== undefined || outcome !== undefined,
    /** What explains a failure, and is counted. */
    cause: status ?? (outcome && "reason"),
    elapsed: first("milliseconds"),
    duration: first("minutes"),
    channel: first("channel"),
    culprit: outcome ? "client_id" : (first("address") ?? first("text")),
    node: outcome && "node_name",
    // Other kinds count connections; this field is for entries that represent several calls.
    count: rowOf(kind).optionalColumns.find(({ as }) => as === "count")?.field,
    bytes: all.filter(({ as }) => as === "bytes"),
  };
}

/** The numbers of some entries. */
type Figures = Omit<LogCount, "entries">;

/** Counts of entries in a period: made by a service, or of entries at hand. */
export interface Counts {
  period: Period | undefined;
  /** Whether all entries of the period were counted. */
  complete: boolean;
  total: Figures;
  groups: readonly (Figures & Pick<LogCountGroup, "by">)[];
  omitted_groups: number;
  /** The periods with entries, by their start in milliseconds since 1970. */
  periods: ReadonlyMap<number, Figures>;
}

/** A service's counts. */
export function countsIn({ since, until, periods, ...counts }: LogCounts): Counts {
  const [from, to] = [readTimestamp(since), readTimestamp(until)];
  return {
    ...counts,
    period: from === undefined || to === undefined ? undefined : { from, to },
    periods: new Map(periods.map((period) => [readTimestamp(period.start) ?? Number.NaN, period])),
  };
}

/** What a summary is made of. */
interface CountedLog {
  /** All entries, by period of time, and by group if groups were requested. */
  whole: Counts;
  /** The entries of the period before. */
  before?: Counts | undefined;
  /** The failed entries by status or, of events, by reason. */
  causes?: Counts | undefined;
  /** The failed entries by URL, operation, type of webhook, or client. */
  culprits?: Counts | undefined;
  /** The failed entries by node. */
  nodes?: Counts | undefined;
  /** All entries by channel. */
  channels?: Counts | undefined;
  /** The time of the first failed entry in milliseconds since 1970. */
  firstFailed?: number | undefined;
}

interface SummaryOfOptions {
  /** The start of each period of time, and the end of the last one. @default none */
  bounds?: readonly number[] | undefined;
  /** The fields of the groups. @default none */
  by?: readonly GroupField[] | undefined;
  /** The lowest failing status of `causes`. @default 400 */
  failsFrom?: number | undefined;
}

/** The summary of entries that were counted. */
export function summaryOf(kind: LogKind, counted: CountedLog, options: SummaryOfOptions = {}): Summary {
  const { bounds = [], by, failsFrom = 400 } = options;
  const { whole, before, causes, culprits, nodes, channels, firstFailed } = counted;
  const { total } = whole;
  const fields = fieldsByUse(kind);
  // If only statuses show what failed, their range is what is known.
  const isByStatus = failsFrom !== 400 && causes !== undefined;
  const complete = whole.complete && (!isByStatus || causes.complete);
  const { period } = isByStatus && whole.complete ? causes : whole;
  return {
    kind,
    count: total.count,
    complete,
    ...(period && { period }),
    ...(before && complete && before.complete && { before: amountIn(before.total) }),
    ...(fields.canFail && {
      failures: {
        count: (failsFrom === 400 ? total.failed : causes?.total.count) ?? 0,
        byStatus: statusesIn(causes, failsFrom),
        ...(fields.outcome && { byReason: namesIn(causes, fields.cause) }),
        where: namesIn(culprits, fields.culprit),
        ...(fields.node && { nodes: namesIn(nodes, fields.node) }),
        ...(firstFailed !== undefined && { first: firstFailed }),
      },
    }),
    ...(fields.elapsed && total.elapsed_ms && { elapsed: total.elapsed_ms }),
    ...(total.duration_min && { duration: total.duration_min }),
    ...(channels && { channels: namesIn(channels, fields.channel) }),
    bytes: fields.bytes.map(({ title, field }) => ({ title, field, total: bytesIn(total, field) })),
    ...(by && { groups: { by, all: whole.groups.map((one) => groupOf(one, fields)), omitted: whole.omitted_groups } }),
    overTime: bucketsOf(whole, bounds, period, fields),
  };
}

const amountIn = ({ count, failed }: Figures) => ({ count, ...(failed !== undefined && { failed }) });

const bytesIn = ({ received_bytes = 0, sent_bytes = 0 }: Figures, field: string): number =>
  field === "total_received_bytes" ? received_bytes : field === "total_sent_bytes" ? sent_bytes : 0;

/** The groups; of an incomplete count, others may be more frequent. */
const known = (counts: Counts | undefined): Counts["groups"] => (counts?.complete ? counts.groups : []);

/** The failing statuses, most frequent first. */
function statusesIn(counts: Counts | undefined, failsFrom: number): { status: number; count: number }[] {
  return known(counts)
    .flatMap(({ by: { status }, count }) => (typeof status === "number" ? [{ status, count }] : []))
    .filter(({ status }) => isFailure(status, failsFrom))
    .sort((a, b) => b.count - a.count);
}

function namesIn(counts: Counts | undefined, field: string | undefined): Tally[] {
  const tallies = known(counts).flatMap(({ by, count }): Tally[] => {
    const name = nameIn(by, field);
    return name === undefined ? [] : [{ name, count }];
  });
  return mostFrequent(tallies);
}

/** The value of a field as a name; `undefined` if it is missing. */
function nameIn(thing: unknown, field: string | undefined): string | undefined {
  const value = fieldOf(thing, field);
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : (jsonOf(value) ?? typeof value);
}

/** The most frequent names. */
export const mostFrequent = (tallies: readonly Tally[]): Tally[] =>
  [...tallies].sort((a, b) => b.count - a.count).slice(0, TOP);

/** Of events, how long a connection had existed is no processing time. */
type Elapsed = Pick<ReturnType<typeof fieldsByUse>, "elapsed">;

function groupOf({ by, elapsed_ms, ...figures }: Counts["groups"][number], { elapsed }: Elapsed): Group {
  return { by, ...amountIn(figures), ...(elapsed && elapsed_ms && { elapsed: elapsed_ms }) };
}

/** Every period, also those without entries. */
function bucketsOf(
  { periods, complete }: Counts,
  bounds: readonly number[],
  searched: Period | undefined,
  { elapsed }: Elapsed,
): Bucket[] {
  return bounds.slice(0, -1).map((from, at): Bucket => {
    const { count = 0, failed = 0, elapsed_ms } = periods.get(from) ?? {};
    // What is before the requested start holds nothing that was asked for.
    const isKnown = complete || searched === undefined || from >= searched.from;
    return {
      from,
      to: bounds[at + 1] ?? from,
      count,
      failed,
      ...(elapsed && elapsed_ms && { elapsed: elapsed_ms }),
      complete: isKnown,
    };
  });
}

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
      time: readTimestamp(fieldOf(entry, TIME_FIELD)) ?? Number.NaN,
      count: callsIn(entry, fields.count),
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
  const bounds = requested ? bucketsFrom(requested.from, requested.to, offsetAt).bounds : [];
  const groups = by ? groupsOf(all, by, valueIn).sort((a, b) => b.failed - a.failed || b.count - a.count) : [];
  const readField = ({ entry }: Measured, field: string): Value | undefined => {
    if (field !== status) return nameIn(entry, field);
    const number = numberIn(entry, field);
    return Number.isNaN(number) ? undefined : number;
  };
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
function callsIn(entry: unknown, field: string | undefined): number {
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

/** The maximum number of categories of a chart in Slack. */
const MOST = 20;

/** Common durations, so that buckets start at round times. */
const LENGTHS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2].map((count) => count * DAY),
];

/** Periods that follow one another. */
export interface Periods {
  /** Their length in milliseconds; clocks that change make one of them shorter or longer. */
  length: number;
  /** How far the zone's clocks are ahead of UTC at the start, in milliseconds. */
  offset: number;
  /** The start of each, and the end of the last one. */
  bounds: number[];
}

/**
 * At most twenty buckets, which start at round times of the zone.
 *
 * @param until the excluded end: a period until midnight has no part of the next day.
 */
function bucketsFrom(since: number, until: number, offsetAt: OffsetAt): Periods {
  const [first, last] = [asDate(since), asDate(Math.max(until - 1, since))];
  const length = lengthOf(first, last, offsetAt);
  const offset = offsetAt(first);
  const start = Math.floor((first + offset) / length);
  const bounds = Array.from({ length: countOf(first, last, length, offsetAt) + 1 }, (_, at) => {
    const local = (start + at) * length;
    return length > HOUR ? momentOf(local, offsetAt) : local - offset;
  });
  // If a zone skips a whole day, as Samoa did, its hours occur twice.
  return { length, offset, bounds: [...new Set(bounds)] };
}

/**
 * The same for a service, which knows no zones: all have one length, and if clocks change within the period, those after
 * it start at other local times.
 *
 * @throws {RangeError} for an unknown time zone.
 */
export function periodsOf(since: number, until: number, timeZone: string): Periods {
  const offset = offsetsIn(timeZone)(asDate(since));
  return bucketsFrom(since, until, () => offset);
}

// Times outside the range of dates are clamped: no clock shows them, and sums would overflow.
const asDate = (time: number): number => Math.min(Math.max(time, -LAST_DATE), LAST_DATE);
const LAST_DATE = 8.64e15;

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
