import type {
  CountLogsRequest,
  ListSessionLogsRequest,
  LogCount,
  LogCounts,
  LogKind,
  ProblemError,
} from "@media-ops/contract";
import { MAX_ENTRIES } from "../api.js";
import { WINDOW_MS } from "../search.js";
import { timeKey } from "../time.js";
import { matches, readField } from "../where.js";

/** An entry as the fake keeps it. */
export interface Row {
  entry: { timestamp: string };
  /** The sorting text of its time; empty if it has none, which makes it the oldest. */
  at: string;
  /** How many entries its log had when it was added. */
  seq: number;
}

/** What a listing asks for, after validation. */
export type Search = Omit<ListSessionLogsRequest, "where"> & { where?: object };

/** An answer of a search. */
export interface Page {
  entries: object[];
  headers: Record<string, string>;
}

/** A place in a log: of a page in an order, or the number of entries that a follower has read. */
type Cursor = { at: string; seq: number } | { read: number };

const keyAt = (ms: number): string => timeKey(new Date(ms)) ?? "";
const latest = (...keys: string[]): string => keys.sort().at(-1) ?? "";

/** The entries of the last 30 days, the newest first at full precision; of the same time, the last added first. */
export function newest(rows: readonly Row[], now: number): Row[] {
  const start = keyAt(now - WINDOW_MS);
  return rows
    .filter(({ at }) => at === "" || at >= start)
    .sort((a, b) => (a.at === b.at ? b.seq - a.seq : a.at < b.at ? 1 : -1));
}

const writeCursor = (cursor: Cursor): string => encodeURIComponent(JSON.stringify(cursor));

function readCursor(text: string): Cursor | undefined {
  try {
    return JSON.parse(decodeURIComponent(text));
  } catch {
    return undefined;
  }
}

/** A page of a search, the place from which to follow a log, or the fault of a search. */
export function searchOf(
  rows: readonly Row[],
  search: Search,
  { now, maxScanned }: { now: number; maxScanned: number },
): Page | { read: number } | ProblemError {
  const cursor = search.cursor === undefined ? undefined : readCursor(search.cursor);
  if (search.cursor !== undefined && !cursor) {
    return { pointer: "/cursor", detail: "Is not a cursor of this log." };
  }
  if (cursor && "read" in cursor) return cursor;
  if (search.wait_s !== undefined) return { pointer: "/wait_s", detail: "Needs a cursor that follows the log." };
  return searchPage(rows, search, { after: cursor, now, maxScanned });
}

function matcherOf({ where = {}, since, until }: Partial<Search>): (row: Row) => boolean {
  const [start, end] = [timeKey(since) ?? "", timeKey(until) ?? "~"];
  return ({ at, entry }) => at >= start && at < end && matches(where, entry);
}

function searchPage(
  rows: readonly Row[],
  search: Search,
  { after, now, maxScanned }: { after: { at: string; seq: number } | undefined; now: number; maxScanned: number },
): Page {
  const { limit = MAX_ENTRIES, order = "newest", since, until } = search;
  const isNewest = order === "newest";
  const ordered = isNewest ? newest(rows, now) : newest(rows, now).reverse();
  const isBehind = ({ at, seq }: Row): boolean => {
    if (!after) return true;
    return (at === after.at ? seq < after.seq : at < after.at) === isNewest && (at !== after.at || seq !== after.seq);
  };
  const left = ordered.filter(isBehind);
  const isMatch = matcherOf(search);
  const entries: object[] = [];
  let scanned = 0;
  for (const row of left) {
    if (entries.length === limit || scanned === maxScanned) break;
    if (isMatch(row)) entries.push(row.entry);
    scanned += 1;
  }
  const last = left[scanned - 1];
  const hasMore = last !== undefined && left.slice(scanned).some(matcherOf({ ...search, where: {} }));
  const first = latest(timeKey(since) ?? "", keyAt(now - WINDOW_MS));
  const end = isNewest ? first : [timeKey(until) ?? "~", keyAt(now)].sort().at(0);
  const isFirst = after === undefined && isNewest && until === undefined;
  return {
    entries,
    headers: {
      "x-searched-to": `${hasMore ? last.at || first : end}Z`,
      ...(hasMore && { "x-next-cursor": writeCursor({ at: last.at, seq: last.seq }) }),
      ...(isFirst && { "x-follow-cursor": writeCursor({ read: rows.length }) }),
    },
  };
}

/** What was added after the first `read` entries, in that order. */
export function newPage(rows: readonly Row[], search: Search, read: number): Page {
  const { limit = MAX_ENTRIES } = search;
  const fresh = rows.slice(read).filter(matcherOf(search)).slice(0, limit);
  const end = (fresh.length === limit && fresh.at(-1)?.seq) || rows.length;
  return {
    entries: fresh.map(({ entry }) => entry),
    headers: { "x-next-cursor": writeCursor({ read: end }) },
  };
}

/** The answer of a count. Percentiles are exact. */
export function countOf(rows: readonly Row[], request: CountLogsRequest, now: number): LogCounts {
  const { kind, by, top = 100, every, offset = 0 } = request;
  const since = latest(timeKey(request.since) ?? "", keyAt(now - WINDOW_MS));
  const isMatch = matcherOf(request);
  const counted = rows.filter((row) => row.at >= since && isMatch(row));
  const groups = new Map<string, object[]>();
  const periods = new Map<number, object[]>();
  for (const { entry, at } of counted) {
    if (by) add(groups, JSON.stringify(by.map((field) => readField({ ...entry }, field) ?? null)), entry);
    const second = Math.floor(Date.parse(`${at}Z`) / 1000);
    if (every) add(periods, Math.floor((second + offset) / every) * every - offset, entry);
  }
  const ranked = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entries]) => {
      const values: (string | number | boolean | null)[] = JSON.parse(key);
      return {
        by: Object.fromEntries((by ?? []).map((field, i) => [field, values[i] ?? null])),
        ...sum(kind, entries),
      };
    })
    .sort((a, b) => (b.failed ?? 0) - (a.failed ?? 0) || b.entries - a.entries);
  const total = sum(
    kind,
    counted.map(({ entry }) => entry),
  );
  return {
    since: `${since}Z`,
    until: `${timeKey(request.until) ?? keyAt(now)}Z`,
    complete: true,
    total,
    groups: ranked.slice(0, top),
    omitted_groups: Math.max(0, ranked.length - top),
    periods: [...periods]
      .sort(([a], [b]) => a - b)
      .map(([start, entries]) => ({ start: `${keyAt(start * 1000)}Z`, ...sum(kind, entries) })),
  };
}

function add<Key>(map: Map<Key, object[]>, key: Key, entry: object): void {
  const entries = map.get(key);
  if (entries) entries.push(entry);
  else map.set(key, [entry]);
}

function sum(kind: LogKind, entries: readonly object[]): LogCount {
  const numbers = (field: string): number[] =>
    entries.map((entry) => readField({ ...entry }, field)).filter((value) => typeof value === "number");
  const total = (field: string): number => numbers(field).reduce((a, b) => a + b, 0);
  const weigh = (some: readonly object[]): number =>
    some.reduce((sum: number, entry) => sum + Number(readField({ ...entry }, "count") ?? 1), 0);
  const hasLife = kind === "sessions" || kind === "connections";
  const [elapsed, durations] = [numbers("elapsed_time_ms"), numbers("duration_min")].map(percentiles);
  return {
    entries: entries.length,
    count: weigh(entries),
    ...(!hasLife && { failed: weigh(entries.filter((entry) => readField({ ...entry }, "failed"))) }),
    ...(kind === "connections" && {
      received_bytes: total("total_received_bytes"),
      sent_bytes: total("total_sent_bytes"),
    }),
    ...(hasLife && { minutes: total("duration_min") }),
    ...(!hasLife && elapsed && { elapsed_ms: elapsed }),
    ...(hasLife && durations && { duration_min: durations }),
  };
}

function percentiles(values: number[]) {
  const sorted = values.sort((a, b) => a - b);
  const rank = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  if (sorted.length === 0) return undefined;
  return { p50: rank(0.5), p95: rank(0.95), p99: rank(0.99), max: rank(1) };
}
