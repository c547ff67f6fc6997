import { randomBytes } from "node:crypto";
import { toPost } from "./load.js";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const MINUTE_MS = 60_000;

/** An id as media servers make them. */
const newId = (): string => Array.from(randomBytes(26), (byte) => ALPHABET[byte % 32]).join("");

const timestampOf = (at: number): string => `${new Date(at).toISOString().slice(0, -1)}123Z`;

const envelope = (at: number, nodeName: string) => ({
  timestamp: timestampOf(at),
  version: "2026.1.0",
  label: "bench",
  node_name: nodeName,
});

const counts = (connections: number) => ({
  channel_connections: connections,
  channel_sendrecv_connections: connections,
  channel_sendonly_connections: 0,
  channel_recvonly_connections: 0,
});

/** The events of one connection that began some minutes ago and ends now, as requests to the intake. */
export function connectionEvents(
  projectId: string,
  intakeKey: string,
  minutes: number,
): { id: string; life: Buffer[]; end: Buffer } {
  const [id, sessionId, createdAt] = [newId(), newId(), Date.now() - minutes * MINUTE_MS];
  const event = (type: string, minute: number, more: object = {}): Buffer => {
    const body = {
      type,
      id: newId(),
      ...envelope(createdAt + minute * MINUTE_MS, "node-1"),
      role: "sendrecv",
      channel_id: `room-${id.slice(0, 2)}@${projectId}`,
      session_id: sessionId,
      client_id: id,
      bundle_id: id,
      connection_id: id,
      event_metadata: { plan: "gold", seat: 12 },
      data: {
        minutes: minute,
        created_time: Math.floor(createdAt / 1000),
        created_timestamp: timestampOf(createdAt),
        total_received_bytes: 4_821_190 * minute,
        total_sent_bytes: 193_044 * minute,
        ...counts(3),
        turn_transport_type: "udp",
        ...more,
      },
    };
    return toPost("/intake/event", intakeKey, JSON.stringify(body));
  };
  const endedAt = createdAt + minutes * MINUTE_MS;
  const end = event("connection.destroyed", minutes, {
    destroyed_time: Math.floor(endedAt / 1000),
    destroyed_timestamp: timestampOf(endedAt),
    reason: "CLIENT-DISCONNECTED",
  });
  const updates = Array.from({ length: minutes }, (_, at) => event("connection.updated", at + 1));
  return { id, life: [event("connection.created", 0), ...updates, end], end };
}

/** The body of a request to let a client in. */
export const authBody = (channelId: string, nodeName: string, accessToken: string): string =>
  JSON.stringify({
    ...envelope(Date.now(), nodeName),
    role: "sendrecv",
    channel_id: channelId,
    connection_id: newId(),
    multistream: true,
    simulcast: false,
    spotlight: false,
    data_channel_signaling: true,
    ignore_disconnect_websocket: false,
    e2ee: false,
    audio: { codec_type: "OPUS" },
    video: { codec_type: "VP9", bit_rate: 1500 },
    metadata: { access_token: accessToken },
    ...counts(0),
  });

/** The body of `session.vanished`: the node died, and everyone on it is gone. */
export const vanishedBody = (nodeName: string): string =>
  JSON.stringify({ ...envelope(Date.now(), nodeName), type: "session.vanished", id: newId() });
