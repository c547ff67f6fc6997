import { type Courier, createLane, IDENTITY, type Lane } from "./courier.js";
import { isAcknowledged, parseObject, type Refusal, readVerdict, refuse } from "./intake.js";
import type { ConnectOptions, FailOptions, Json, Role, Settings } from "./options.js";
import { channelTraits, clientTraits, growthOf, idFor, type Random, randomFor } from "./random.js";
import type { Stamp } from "./timeline.js";

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

/** A client that was allowed to connect. Its total bytes are those of the next event; the last event adds some. */
export interface ConnectedClient
  extends Pick<Connection, "channelId" | "clientId" | "bundleId" | "role" | "receivedBytes" | "sentBytes"> {
  readonly allowed: true;
  readonly sessionId: string;
  readonly connectionId: string;
  readonly isConnected: boolean;
  /** Sends `connection.updated`; does nothing if the connection has ended. */
  update(): Promise<void>;
  /** Disconnects it; resolves when its last event is sent, and that of its session if this was the last connection. */
  disconnect(reason?: string): Promise<void>;
}

/** From the first connection of a channel to some time after the last one. */
interface Session {
  readonly id: string;
  readonly channelId: string;
  /** The node of its first client. */
  readonly nodeName: string;
  readonly created: Stamp;
  readonly multistream: boolean;
  readonly spotlight: boolean;
  readonly lane: Lane;
  /** The current connections, by id; the channel is gone when it is empty. */
  readonly connections: Map<string, Connection>;
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
interface Entrant {
  /** The id of its connection. */
  readonly id: string;
  readonly channelId: string;
  readonly nodeName: string;
  readonly role: Role;
  /** The id in events, which the intake may have changed. */
  readonly clientId: string;
  readonly bundleId: string;
  readonly eventMetadata: Json | undefined;
  readonly random: Random;
  readonly admitted: Stamp;
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

const DIED = "The node has died.";

/** The nodes, which act as one: they admit clients, keep their connections, and send their events. */
export class Node {
  readonly #settings: Settings;
  readonly #courier: Courier;
  readonly #seed: number;
  readonly #lane = createLane("node");
  /** The session of each channel that has a connection. */
  readonly #channels = new Map<string, Session>();
  /** The sessions that have not ended, with and without connections. */
  readonly #sessions = new Set<Session>();
  readonly #underWay = new Set<Promise<unknown>>();
  #clients = 0;
  #failures = 0;
  /** The number of its deaths: a client that was connecting before a death is not admitted after it. */
  #deaths = 0;

  constructor(settings: Settings, courier: Courier) {
    this.#settings = settings;
    this.#courier = courier;
    this.#seed = settings.seed;
  }

  get isQuiet(): boolean {
    return this.#underWay.size === 0;
  }

  /** Waits for running work. */
  async quiet(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** The current connections. */
  connections(): Connection[] {
    return [...this.#channels.values()].flatMap(({ connections }) => [...connections.values()]);
  }

  /** The current connections of a channel; undefined if there is none. */
  connectionsOf(channelId: string): Connection[] | undefined {
    const session = this.#channels.get(channelId);
    return session && [...session.connections.values()];
  }

  connect(options: ConnectOptions): Promise<Client> {
    return this.#track(this.admit(options).then((client) => (client.allowed ? client.connect() : client)));
  }

  async admit(options: ConnectOptions): Promise<Admission> {
    const deaths = this.#deaths;
    const hasDied = (): boolean => deaths < this.#deaths;
    const entrant = await this.#track(this.#decide(options, hasDied));
    if ("allowed" in entrant) return entrant;
    return {
      allowed: true,
      connect: async () => (hasDied() ? refuse(DIED) : this.#track(this.#letIn(entrant))),
      fail: async (reason) => {
        if (!hasDied()) await this.#reportFailure(entrant, entrant.admitted, reason);
      },
    };
  }

  /** Calls auth. A client is not admitted if the node has died meanwhile. */
  async #decide(options: ConnectOptions, hasDied: () => boolean): Promise<Entrant | Refusal> {
    const { sums } = this.#courier;
    const { nodeName: standard, reportsConnections, accessToken: tokenFor } = this.#settings;
    const { channelId, role = "sendrecv", clientId, bundleId, nodeName = standard } = options;
    const { idFrom = this.#clients++, accessToken = tokenFor?.(channelId, role) } = options;
    const id = idFor(this.#seed, "connection", idFrom);
    const random = randomFor(this.#seed, "client", idFrom);
    const metadata =
      accessToken === undefined ? options.metadata : { ...Object(options.metadata), access_token: accessToken };
    const traits = { ...channelTraits(this.#seed, channelId), ...clientTraits(random) };

    sums.attempts++;
    const { answer } = await this.#courier.post("auth", () => ({
      timestamp: this.#courier.stamp().text,
      ...IDENTITY,
      node_name: nodeName,
      role,
      channel_id: channelId,
      connection_id: id,
      ...(clientId !== undefined && { client_id: clientId }),
      ...(bundleId !== undefined && { bundle_id: bundleId }),
      ...traits,
      ...(metadata !== undefined && { metadata }),
      ...(reportsConnections && this.#counts(channelId)),
    }));
    if (!isAcknowledged(answer)) sums.unanswered++;
    const word = readVerdict(answer);
    const verdict = word.allowed && hasDied() ? refuse(DIED) : word;
    if (!verdict.allowed) {
      sums.refused[verdict.reason] = (sums.refused[verdict.reason] ?? 0) + 1;
      return verdict;
    }
    sums.allowed++;
    return {
      id,
      channelId,
      nodeName,
      role,
      clientId: verdict.clientId ?? clientId ?? id,
      bundleId: bundleId ?? id,
      eventMetadata: verdict.eventMetadata,
      random,
      admitted: this.#courier.stamp(),
    };
  }

  async #letIn(entrant: Entrant): Promise<ConnectedClient> {
    const { id, channelId, random, role, clientId, bundleId } = entrant;
    const session = this.#channels.get(channelId) ?? this.#openSession(entrant);
    const connection: Connection = {
      ...entrant,
      session,
      transport: random.pick(["udp", "udp", "udp", "tcp"]),
      created: this.#courier.stamp(),
      createdAt: this.#courier.now(),
      lane: createLane(id, session.lane),
      receivedBytes: 0,
      sentBytes: 0,
      destroyed: undefined,
      done: undefined,
    };
    session.connections.set(id, connection);
    session.unfinished++;
    session.total++;
    session.max = Math.max(session.max, session.connections.size);
    await this.#report("connection.created", connection);
    return {
      allowed: true,
      channelId,
      sessionId: session.id,
      connectionId: id,
      clientId,
      bundleId,
      role,
      get isConnected() {
        return !connection.destroyed;
      },
      get receivedBytes() {
        return connection.receivedBytes;
      },
      get sentBytes() {
        return connection.sentBytes;
      },
      update: () => this.#update(connection),
      disconnect: (reason) => this.disconnect(connection, reason),
    };
  }

  /** Sends `connection.updated`, with more bytes. */
  async #update(connection: Connection): Promise<void> {
    if (connection.destroyed) return;
    this.#grow(connection, 1);
    await this.#track(this.#report("connection.updated", connection));
  }

  disconnect(connection: Connection, reason?: string): Promise<void> {
    if (connection.done) return connection.done;
    const { session } = connection;
    this.#grow(connection, connection.random.next());
    connection.destroyed = this.#courier.stamp();
    session.connections.delete(connection.id);
    const isLast = session.connections.size === 0;
    if (isLast) this.#channels.delete(session.channelId);
    session.ended.push(listedConnection(connection));
    const sent = this.#report("connection.destroyed", connection, reason, isLast);
    connection.done = this.#track(sent.then(() => this.#finish(session)));
    return connection.done;
  }

  async disconnectAll(connections = this.connections()): Promise<void> {
    await Promise.all(connections.map((connection) => this.disconnect(connection)));
  }

  async fail(options: FailOptions): Promise<void> {
    const id = idFor(this.#seed, "failure", this.#failures++);
    const { nodeName } = this.#settings;
    await this.#reportFailure({ id, role: "sendrecv", bundleId: id, nodeName, ...options }, this.#courier.stamp());
  }

  async #reportFailure(
    {
      id,
      role,
      channelId,
      clientId,
      bundleId,
      nodeName,
    }: Pick<Entrant, "id" | "role" | "bundleId" | "nodeName"> & FailOptions,
    created: Stamp,
    reason?: string,
  ): Promise<void> {
    const sent = this.#courier.dispatch(createLane(id), {
      type: "connection.failed",
      nodeName,
      fields: () => ({
        role,
        ...(channelId !== undefined && { channel_id: channelId }),
        ...(clientId !== undefined && { client_id: clientId }),
        bundle_id: bundleId,
        connection_id: id,
        data: connectionData(
          { created, receivedBytes: 0, sentBytes: 0, transport: "udp", destroyed: undefined },
          { counts: this.#counts(channelId), reason },
        ),
      }),
    });
    await this.#track(sent);
  }

  async emit(type: string, fields: Json, nodeName = this.#settings.nodeName): Promise<void> {
    await this.#track(this.#courier.dispatch(this.#lane, { type, nodeName, fields: () => fields }));
  }

  /** Dies without sending events; the cluster notices. */
  async vanish(): Promise<void> {
    const alive = [...this.connections(), ...this.#sessions].map(({ nodeName }) => nodeName);
    this.forget();
    for (const nodeName of new Set([this.#settings.nodeName, ...alive])) {
      await this.emit("session.vanished", {}, nodeName);
    }
  }

  /** Drops everything, and sends no more events about it. */
  forget(): void {
    this.#deaths++;
    for (const connection of this.connections()) {
      connection.destroyed = this.#courier.stamp();
      connection.done = Promise.resolve();
    }
    // A disconnected connection may still have events to send: it belongs to a session that has not ended.
    for (const session of this.#sessions) session.lane.isGone = true;
    this.#sessions.clear();
    this.#channels.clear();
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const end = (): void => void this.#underWay.delete(work);
    work.then(end, end);
    return work;
  }

  #openSession({ id: firstConnection, channelId, nodeName }: Entrant): Session {
    const id = idFor(this.#seed, "session", firstConnection);
    const session: Session = {
      id,
      channelId,
      nodeName,
      created: this.#courier.stamp(),
      ...channelTraits(this.#seed, channelId),
      lane: createLane(id),
      connections: new Map(),
      metadata: undefined,
      unfinished: 0,
      total: 0,
      max: 0,
      ended: [],
    };
    this.#channels.set(channelId, session);
    this.#sessions.add(session);
    void this.#courier.dispatch(session.lane, {
      type: "session.created",
      nodeName,
      fields: () => sessionFields(session),
      onAnswer: (text) => {
        session.metadata = parseObject(text)?.session_metadata;
      },
    });
    return session;
  }

  /** Handles that one connection of a session has sent its last event. */
  async #finish(session: Session): Promise<void> {
    session.unfinished--;
    if (session.unfinished > 0) return;
    const { nodeName, max, total, ended } = session;
    const end = async (): Promise<void> => {
      await this.#courier.dispatch(session.lane, {
        type: "session.destroyed",
        nodeName,
        fields: () => ({
          ...sessionFields(session),
          ...endFields(this.#courier.stamp()),
          max_connections: max,
          total_connections: total,
          connections: ended,
        }),
      });
      this.#sessions.delete(session);
    };
    const { sessionEndsAfterMs } = this.#settings;
    if (sessionEndsAfterMs > 0) this.#courier.timeline.after(sessionEndsAfterMs, end, { canHurry: true });
    else await end();
  }

  #report(type: string, connection: Connection, reason?: string, isLast = false): Promise<void> {
    // The connection may change before the event is sent.
    const present = { ...connection };
    const { destroyed, session, lane, nodeName, role, channelId, clientId, bundleId, id, eventMetadata } = present;
    const minutes = Math.max(0, Math.floor((this.#courier.now() - connection.createdAt) / 60_000));
    return this.#courier.dispatch(lane, {
      type,
      nodeName,
      overtakenOn: destroyed ? (isLast ? session.lane : undefined) : lane,
      fields: () => ({
        role,
        channel_id: channelId,
        session_id: session.id,
        client_id: clientId,
        bundle_id: bundleId,
        connection_id: id,
        ...(eventMetadata && { event_metadata: eventMetadata }),
        data: connectionData(present, { minutes, counts: this.#counts(channelId), reason }),
      }),
    });
  }

  /** The fields with the current numbers of connections in a channel. */
  #counts(channelId = ""): Json {
    const roles = this.connectionsOf(channelId)?.map(({ role }) => role) ?? [];
    const count = (role: Role): number => roles.filter((one) => one === role).length;
    return {
      channel_connections: roles.length,
      channel_sendrecv_connections: count("sendrecv"),
      channel_sendonly_connections: count("sendonly"),
      channel_recvonly_connections: count("recvonly"),
    };
  }

  #grow(connection: Connection, minutes: number): void {
    const { receivedBytes, sentBytes } = growthOf(connection.random, connection.role);
    connection.receivedBytes += Math.round(receivedBytes * minutes);
    connection.sentBytes += Math.round(sentBytes * minutes);
  }
}

/** The fields of a session event, beside the envelope. */
function sessionFields({ id, channelId, created, multistream, spotlight, metadata }: Session): Json {
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

/** The data of a connection event. */
function connectionData(
  {
    created,
    receivedBytes,
    sentBytes,
    transport,
    destroyed,
  }: Pick<Connection, "created" | "receivedBytes" | "sentBytes" | "transport" | "destroyed">,
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
