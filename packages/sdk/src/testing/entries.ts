import { MAX_ENTRIES } from "../is-capped.js";
import type { LogEntryOf, LogKind } from "../operations.js";
import { parseTimestamp } from "../time.js";

const CHANNEL = "lobby";
const SESSION = "7N3DS2KQ4H1WZ9M5XG8TCVB6RY";
const CONNECTION = "0J9V6TQ2M4EXK7C3R8ZB5HW1NA";
const TEN_MINUTES_MS = 600_000;

const lastedTenMinutes = (end: number) => ({
  created_timestamp: new Date(end - TEN_MINUTES_MS).toISOString(),
  destroyed_timestamp: new Date(end).toISOString(),
  duration_min: 10,
});

/** An entry of each kind as the service might have written it at a time; what a test cares for, it sets itself. */
export const defaults: { readonly [K in LogKind]: (at: number, projectId: string) => LogEntryOf<K> } = {
  sessions: (at, projectId) => ({
    timestamp: new Date(at).toISOString(),
    channel_id: `${CHANNEL}@${projectId}`,
    session_id: SESSION,
    total_connections: 2,
    max_connections: 2,
    ...lastedTenMinutes(at),
  }),
  connections: (at, projectId) => ({
    timestamp: new Date(at).toISOString(),
    channel_id: `${CHANNEL}@${projectId}`,
    session_id: SESSION,
    client_id: CONNECTION,
    bundle_id: CONNECTION,
    connection_id: CONNECTION,
    total_received_bytes: 48_211_904,
    total_sent_bytes: 1_930_444,
    ...lastedTenMinutes(at),
  }),
  api: (at) => ({
    timestamp: new Date(at).toISOString(),
    url: "http://media.test/projects/create-access-token",
    status: 200,
    elapsed_time_ms: 3,
  }),
  "media-api": (at, projectId) => ({
    timestamp: new Date(at).toISOString(),
    media_target: "Media_20151104.DisconnectChannel",
    channel_id: `${CHANNEL}@${projectId}`,
    status: 200,
    elapsed_time_ms: 21,
  }),
  webhooks: (at) => ({
    timestamp: new Date(at).toISOString(),
    type: "connection.created",
    url: "https://hooks.example/media",
    status: 200,
    elapsed_time_ms: 87,
  }),
};

const WINDOW_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * What a listing answers: the last 30 days, newest first at full precision, at most 1000 entries. Of entries with one
 * timestamp, the one that was added last is the newest.
 */
export function listEntries<E extends { timestamp: string }>(entries: readonly E[], now: number): E[] {
  return entries
    .map((entry) => ({ entry, time: parseTimestamp(entry.timestamp) }))
    .filter(({ time }) => !time || time.epochMilliseconds >= now - WINDOW_MS)
    .reverse()
    .sort((a, b) => compare(b.time, a.time))
    .slice(0, MAX_ENTRIES)
    .map(({ entry }) => entry);
}

type Time = ReturnType<typeof parseTimestamp>;

/** An entry without a timestamp that can be read, which a test may want, is the oldest. */
function compare(a: Time, b: Time): number {
  const milliseconds = (a?.epochMilliseconds ?? 0) - (b?.epochMilliseconds ?? 0);
  if (milliseconds !== 0) return milliseconds;
  const digits = Math.max(a?.fraction.length ?? 0, b?.fraction.length ?? 0);
  const [left, right] = [a?.fraction.padEnd(digits, "0") ?? "", b?.fraction.padEnd(digits, "0") ?? ""];
  return left < right ? -1 : left > right ? 1 : 0;
}
