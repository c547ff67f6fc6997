import {
  type CountLogsRequest,
  type ListSessionLogsRequest,
  type LogCount,
  type LogCounts,
  type LogEntryOf,
  type LogKind,
  logPaths,
  type ProblemError,
  type WebhookLogEntry,
} from "@media-ops/contract";
import { MAX_ENTRIES } from "../api.js";
import { pause } from "../retry.js";
import { checkKind, WINDOW_MS } from "../search.js";
import { timeKey } from "../time.js";
import { matches, readField } from "../where.js";

/** A call of an operation, beside its body. */
export interface Call {
  readonly signal: AbortSignal;
  readonly by: string | undefined;
  readonly requestId: string;
  /** The headers of the answer. */
  readonly headers: Record<string, string>;
}

/** An operation of the fake: returns the data of its answer. Its body is what the SDK sends, which is not checked. */
export type Operation = { run(body: object, call: Call): object | Promise<object> }["run"];

/** The refusal of a request because of what is in it, answered with 400. */
export class Refused extends Error {
  readonly faults: readonly ProblemError[];

  constructor(...faults: ProblemError[]) {
    super(faults[0]?.detail);
    this.faults = faults;
  }
}

const SESSION = "7N3DS2KQ4H1WZ9M5XG8TCVB6RY";
/** The id of everything that a test does not name. */
export const CONNECTION = "0J9V6TQ2M4EXK7C3R8ZB5HW1NA";
const TEN_MINUTES_MS = 600_000;

/** A typical entry of each kind at a given time; tests override single fields. */
function typicalEntries(at: number, projectId: string): { [K in LogKind]: LogEntryOf<K> } {
  const timestamp = new Date(at).toISOString();
  const inLobby = { timestamp, channel_id: `lobby@${projectId}`, session_id: SESSION };
  const created_timestamp = new Date(at - TEN_MINUTES_MS).toISOString();
  const lasted = { created_timestamp, destroyed_timestamp: timestamp, duration_min: 10 };
  const ids = { client_id: CONNECTION, bundle_id: CONNECTION, connection_id: CONNECTION };
  const traffic = { total_received_bytes: 48_211_904, total_sent_bytes: 1_930_444 };
  const { session_id: _, ...called } = { ...inLobby, media_target: "Media_20151104.DisconnectChannel" };
  const created = { type: "connection.created", connection_id: CONNECTION, outcome: "ok" } as const;
  return {
    sessions: { ...inLobby, total_connections: 2, max_connections: 2, ...lasted },
    connections: { ...inLobby, ...ids, ...traffic, ...lasted },
    api: { timestamp, url: "http://media.test/projects/create-access-token", status: 200, elapsed_time_ms: 3 },
    "media-api": { ...called, status: 200, elapsed_time_ms: 21 },
    webhooks: { timestamp, type: created.type, url: "https://hooks.example/media", status: 200, elapsed_time_ms: 87 },
    events: { ...inLobby, ...created, role: "sendrecv", node_name: "node-1" },
  };
}

/** An entry as the fake keeps it. */
interface Row {
  entry: { timestamp: string };
  /** The sorting text of its time; empty if it has none, which makes it the oldest. */
  at: string;
  /** Its place in the order of writing, from 1. */
  seq: number;
}

type Search = Omit<ListSessionLogsRequest, "where"> & { where?: object };

/** A place in a log: the entry that a page ended with, or the number of entries that a follower has read. */
type Cursor = { readonly after: number } | { readonly read: number };

const keyAt = (ms: number): string => timeKey(new Date(ms)) ?? "";
const latest = (...keys: string[]): string => keys.sort().at(-1) ?? "";
const writeCursor = (cursor: Cursor): string => encodeURIComponent(JSON.stringify(cursor));

function readCursor(text: string): Cursor {
  try {
    return JSON.parse(decodeURIComponent(text));
  } catch {
    throw new Refused({ pointer: "/cursor", detail: "Is not a cursor of this log." });
  }
}

function matcherOf({ where = {}, since, until }: Partial<Search>): (row: Row) => boolean {
  const [start, end] = [timeKey(since) ?? "", timeKey(until) ?? "~"];
  return ({ at, entry }) => at >= start && at < end && matches(where, entry);
}

interface LogsOptions {
  projectId: string;
  now(): number;
  extensions: boolean | "ignored";
  maxScanned: number;
}

/** The logs of a fake service. */
export function createLogs({ projectId, now, extensions, maxScanned }: LogsOptions) {
  const logs = new Map<LogKind, Row[]>();
  const rowsOf = (kind: LogKind): Row[] => logs.get(kind) ?? [];
  // Calls that are held until an entry is added.
  const held = new Set<AbortController>();
  const isKept = ({ at }: Row): boolean => at === "" || at >= keyAt(now() - WINDOW_MS);
  /** All entries, the newest first at full precision; of the same time, the last added first. */
  const newest = (kind: LogKind): Row[] =>
    [...rowsOf(kind)].sort((a, b) => (a.at === b.at ? b.seq - a.seq : a.at < b.at ? 1 : -1));

  function list(kind: LogKind, search: Search, call: Call): object | Promise<object> {
    const members = Object.keys(search).filter((name) => name !== "project_id");
    if (members.length > 0 && extensions === false) {
      const detail = "Is not a known field. Known: project_id.";
      throw new Refused(...members.map((name) => ({ pointer: `/${name}`, detail })));
    }
    if (members.length === 0 || extensions !== true) {
      const entries = newest(kind).filter(isKept).slice(0, MAX_ENTRIES);
      return entries.map(({ entry }) => (extensions === true ? entry : withoutSubject(kind, entry)));
    }
    const cursor = search.cursor === undefined ? undefined : readCursor(search.cursor);
    if (cursor && "read" in cursor) return follow(kind, search, cursor.read, call);
    if (search.wait_s === undefined) return page(kind, search, cursor?.after, call);
    throw new Refused({ pointer: "/wait_s", detail: "Needs a cursor that follows the log." });
  }

  function page(kind: LogKind, search: Search, after: number | undefined, { headers }: Call): object {
    const { limit = MAX_ENTRIES, order = "newest", since, until } = search;
    const isNewest = order === "newest";
    const ordered = isNewest ? newest(kind) : newest(kind).reverse();
    const left = ordered.slice(ordered.findIndex(({ seq }) => seq === after) + 1).filter(isKept);
    const isMatch = matcherOf(search);
    const data: object[] = [];
    let scanned = 0;
    for (const row of left) {
      if (data.length === limit || scanned === maxScanned) break;
      if (isMatch(row)) data.push(row.entry);
      scanned += 1;
    }
    const last = left[scanned - 1];
    const hasMore = last !== undefined && left.slice(scanned).some(matcherOf({ ...search, where: {} }));
    const first = latest(timeKey(since) ?? "", keyAt(now() - WINDOW_MS));
    const end = isNewest ? first : [timeKey(until) ?? "~", keyAt(now())].sort()[0];
    headers["x-searched-to"] = `${hasMore ? last.at || first : end}Z`;
    if (hasMore) headers["x-next-cursor"] = writeCursor({ after: last.seq });
    if (after === undefined && isNewest && until === undefined) {
      headers["x-follow-cursor"] = writeCursor({ read: ordered.length });
    }
    return data;
  }

  /** What was added after the first `read` entries, in that order, as soon as there is something. */
  async function follow(kind: LogKind, search: Search, read: number, { signal, headers }: Call): Promise<object> {
    const { limit = MAX_ENTRIES, wait_s = 0 } = search;
    const deadline = Date.now() + wait_s * 1000;
    for (;;) {
      signal.throwIfAborted();
      const rows = rowsOf(kind);
      const fresh = rows.slice(read).filter(matcherOf(search)).slice(0, limit);
      const wait = deadline - Date.now();
      if (fresh.length > 0 || wait <= 0) {
        const end = (fresh.length === limit && fresh.at(-1)?.seq) || rows.length;
        headers["x-next-cursor"] = writeCursor({ read: end });
        return fresh.map(({ entry }) => entry);
      }
      const call = new AbortController();
      held.add(call);
      signal.addEventListener("abort", () => call.abort());
      await pause(wait, call.signal);
      held.delete(call);
    }
  }

  /** Percentiles are exact. */
  function count(request: CountLogsRequest): LogCounts {
    const { kind, by = [], top = 100, every, offset = 0 } = request;
    const since = latest(timeKey(request.since) ?? "", keyAt(now() - WINDOW_MS));
    const isMatch = matcherOf(request);
    const rows = rowsOf(kind).filter((row) => row.at >= since && isMatch(row));
    const total = (counted: readonly Row[] = []): LogCount => countOf(kind, counted);
    const groups = [...groupBy(by.length > 0 ? rows : [], ({ entry }) => JSON.stringify(by.map(fieldOf(entry))))]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, counted]) => {
        const values: (string | number | boolean | null)[] = JSON.parse(key);
        return { by: Object.fromEntries(by.map((field, i) => [field, values[i] ?? null])), ...total(counted) };
      })
      .sort((a, b) => (b.failed ?? 0) - (a.failed ?? 0) || b.entries - a.entries);
    const periodOf = ({ at }: Row): number => {
      const second = Math.floor(Date.parse(`${at}Z`) / 1000);
      return every ? Math.floor((second + offset) / every) * every - offset : 0;
    };
    return {
      since: `${since}Z`,
      until: `${timeKey(request.until) ?? keyAt(now())}Z`,
      complete: true,
      total: total(rows),
      groups: groups.slice(0, top),
      omitted_groups: Math.max(0, groups.length - top),
      periods: [...groupBy(every ? rows : [], periodOf)]
        .sort(([a], [b]) => a - b)
        .map(([start, counted]) => ({ start: `${keyAt(start * 1000)}Z`, ...total(counted) })),
    };
  }

  const operations: Record<string, Operation> = { "/orgs/count-logs": count };
  for (const kind of Object.keys(logPaths) as LogKind[]) {
    operations[logPaths[kind]] = (search: Search, call) => list(kind, search, call);
  }

  return {
    operations,
    add<K extends LogKind>(kind: K, ...entries: Partial<LogEntryOf<K>>[]): LogEntryOf<K>[] {
      checkKind(kind);
      const added = entries.map((entry) => ({ ...typicalEntries(now(), projectId)[kind], ...entry }));
      const rows = rowsOf(kind);
      for (const entry of added) rows.push({ entry, at: timeKey(entry.timestamp) ?? "", seq: rows.length + 1 });
      logs.set(kind, rows);
      for (const call of held) call.abort();
      return added;
    },
    reset: () => logs.clear(),
  };
}

/** An entry of a service with the six operations only, whose webhooks don't say what they are about. */
function withoutSubject(kind: LogKind, entry: Partial<WebhookLogEntry>): object {
  const { channel_id, connection_id, event_id, ...others } = entry;
  return kind === "webhooks" ? others : entry;
}

const fieldOf = (entry: object) => (field: string) => readField({ ...entry }, field) ?? null;

function groupBy<Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

function countOf(kind: LogKind, rows: readonly Row[]): LogCount {
  const values = (field: string) => rows.map(({ entry }) => fieldOf(entry)(field));
  const numbers = (field: string): number[] => values(field).filter((value) => typeof value === "number");
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  const counts = values("count").map((count) => Number(count ?? 1));
  const hasFailed = values("failed");
  const hasLife = kind === "sessions" || kind === "connections";
  const times = percentiles(numbers(hasLife ? "duration_min" : "elapsed_time_ms"));
  return {
    entries: rows.length,
    count: sum(counts),
    ...(!hasLife && { failed: sum(counts.filter((_, at) => hasFailed[at])) }),
    ...(kind === "connections" && {
      received_bytes: sum(numbers("total_received_bytes")),
      sent_bytes: sum(numbers("total_sent_bytes")),
    }),
    ...(hasLife && { minutes: sum(numbers("duration_min")) }),
    ...(times && { [hasLife ? "duration_min" : "elapsed_ms"]: times }),
  };
}

function percentiles(values: number[]) {
  const sorted = values.sort((a, b) => a - b);
  const rank = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return sorted.length === 0 ? undefined : { p50: rank(0.5), p95: rank(0.95), p99: rank(0.99), max: rank(1) };
}
