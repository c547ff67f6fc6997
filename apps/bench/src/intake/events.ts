import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** An id as media servers make them. */
function newId(): string {
  return Array.from(randomBytes(26), (byte) => ALPHABET[byte % 32]).join("");
}

const time = (at: number): string => `${new Date(at).toISOString().slice(0, -1)}123Z`;

/** What a media server sends in a connection's life, as JSON. */
export function connectionLife(projectId: string, at: number): { created: string; updated: string; destroyed: string } {
  const connectionId = newId();
  const channel = `room-${connectionId.slice(0, 2)}@${projectId}`;
  const sessionId = newId();
  const event = (type: string, data: object): string =>
    JSON.stringify({
      type,
      id: newId(),
      timestamp: time(at),
      version: "2026.1.0",
      label: "bench",
      node_name: "node-1",
      role: "sendrecv",
      channel_id: channel,
      session_id: sessionId,
      client_id: connectionId,
      bundle_id: connectionId,
      connection_id: connectionId,
      event_metadata: { plan: "gold", seat: 12 },
      data: {
        minutes: 1,
        created_time: Math.floor(at / 1000),
        created_timestamp: time(at - 61_000),
        total_received_bytes: 48_211_904,
        total_sent_bytes: 1_930_444,
        channel_connections: 3,
        channel_sendrecv_connections: 3,
        channel_sendonly_connections: 0,
        channel_recvonly_connections: 0,
        turn_transport_type: "udp",
        ...data,
      },
    });
  return {
    created: event("connection.created", {}),
    updated: event("connection.updated", {}),
    destroyed: event("connection.destroyed", {
      destroyed_time: Math.floor(at / 1000),
      destroyed_timestamp: time(at),
      reason: "CLIENT-DISCONNECTED",
    }),
  };
}

/** A request with an event, as it goes over the wire. */
export function toRequest(body: string, intakeKey: string): Buffer {
  const head = [
    "POST /intake/event HTTP/1.1",
    "Host: 127.0.0.1",
    `Authorization: Bearer ${intakeKey}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}
