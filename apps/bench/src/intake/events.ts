import { randomBytes } from "node:crypto";
import { toPost } from "../load/post.js";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const MINUTE_MS = 60_000;

/** An id as media servers make them. */
export function newId(): string {
  return Array.from(randomBytes(26), (byte) => ALPHABET[byte % 32]).join("");
}

const time = (at: number): string => `${new Date(at).toISOString().slice(0, -1)}123Z`;

/** What a media server says of a connection, as JSON. */
export class Connection {
  readonly id: string = newId();
  readonly #sessionId = newId();
  readonly #projectId: string;
  readonly #createdAt: number;

  constructor(projectId: string, createdAt: number) {
    this.#projectId = projectId;
    this.#createdAt = createdAt;
  }

  /** All of its life: it is told of once a minute. */
  life(minutes: number): string[] {
    const updates = Array.from({ length: minutes }, (_, minute) => this.#event("connection.updated", minute + 1));
    return [this.#event("connection.created", 0), ...updates, this.end(minutes)];
  }

  end(minutes: number): string {
    const at = this.#createdAt + minutes * MINUTE_MS;
    return this.#event("connection.destroyed", minutes, {
      destroyed_time: Math.floor(at / 1000),
      destroyed_timestamp: time(at),
      reason: "CLIENT-DISCONNECTED",
    });
  }

  #event(type: string, minutes: number, more: object = {}): string {
    return JSON.stringify({
      type,
      id: newId(),
      timestamp: time(this.#createdAt + minutes * MINUTE_MS),
      version: "2026.1.0",
      label: "bench",
      node_name: "node-1",
      role: "sendrecv",
      channel_id: `room-${this.id.slice(0, 2)}@${this.#projectId}`,
      session_id: this.#sessionId,
      client_id: this.id,
      bundle_id: this.id,
      connection_id: this.id,
      event_metadata: { plan: "gold", seat: 12 },
      data: {
        minutes,
        created_time: Math.floor(this.#createdAt / 1000),
        created_timestamp: time(this.#createdAt),
        total_received_bytes: 4_821_190 * minutes,
        total_sent_bytes: 193_044 * minutes,
        channel_connections: 3,
        channel_sendrecv_connections: 3,
        channel_sendonly_connections: 0,
        channel_recvonly_connections: 0,
        turn_transport_type: "udp",
        ...more,
      },
    });
  }
}

/** A request with an event, as it goes over the wire. */
export function toRequest(body: string, intakeKey: string): Buffer {
  return toPost({ path: "/intake/event", key: intakeKey, body });
}
