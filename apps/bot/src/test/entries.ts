import type { ConnectionLogEntry, EventLogEntry, WebhookLogEntry } from "@media-ops/sdk";
import type { Project } from "../connections/connections.js";
import type { Minting } from "../storage/records.js";

const timeOf = (minutesAgo: number): string => new Date(Date.now() - minutesAgo * 60_000).toISOString();

/** An entry of some minutes ago with these fields, unless a test gives others. */
const entryWith =
  <Entry>(usual: Omit<Entry, "timestamp">) =>
  ({ minutesAgo = 1, ...given }: Partial<Entry> & { minutesAgo?: number } = {}): Entry =>
    ({ timestamp: timeOf(minutesAgo), ...usual, ...given }) as Entry;

/** A webhook that was sent some minutes ago. */
export const webhook = entryWith<WebhookLogEntry>({
  type: "session.created",
  url: "https://hooks.example/media",
  status: 200,
  elapsed_time_ms: 84,
});

/** The ids of the events below. */
export const ids = {
  session_id: "7N3DS2KQ4H1WZ9M5XG8TCVB6RY",
  connection_id: "0J9V6TQ2M4EXK7C3R8ZB5HW1NA",
} as const;
const lobby = { channel_id: "lobby@demo", client_id: "stage-camera-2" };

/** A connection that failed some minutes ago. */
export const failure = entryWith<EventLogEntry>({
  ...{ type: "connection.failed", outcome: "failed", reason: "ice-timeout", media_reason: "ICE-TIMEOUT" },
  ...{ ...lobby, ...ids, node_name: "node-2", elapsed_time_ms: 20_012 },
});

/** A client that was refused some minutes ago, because the channel was full. */
export const refusal = entryWith<EventLogEntry>({
  ...{ type: "admission.refused", outcome: "refused", reason: "channel-full", detail: "5 of 5" },
  ...{ ...lobby, client_id: "c1" },
});

/** A connection that was made some minutes ago. */
export const created = entryWith<EventLogEntry>({ type: "connection.created", outcome: "ok", ...lobby, ...ids });

/** A connection that ended some minutes ago, and received 1 MB. */
export const connection = ({ minutesAgo = 1, ...given }: Partial<ConnectionLogEntry> & { minutesAgo?: number }) => {
  const timestamp = timeOf(minutesAgo);
  return entryWith<ConnectionLogEntry>({
    ...{ channel_id: "lobby@demo", session_id: "session", connection_id: `connection-${minutesAgo}` },
    ...{ client_id: "client", bundle_id: "bundle", total_received_bytes: 1_000_000, total_sent_bytes: 0 },
    ...{ created_timestamp: timestamp, destroyed_timestamp: timestamp, duration_min: 1 },
  })({ minutesAgo, ...given });
};

/** Reads that no other request shares. */
export const notShared: Project["shared"] = { counts: (_, read) => read(), pages: (_, read) => read() };

/** The record of a token without limits. */
export const mintingOf = (more: Partial<Minting> = {}): Minting => ({
  team_id: "T01",
  user_id: "U01",
  place_id: "C01",
  at: 1,
  project_id: "demo",
  jti: "j1",
  channel_id: null,
  role: null,
  starts_at: null,
  ends_at: null,
  max_connections: null,
  reason: null,
  ...more,
});
