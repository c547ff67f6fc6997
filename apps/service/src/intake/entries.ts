import type { ConnectionDestroyed, SessionDestroyed } from "../generated/intake.js";
import type { ConnectionLogEntry, SessionLogEntry } from "../generated/media.js";
import type { NewEntry } from "../logs/log-store.js";

/** The entry of the session log that a session leaves behind. */
export function sessionEntry(projectId: string, event: SessionDestroyed): NewEntry {
  const entry: SessionLogEntry = {
    timestamp: event.timestamp,
    channel_id: event.channel_id,
    session_id: event.session_id,
    total_connections: event.total_connections,
    max_connections: event.max_connections,
    created_timestamp: event.created_timestamp,
    destroyed_timestamp: event.destroyed_timestamp,
    duration_min: wholeMinutes(event.created_timestamp, event.destroyed_timestamp),
  };
  return { projectId, kind: "sessions", timestamp: entry.timestamp, text: JSON.stringify(entry) };
}

/** The entry of the connection log that a connection leaves behind. */
export function connectionEntry(projectId: string, event: ConnectionDestroyed): NewEntry {
  const { created_timestamp, destroyed_timestamp, total_received_bytes, total_sent_bytes } = event.data;
  const entry: ConnectionLogEntry = {
    timestamp: event.timestamp,
    channel_id: event.channel_id,
    session_id: event.session_id,
    // Where the client gave none, these are the connection's id.
    client_id: event.client_id ?? event.connection_id,
    bundle_id: event.bundle_id ?? event.connection_id,
    connection_id: event.connection_id,
    total_received_bytes,
    total_sent_bytes,
    created_timestamp,
    destroyed_timestamp,
    duration_min: wholeMinutes(created_timestamp, destroyed_timestamp),
  };
  return { projectId, kind: "connections", timestamp: entry.timestamp, text: JSON.stringify(entry) };
}

/**
 * The whole minutes between two UTC timestamps, rounded down: all digits of their fractions count.
 *
 * @example wholeMinutes("2026-04-01T09:30:15Z", "2026-04-01T09:32:12Z") // 1
 */
export function wholeMinutes(from: string, until: string): number {
  const [start, end] = [toParts(from), toParts(until)];
  const seconds = end.seconds - start.seconds - (end.fraction < start.fraction ? 1 : 0);
  // Clocks are put back.
  return Math.max(0, Math.floor(seconds / 60));
}

function toParts(timestamp: string): { seconds: number; fraction: string } {
  // Date knows no leap second, 23:59:60: the minute and the seconds are read apart.
  const seconds =
    Date.parse(`${timestamp.slice(0, MINUTE_END)}Z`) / 1000 + Number(timestamp.slice(MINUTE_END + 1, SECOND_END));
  let end = timestamp.length - 1;
  // Without zeros at their ends, fractions compare as texts.
  while (end > SECOND_END && timestamp[end - 1] === "0") end -= 1;
  return { seconds, fraction: timestamp.slice(SECOND_END + 1, end) };
}

const MINUTE_END = "2026-04-01T09:30".length;
const SECOND_END = "2026-04-01T09:30:15".length;
