import type { CountLogsRequest, LogKind } from "@media-ops/sdk";
import { columnsOf, rowOf, type ValueKind } from "./columns.js";
import { isFailure } from "./values/show.js";

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
  const first = (as: ValueKind): string | undefined =>
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

/** The most frequent names. */
export function mostFrequent(tallies: readonly Tally[]): Tally[] {
  return [...tallies].sort((a, b) => b.count - a.count).slice(0, TOP);
}

/** The failing statuses, most frequent first. */
export function failingStatuses(all: readonly { status: number; count: number }[], failsFrom: number) {
  return all.filter(({ status }) => isFailure(status, failsFrom)).sort((a, b) => b.count - a.count);
}

/** Whether a part of a period was searched; the parts before the requested start hold nothing that was asked for. */
export const isSearched = ({ from }: Period, searched: Period | undefined, complete: boolean): boolean =>
  complete || searched === undefined || from >= searched.from;
