import type { Lane } from "./courier.js";
import type { Json } from "./json.js";
import type { Role } from "./options.js";
import type { Random } from "./random.js";
import type { Stamp } from "./stamps.js";

/** From the first connection of a channel to some time after the last one. */
export interface Session {
  readonly id: string;
  readonly channelId: string;
  readonly created: Stamp;
  readonly multistream: boolean;
  readonly spotlight: boolean;
  readonly lane: Lane;
  /** What the intake answered to `session.created`. */
  metadata: unknown;
  /** Connections whose last event has not been answered yet. */
  unfinished: number;
  total: number;
  max: number;
  /** The connections that have ended. */
  readonly ended: Json[];
}

/** A client that has been let in. */
export interface Connection {
  readonly id: string;
  readonly channelId: string;
  readonly session: Session;
  readonly role: Role;
  readonly clientId: string;
  readonly bundleId: string;
  readonly eventMetadata: Json | undefined;
  readonly transport: "udp" | "tcp";
  readonly created: Stamp;
  readonly createdAt: number;
  readonly lane: Lane;
  readonly random: Random;
  receivedBytes: number;
  sentBytes: number;
  /** The caller says what is transferred; nothing is drawn any more. */
  isCounted: boolean;
  /** Set when it ends. */
  destroyed: Stamp | undefined;
  /** Set when it ends: resolved when all that follows has been sent. */
  done: Promise<void> | undefined;
}

interface Channel {
  readonly session: Session;
  readonly connections: Map<string, Connection>;
  readonly roles: Record<Role, number>;
}

/** Who is where. A channel exists while somebody is in it. */
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

  /** Says whether it was the last one. */
  leave({ channelId, id, role }: Connection): boolean {
    const channel = this.#channels.get(channelId);
    if (!channel?.connections.delete(id)) return false;
    channel.roles[role]--;
    return channel.connections.size === 0 && this.#channels.delete(channelId);
  }

  clear(): void {
    this.#channels.clear();
  }

  /** The fields that say how many are in a channel now. */
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
