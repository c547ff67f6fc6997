import type { CountLogsRequest, ListSessionLogsRequest, LogCount, LogCounts } from "@media-ops/contract";
import { type LogKind, MAX_ENTRIES } from "../operations.js";
import { timeKey } from "../time.js";
import { matches, readField } from "../where.js";
import { toBase64Url } from "./answers.js";

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

const WINDOW_MS = 30 * 24 * 60 * 60 * 1000;
const keyAt = (ms: number): string => timeKey(new Date(ms)) ?? "";

/** The entries of the last 30 days, the newest first at full precision; of the same time, the last added first. */
export function newest(rows: readonly Row[], now: number): Row[] {
  const start = keyAt(now - WINDOW_MS);
  return rows
    .filter(({ at }) => at === "" || at >= start)
    .sort((a, b) => (a.at === b.at ? b.seq - a.seq : a.at < b.at ? 1 : -1));
}

/** The position that a cursor of this question stands for; undefined for a cursor of another question. */
export function readCursor(kind: LogKind, search: Search): Cursor | undefined {
  try {
    const [question, cursor] = JSON.parse(atob((search.cursor ?? "").replaceAll("-", "+").replaceAll("_", "/")));
    return question === questionOf(kind, search, "read" in cursor) ? cursor : undefined;
  } catch {
    return undefined;
  }
}

function writeCursor(kind: LogKind, search: Search, cursor: Cursor): string {
  return toBase64Url(JSON.stringify([questionOf(kind, search, "read" in cursor), cursor]));
}

/** A short text that is the same for the same question. */
function questionOf(
  kind: LogKind,
  { where = {}, since, until, order = "newest" }: Search,
  isFollowing: boolean,
): number {
  let hash = 0;
  for (const character of JSON.stringify([kind, where, since, until, isFollowing || order])) {
    hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) | 0;
  }
  return hash;
}

function matcherOf({ where = {}, since, until }: Search): (row: Row) => boolean {
  const start = timeKey(since) ?? "";
  const end = timeKey(until) ?? "~";
  return ({ at, entry }) => at >= start && at < end && matches(where, entry);
}

/** A page of a search. */
export function searchPage(
  kind: LogKind,
  rows: readonly Row[],
  search: Search,
  { after, now, maxScanned }: { after: { at: string; seq: number } | undefined; now: number; maxScanned: number },
): Page {
  const { limit = MAX_ENTRIES, order = "newest", since, until } = search;
  const isMatch = matcherOf(search);
  const ordered = order === "newest" ? newest(rows, now) : newest(rows, now).reverse();
  const start = after ? ordered.findIndex((row) => isBehind(row, after, order)) : 0;
  const left = start < 0 ? [] : ordered.slice(start);
  const entries: object[] = [];
  let scanned = 0;
  for (const row of left) {
    if (entries.length === limit || scanned === maxScanned) break;
    if (isMatch(row)) entries.push(row.entry);
    scanned += 1;
  }
  const last = left[scanned - 1];
  const hasMore = last !== undefined && left.slice(scanned).some((row) => isInRange(row, search));
  const first = [timeKey(since) ?? "", keyAt(now - WINDOW_MS)].sort().at(-1);
  const end = order === "newest" ? first : [timeKey(until) ?? "~", keyAt(now)].sort().at(0);
  const isFirst = after === undefined && order === "newest" && until === undefined;
  return {
    entries,
    headers: {
      "x-searched-to": `${hasMore ? last.at || first : end}Z`,
      ...(hasMore && { "x-next-cursor": writeCursor(kind, search, { at: last.at, seq: last.seq }) }),
      ...(isFirst && { "x-follow-cursor": writeCursor(kind, search, { read: rows.length }) }),
    },
  };
}

const isInRange = ({ at }: Row, { since, until }: Search): boolean =>
  at >= (timeKey(since) ?? "") && at < (timeKey(until) ?? "~");

function isBehind(row: Row, { at, seq }: { at: string; seq: number }, order: "newest" | "oldest"): boolean {
  const [a, b] = order === "newest" ? [row, { at, seq }] : [{ at, seq }, row];
  return a.at === b.at ? a.seq < b.seq : a.at < b.at;
}

/** What was added after the first `read` entries, in that order. */
export function newPage(kind: LogKind, rows: readonly Row[], search: Search, read: number): Page {
  const fresh = rows
    .slice(read)
    .filter(matcherOf(search))
    .slice(0, search.limit ?? MAX_ENTRIES);
  const isFull = fresh.length === (search.limit ?? MAX_ENTRIES);
  const end = (isFull && fresh.at(-1)?.seq) || rows.length;
  return {
    entries: fresh.map(({ entry }) => entry),
    headers: { "x-next-cursor": writeCursor(kind, search, { read: end }) },
  };
}

/** The answer of a count. Percentiles are exact. */
export function countLogs(rows: readonly Row[], request: CountLogsRequest, now: number): LogCounts {
  const { kind, by, top = 100, every, offset = 0 } = request;
  const isMatch = matcherOf(request);
  const since = [timeKey(request.since) ?? "", keyAt(now - WINDOW_MS)].sort().at(-1) ?? "";
  const counted = rows
    .filter((row) => row.at >= since && isMatch(row))
    .map(({ entry, at }) => ({ entry: { ...entry }, at }));
  const groups = new Map<string, object[]>();
  const periods = new Map<number, object[]>();
  for (const { entry, at } of counted) {
    if (by) add(groups, JSON.stringify(by.map((field) => readField(entry, field) ?? null)), entry);
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
  return {
    since: `${since}Z`,
    until: `${timeKey(request.until) ?? keyAt(now)}Z`,
    complete: true,
    total: sum(
      kind,
      counted.map(({ entry }) => entry),
    ),
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
  const weight = (entry: object): number => Number(readField({ ...entry }, "count") ?? 1);
  const weigh = (some: readonly object[]): number => some.reduce((sum: number, entry) => sum + weight(entry), 0);
  const hasLife = kind === "sessions" || kind === "connections";
  const elapsed = percentiles(numbers("elapsed_time_ms"));
  const durations = percentiles(numbers("duration_min"));
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
