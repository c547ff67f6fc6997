import type { LogCount, LogCountGroup, LogCounts, LogKind } from "@media-ops/sdk";
import type { Periods } from "./buckets.js";
import {
  type Bucket,
  failingStatuses,
  fieldsByUse,
  type Group,
  type GroupField,
  isSearched,
  mostFrequent,
  type Period,
  type Summary,
  type Tally,
} from "./summary.js";
import { fieldOf, textOf } from "./values/text.js";
import { millisecondsOf } from "./values/time.js";

/** A service's counts of one period. */
export interface CountedLog {
  /** All entries, by period of time, and by group if groups were requested. */
  whole: LogCounts;
  /** The entries of the period before. */
  before?: LogCounts | undefined;
  /** The failed entries by status or, of events, by reason. */
  causes?: LogCounts | undefined;
  /** The failed entries by URL, operation, type of webhook, or client. */
  culprits?: LogCounts | undefined;
  /** The failed entries by node. */
  nodes?: LogCounts | undefined;
  /** All entries by channel. */
  channels?: LogCounts | undefined;
  /** The first failed entry. */
  firstFailed?: unknown;
}

export interface SummaryOfOptions {
  /** The periods that were counted, as `periodsOf` made them. @default none */
  periods?: Periods | undefined;
  /** The fields of the groups. @default none */
  by?: readonly GroupField[] | undefined;
  /** The lowest failing status of `causes`. @default 400 */
  failsFrom?: number | undefined;
}

/** The summary of entries that a service counted. */
export function summaryOf(kind: LogKind, counted: CountedLog, options: SummaryOfOptions = {}): Summary {
  const { periods, by, failsFrom = 400 } = options;
  const { whole, before, causes, culprits, nodes, channels, firstFailed } = counted;
  const { total } = whole;
  const fields = fieldsByUse(kind);
  // If only statuses show what failed, their range is what is known.
  const isByStatus = failsFrom !== 400 && causes !== undefined;
  const complete = whole.complete && (!isByStatus || causes.complete);
  const period = periodIn(isByStatus && whole.complete ? causes : whole);
  const first = millisecondsOf(fieldOf(firstFailed, "timestamp"));
  return {
    kind,
    count: total.count,
    complete,
    ...(period && { period }),
    ...(before && complete && before.complete && { before: countsIn(before.total) }),
    ...(fields.canFail && {
      failures: {
        count: (failsFrom === 400 ? total.failed : causes?.total.count) ?? 0,
        byStatus: failingStatuses(statusesIn(causes), failsFrom),
        ...(fields.outcome && { byReason: namesIn(causes, fields.cause) }),
        where: namesIn(culprits, fields.culprit),
        ...(fields.node && { nodes: namesIn(nodes, fields.node) }),
        ...(first !== undefined && { first }),
      },
    }),
    ...(fields.elapsed && total.elapsed_ms && { elapsed: total.elapsed_ms }),
    ...(total.duration_min && { duration: total.duration_min }),
    ...(channels && { channels: namesIn(channels, fields.channel) }),
    bytes: fields.bytes.map(({ title, field }) => ({ title, field, total: bytesIn(total, field) })),
    ...(by && {
      groups: { by, all: whole.groups.map((group) => groupOf(group, fields)), omitted: whole.omitted_groups },
    }),
    overTime: periods ? bucketsOf(whole, { periods, searched: period, ...fields }) : [],
  };
}

function periodIn({ since, until }: LogCounts): Period | undefined {
  const [from, to] = [millisecondsOf(since), millisecondsOf(until)];
  return from === undefined || to === undefined ? undefined : { from, to };
}

const countsIn = ({ count, failed }: LogCount) => ({ count, ...(failed !== undefined && { failed }) });

const bytesIn = ({ received_bytes = 0, sent_bytes = 0 }: LogCount, field: string): number =>
  field === "total_received_bytes" ? received_bytes : field === "total_sent_bytes" ? sent_bytes : 0;

/** The groups; of an incomplete count, others may be more frequent. */
const known = (counts: LogCounts | undefined): readonly LogCountGroup[] => (counts?.complete ? counts.groups : []);

function statusesIn(counts: LogCounts | undefined): { status: number; count: number }[] {
  return known(counts).flatMap(({ by: { status }, count }) => (typeof status === "number" ? [{ status, count }] : []));
}

function namesIn(counts: LogCounts | undefined, field: string | undefined): Tally[] {
  const tallies = known(counts).flatMap(({ by, count }): Tally[] => {
    const name = fieldOf(by, field);
    return name === undefined || name === null ? [] : [{ name: typeof name === "string" ? name : textOf(name), count }];
  });
  return mostFrequent(tallies);
}

/** Of events, how long a connection had existed is no processing time. */
type Elapsed = Pick<ReturnType<typeof fieldsByUse>, "elapsed">;

function groupOf({ by, elapsed_ms, ...counts }: LogCountGroup, { elapsed }: Elapsed): Group {
  return { by, ...countsIn(counts), ...(elapsed && elapsed_ms && { elapsed: elapsed_ms }) };
}

/** Every period, also those that a service leaves out because they have no entries. */
function bucketsOf(
  { periods: counted, complete }: LogCounts,
  { periods: { bounds }, searched, elapsed }: Elapsed & { periods: Periods; searched: Period | undefined },
): Bucket[] {
  const byStart = new Map(counted.map((period) => [millisecondsOf(period.start), period]));
  return bounds.slice(0, -1).map((from, at): Bucket => {
    const to = bounds[at + 1] ?? from;
    const { count = 0, failed = 0, elapsed_ms } = byStart.get(from) ?? {};
    const isKnown = isSearched({ from, to }, searched, complete);
    return { from, to, count, failed, ...(elapsed && elapsed_ms && { elapsed: elapsed_ms }), complete: isKnown };
  });
}
