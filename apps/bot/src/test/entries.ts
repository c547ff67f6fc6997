import type { ConnectionLogEntry, WebhookLogEntry } from "@media-ops/sdk";
import type { SharedReads } from "../connections/clients.js";

interface WebhookOptions extends Partial<WebhookLogEntry> {
  minutesAgo?: number;
}

/** A webhook that was sent some minutes ago. */
export function webhook({ minutesAgo = 1, ...given }: WebhookOptions = {}): WebhookLogEntry {
  return {
    timestamp: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
    type: "session.created",
    url: "https://hooks.example/media",
    status: 200,
    elapsed_time_ms: 84,
    ...given,
  };
}

/** A connection that ended some minutes ago, and received 1 MB. */
export function connection({ minutesAgo = 1, sent = 0 }: { minutesAgo?: number; sent?: number }): ConnectionLogEntry {
  const timestamp = new Date(Date.now() - minutesAgo * 60_000).toISOString();
  return {
    timestamp,
    connection_id: `connection-${minutesAgo}`,
    session_id: "session",
    channel_id: "lobby@demo",
    client_id: "client",
    bundle_id: "bundle",
    total_received_bytes: 1_000_000,
    total_sent_bytes: sent,
    duration_min: 1,
    created_timestamp: timestamp,
    destroyed_timestamp: timestamp,
  };
}

/** Reads that no other request shares. */
export const notShared: SharedReads = { counts: (_, read) => read(), pages: (_, read) => read() };
