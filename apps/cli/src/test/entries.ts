import type { EventLogEntry, LogEntryOf, LogKind } from "@media-ops/sdk";

/** The time some minutes ago. */
export const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

/** A few entries of each kind, the newest first, as in a project in use. */
export function someEntries(): { [Kind in LogKind]: LogEntryOf<Kind>[] } {
  const session_id = "01KAKR6WJ0V8Q3T5Z7N2D4F6H8";
  const lived = { created_timestamp: ago(45), destroyed_timestamp: ago(1), duration_min: 44 };
  return {
    sessions: [
      { timestamp: ago(1), channel_id: "lobby@demo", session_id, total_connections: 12, max_connections: 7, ...lived },
    ],
    connections: [
      {
        timestamp: ago(1),
        channel_id: "lobby@demo",
        session_id,
        client_id: "camera-7",
        bundle_id: "bundle-1",
        connection_id: "01KAKV0A1H5K7N9Q2S4V6X8Z0B",
        total_received_bytes: 1_284_331_902,
        total_sent_bytes: 48_120,
        ...lived,
      },
    ],
    api: [{ timestamp: ago(1), url: "https://media.example/orgs/list-api-logs", status: 429, elapsed_time_ms: 3 }],
    "media-api": [
      {
        timestamp: ago(1),
        media_target: "Media_20151104.DisconnectChannel",
        channel_id: "lobby@demo",
        status: 200,
        elapsed_time_ms: 41,
      },
    ],
    webhooks: [
      delivery(1, "connection.created", 200, 84),
      delivery(2, "session.created", 503, 1240),
      delivery(130, "session.created", 404, 36),
    ],
    events: [
      event(1, "connection.destroyed", "ok"),
      event(2, "connection.failed", "failed", { reason: "ice-timeout", media_reason: "ICE-TIMEOUT" }),
      event(3, "admission.refused", "refused", { reason: "channel-full", detail: "5 of 5", count: 7 }),
    ],
  };
}

/** A webhook that was sent some minutes ago. */
export function delivery(minutes: number, type: string, status: number, elapsed_time_ms: number) {
  return { timestamp: ago(minutes), type, url: "https://hooks.example/media", status, elapsed_time_ms };
}

/** An event in the channel "lobby" some minutes ago. */
export function event(
  minutes: number,
  type: string,
  outcome: EventLogEntry["outcome"],
  more: Partial<EventLogEntry> = {},
): EventLogEntry {
  return { timestamp: ago(minutes), type, channel_id: "lobby@demo", client_id: "camera-7", outcome, ...more };
}
