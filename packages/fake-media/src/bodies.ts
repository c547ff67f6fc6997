import type { Connection, Session } from "./channels.js";
import type { Json } from "./json.js";
import type { Stamp } from "./stamps.js";

/** What an event of a session says beside the envelope. */
export function sessionFields({ id, channelId, created, multistream, spotlight, metadata }: Session): Json {
  return {
    channel_id: channelId,
    session_id: id,
    multistream,
    spotlight,
    created_time: created.seconds,
    created_timestamp: created.text,
    ...(metadata !== undefined && { session_metadata: metadata }),
  };
}

/** What `session.destroyed` says beside the envelope. */
export function sessionEndFields(session: Session, destroyed: Stamp): Json {
  return {
    ...sessionFields(session),
    ...endFields(destroyed),
    max_connections: session.max,
    total_connections: session.total,
    connections: session.ended,
  };
}

/** What an event of a connection says beside the envelope and its data. */
export function connectionFields(connection: Connection): Json {
  const { id, channelId, session, role, clientId, bundleId, eventMetadata } = connection;
  return {
    role,
    channel_id: channelId,
    session_id: session.id,
    client_id: clientId,
    bundle_id: bundleId,
    connection_id: id,
    ...(eventMetadata && { event_metadata: eventMetadata }),
  };
}

/** What the data of a connection's event says. */
export interface ConnectionFacts {
  created: Stamp;
  minutes: number;
  receivedBytes: number;
  sentBytes: number;
  counts: Json;
  transport: "udp" | "tcp";
  destroyed?: Stamp | undefined;
  reason?: string | undefined;
}

export function connectionData(facts: ConnectionFacts): Json {
  const { created, minutes, receivedBytes, sentBytes, counts, transport, destroyed, reason } = facts;
  return {
    minutes,
    created_time: created.seconds,
    created_timestamp: created.text,
    total_received_bytes: receivedBytes,
    total_sent_bytes: sentBytes,
    ...counts,
    turn_transport_type: transport,
    ...(destroyed && endFields(destroyed)),
    ...(reason !== undefined && { reason }),
  };
}

/** A connection in a session's list, and in the API's. */
export function listedConnection({ id, role, clientId, bundleId, created, destroyed }: Connection): Json {
  return {
    connection_id: id,
    client_id: clientId,
    bundle_id: bundleId,
    role,
    created_time: created.seconds,
    created_timestamp: created.text,
    ...(destroyed && endFields(destroyed)),
  };
}

function endFields({ seconds, text }: Stamp): Json {
  return { destroyed_time: seconds, destroyed_timestamp: text };
}
