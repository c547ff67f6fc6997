import type { Lane } from "./courier.js";
import type { Refusal } from "./intake.js";
import type { Json, Role } from "./options.js";
import type { Random } from "./random.js";
import type { Stamp } from "./timeline.js";

/** From the first connection of a channel to some time after the last one. */
export interface Session {
  readonly id: string;
  readonly channelId: string;
  /** The node of its first client. */
  readonly nodeName: string;
  readonly created: Stamp;
  readonly multistream: boolean;
  readonly spotlight: boolean;
  readonly lane: Lane;
  /** The intake's response to `session.created`. */
  metadata: unknown;
  /** The number of connections that still wait for the response to their last event. */
  unfinished: number;
  total: number;
  max: number;
  /** The connections that have ended. */
  readonly ended: Json[];
}

/** What is settled when a client is admitted. */
export interface Entrant {
  /** The id of its connection. */
  readonly id: string;
  readonly channelId: string;
  readonly nodeName: string;
  readonly role: Role;
  readonly clientId: string;
  readonly bundleId: string;
  readonly eventMetadata: Json | undefined;
  readonly random: Random;
}

/** A client that was allowed to connect. */
export interface Connection extends Entrant {
  readonly session: Session;
  readonly transport: "udp" | "tcp";
  readonly created: Stamp;
  readonly createdAt: number;
  readonly lane: Lane;
  receivedBytes: number;
  sentBytes: number;
  /** Set when it ends. */
  destroyed: Stamp | undefined;
  /** Set when it ends: resolves when all of its events have been sent. */
  done: Promise<void> | undefined;
}

interface Channel {
  readonly session: Session;
  readonly connections: Map<string, Connection>;
  readonly roles: Record<Role, number>;
}

/** The connections of each channel. A channel exists while it has a connection. */
export class Channels {
  readonly #channels = new Map<string, Channel>();

  /** The session that a client would join. */
  sessionOf(channelId: string): Session | undefined {
    return this.#channels.get(channelId)?.session;
  }

  connectionsOf(channelId: string): Connection[] | undefined {
    const channel = this.#channels.get(channelId);
    return channel && [...channel.connections.values()];
  }

  all(): Connection[] {
    return [...this.#channels.values()].flatMap(({ connections }) => [...connections.values()]);
  }

  get connections(): number {
    let sum = 0;
    for (const { connections } of this.#channels.values()) sum += connections.size;
    return sum;
  }

  enter(connection: Connection): void {
    const { channelId, session, role } = connection;
    const channel = this.#channels.get(channelId) ?? {
      session,
      connections: new Map(),
      roles: { sendrecv: 0, sendonly: 0, recvonly: 0 },
    };
    this.#channels.set(channelId, channel);
    channel.connections.set(connection.id, connection);
    channel.roles[role]++;
    session.unfinished++;
    session.total++;
    session.max = Math.max(session.max, channel.connections.size);
  }

  /** Returns whether it was the last one. */
  leave({ channelId, id, role }: Connection): boolean {
    const channel = this.#channels.get(channelId);
    if (!channel?.connections.delete(id)) return false;
    channel.roles[role]--;
    return channel.connections.size === 0 && this.#channels.delete(channelId);
  }

  clear(): void {
    this.#channels.clear();
  }

  /** The fields with the current numbers of connections in a channel. */
  counts(channelId: string | undefined): Json {
    const channel = this.#channels.get(channelId ?? "");
    return {
      channel_connections: channel?.connections.size ?? 0,
      channel_sendrecv_connections: channel?.roles.sendrecv ?? 0,
      channel_sendonly_connections: channel?.roles.sendonly ?? 0,
      channel_recvonly_connections: channel?.roles.recvonly ?? 0,
    };
  }
}

/** The fields of a session event, beside the envelope. */
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

/** The fields of `session.destroyed`, beside the envelope. */
export function sessionEndFields(session: Session, destroyed: Stamp): Json {
  return {
    ...sessionFields(session),
    ...endFields(destroyed),
    max_connections: session.max,
    total_connections: session.total,
    connections: session.ended,
  };
}

/** The fields of a connection event, beside the envelope and its data. */
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

/** The data of a connection event. */
export function connectionData(
  { created, receivedBytes, sentBytes, transport, destroyed }: ConnectionFacts,
  { minutes = 0, counts, reason }: { minutes?: number; counts: Json; reason?: string | undefined },
): Json {
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

type ConnectionFacts = Pick<Connection, "created" | "receivedBytes" | "sentBytes" | "transport" | "destroyed">;

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

/** The result of `admit`: whether the client may connect. */
export type Admission = AdmittedClient | Refusal;

/** A client that may connect, and either does or fails to. */
export interface AdmittedClient {
  readonly allowed: true;
  /** Connects it, and sends `connection.created`. It is refused if the node has died. */
  connect(): Promise<Client>;
  /** Sends `connection.failed`: its connection could not be established. */
  fail(reason: string): Promise<void>;
}

/** The result of `connect`: a connection, or the reason for its refusal. */
export type Client = ConnectedClient | Refusal;

/** A client that was allowed to connect. */
export interface ConnectedClient {
  readonly allowed: true;
  readonly channelId: string;
  readonly sessionId: string;
  readonly connectionId: string;
  /** The id in events, which the intake may have changed. */
  readonly clientId: string;
  readonly bundleId: string;
  readonly role: Role;
  readonly isConnected: boolean;
  /** The total bytes as the next event will report them; the last event adds some. */
  readonly receivedBytes: number;
  readonly sentBytes: number;
  /** Sends `connection.updated`; does nothing if the connection has ended. */
  update(): Promise<void>;
  /** Disconnects it; resolves when its last event is sent, and that of its session if this was the last connection. */
  disconnect(reason?: string): Promise<void>;
}
