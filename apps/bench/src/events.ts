import { randomInt } from "node:crypto";
import { intakeContract } from "@media-ops/openapi/contract";
import { idOf, timestampOf } from "./entries.js";
import { toPost } from "./load.js";

const MINUTE_MS = 60_000;

/** An id in the format of media servers. */
const newId = (): string => idOf(randomInt);

/** A time whose microseconds differ between events of the same millisecond. */
const eventTimeOf = (at: number): string => timestampOf(at, randomInt(1000));

/** Returns the contract's example of an event. */
const exampleOf = (name: string) => intakeContract.components?.examples?.[name]?.value ?? {};

/** Returns the events of one connection that began some minutes ago and ends now, as requests to the intake. */
export function connectionEvents(
  projectId: string,
  intakeKey: string,
  minutes: number,
): { life: Buffer[]; end: Buffer } {
  const [id, session_id, createdAt] = [newId(), newId(), Date.now() - minutes * MINUTE_MS];
  const example = exampleOf("ConnectionDestroyed");
  const { destroyed_time, destroyed_timestamp, reason, ...lasting } = example.data ?? {};
  const event = (type: string, minute: number, more: object = {}): Buffer => {
    const body = {
      ...example,
      type,
      id: newId(),
      timestamp: eventTimeOf(createdAt + minute * MINUTE_MS),
      channel_id: `room-${id.slice(0, 2)}@${projectId}`,
      session_id,
      client_id: id,
      bundle_id: id,
      connection_id: id,
      data: {
        ...lasting,
        minutes: minute,
        created_time: Math.floor(createdAt / 1000),
        created_timestamp: eventTimeOf(createdAt),
        total_received_bytes: 4_821_190 * minute,
        total_sent_bytes: 193_044 * minute,
        ...more,
      },
    };
    return toPost("/intake/event", intakeKey, JSON.stringify(body));
  };
  const endedAt = createdAt + minutes * MINUTE_MS;
  const end = event("connection.destroyed", minutes, {
    destroyed_time: Math.floor(endedAt / 1000),
    destroyed_timestamp: eventTimeOf(endedAt),
    reason,
  });
  const updates = Array.from({ length: minutes }, (_, at) => event("connection.updated", at + 1));
  return { life: [event("connection.created", 0), ...updates, end], end };
}

/** Returns the body of a request to admit a client. */
export const authBody = (channel_id: string, node_name: string, access_token: string): string =>
  JSON.stringify({
    ...exampleOf("Auth"),
    timestamp: eventTimeOf(Date.now()),
    node_name,
    channel_id,
    connection_id: newId(),
    metadata: { access_token },
    // The service would add these to its count.
    channel_connections: 0,
    channel_sendrecv_connections: 0,
  });

/** Returns the body of `session.vanished`, which reports that a node died with all its connections. */
export const vanishedBody = (node_name: string): string =>
  JSON.stringify({ ...exampleOf("SessionVanished"), id: newId(), timestamp: eventTimeOf(Date.now()), node_name });
