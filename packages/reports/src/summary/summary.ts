import type { FieldContent, LogCount, LogCountGroup, LogCounts, LogKind } from "@media-ops/contract";
import type { CountLogsRequest } from "@media-ops/sdk";
import { columnsOf, fieldOf, isFailure, jsonOf, millisecondsOf, rowOf } from "../entries/index.js";

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
  const [from, to] = [millisecondsOf(since), millisecondsOf(until)];
  return {
    ...counts,
    period: from === undefined || to === undefined ? undefined : { from, to },
    periods: new Map(periods.map((period) => [millisecondsOf(period.start) ?? Number.NaN, period])),
  };
}

/** What a summary is made of. */
export interface CountedLog {
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
export function nameIn(thing: unknown, field: string | undefined): string | undefined {
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
