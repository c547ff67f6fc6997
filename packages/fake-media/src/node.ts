import {
  Channels,
  type Client,
  type ConnectedClient,
  type Connection,
  connectionData,
  connectionFields,
  listedConnection,
  type Session,
  sessionEndFields,
  sessionFields,
} from "./channels.js";
import { type Courier, createLane, type MediaSums, type SentRequest } from "./courier.js";
import { type Intake, isAcknowledged, parseObject, readVerdict, refuse } from "./intake.js";
import type { ConnectOptions, FailOptions, FakeMediaOptions, Json } from "./options.js";
import { channelTraits, clientTraits, growthOf, idFor, metadataOf, randomFor } from "./random.js";
import type { Stamp, Timeline } from "./timeline.js";

/** The dependencies of a node. */
export interface NodeParts {
  options: FakeMediaOptions & { seed: number };
  /** The fields of every request: version, label, node_name. */
  identity: Json;
  intake: Intake;
  courier: Courier;
  timeline: Timeline;
  now: () => number;
  stamp: () => Stamp;
  sums: MediaSums;
  onSent: (sent: SentRequest) => void;
}

/** The node: admits clients, keeps their connections, and sends their events. */
export class Node {
  readonly channels = new Channels();
  readonly #parts: NodeParts;
  readonly #seed: number;
  readonly #lane = createLane("node");
  /** The sessions that have not ended, with and without connections. */
  readonly #sessions = new Set<Session>();
  readonly #underWay = new Set<Promise<unknown>>();
  #clients = 0;
  #failures = 0;
  /** The number of its deaths: a client that was connecting before a death is not admitted after it. */
  #deaths = 0;

  constructor(parts: NodeParts) {
    this.#parts = parts;
    this.#seed = parts.options.seed;
  }

  get isQuiet(): boolean {
    return this.#underWay.size === 0;
  }

  /** Waits for running work. */
  async quiet(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  connect(options: ConnectOptions): Promise<Client> {
    return this.#track(this.#letIn(options));
  }

  async #letIn(options: ConnectOptions): Promise<Client> {
    const { intake, stamp, sums, onSent, identity } = this.#parts;
    const { channelId, role = "sendrecv", clientId, bundleId } = options;
    const ordinal = this.#clients++;
    const id = idFor(this.#seed, "connection", ordinal);
    const random = randomFor(this.#seed, "client", ordinal);
    const accessToken = options.accessToken ?? this.#parts.options.accessToken?.(channelId, role);
    const metadata = metadataOf({ ...options, ...(accessToken !== undefined && { accessToken }) });
    const traits = { ...channelTraits(this.#seed, channelId), ...clientTraits(random) };
    const deaths = this.#deaths;

    sums.attempts++;
    let body: Json | undefined;
    const answer = await intake.post("auth", () => {
      body = {
        timestamp: stamp().text,
        ...identity,
        role,
        channel_id: channelId,
        connection_id: id,
        ...(clientId !== undefined && { client_id: clientId }),
        ...(bundleId !== undefined && { bundle_id: bundleId }),
        ...traits,
        ...(metadata !== undefined && { metadata }),
        ...(this.#parts.options.reportsConnections !== false && this.channels.counts(channelId)),
      };
      return JSON.stringify(body);
    });
    if (body) onSent({ to: "auth", body, status: answer.status, acknowledged: isAcknowledged(answer) });
    if (!isAcknowledged(answer)) sums.unanswered++;
    const word = readVerdict(answer);
    const verdict = word.allowed && deaths < this.#deaths ? refuse("The node has died.") : word;
    if (!verdict.allowed) {
      sums.refused[verdict.reason] = (sums.refused[verdict.reason] ?? 0) + 1;
      return verdict;
    }
    sums.allowed++;

    const session = this.channels.sessionOf(channelId) ?? this.#openSession(channelId, id);
    const connection: Connection = {
      id,
      channelId,
      session,
      role,
      clientId: verdict.clientId ?? clientId ?? id,
      bundleId: bundleId ?? id,
      eventMetadata: verdict.eventMetadata,
      transport: random.pick(["udp", "udp", "udp", "tcp"]),
      created: stamp(),
      createdAt: this.#parts.now(),
      lane: createLane(id, session.lane),
      random,
      receivedBytes: 0,
      sentBytes: 0,
      destroyed: undefined,
      done: undefined,
    };
    this.channels.enter(connection);
    await this.#report("connection.created", connection);
    return this.#clientOf(connection);
  }

  #clientOf(connection: Connection): ConnectedClient {
    const { channelId, session, id, clientId, bundleId, role } = connection;
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
    connection.destroyed = this.#parts.stamp();
    const isLast = this.channels.leave(connection);
    session.ended.push(listedConnection(connection));
    const sent = this.#report("connection.destroyed", connection, reason, isLast);
    connection.done = this.#track(sent.then(() => this.#finish(session)));
    return connection.done;
  }

  async disconnectAll(connections = this.channels.all()): Promise<void> {
    await Promise.all(connections.map((connection) => this.disconnect(connection)));
  }

  async fail({ channelId, clientId }: FailOptions): Promise<void> {
    const { courier, stamp } = this.#parts;
    const id = idFor(this.#seed, "failure", this.#failures++);
    const created = stamp();
    const sent = courier.dispatch(createLane(id), {
      type: "connection.failed",
      fields: () => ({
        role: "sendrecv",
        ...(channelId !== undefined && { channel_id: channelId }),
        ...(clientId !== undefined && { client_id: clientId }),
        bundle_id: id,
        connection_id: id,
        data: connectionData(
          { created, receivedBytes: 0, sentBytes: 0, transport: "udp", destroyed: undefined },
          { counts: this.channels.counts(channelId) },
        ),
      }),
    });
    await this.#track(sent);
  }

  async emit(type: string, fields: Json): Promise<void> {
    await this.#track(this.#parts.courier.dispatch(this.#lane, { type, fields: () => fields }));
  }

  /** Dies without sending events; the cluster notices. */
  async vanish(): Promise<void> {
    this.forget();
    await this.emit("session.vanished", {});
  }

  /** Drops everything, and sends no more events about it. */
  forget(): void {
    this.#deaths++;
    for (const connection of this.channels.all()) {
      connection.destroyed = this.#parts.stamp();
      connection.done = Promise.resolve();
    }
    // A disconnected connection may still have events to send: it belongs to a session that has not ended.
    for (const session of this.#sessions) session.lane.isGone = true;
    this.#sessions.clear();
    this.channels.clear();
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const end = (): void => void this.#underWay.delete(work);
    work.then(end, end);
    return work;
  }

  #openSession(channelId: string, firstConnection: string): Session {
    const { courier, stamp } = this.#parts;
    const id = idFor(this.#seed, "session", firstConnection);
    const session: Session = {
      id,
      channelId,
      created: stamp(),
      ...channelTraits(this.#seed, channelId),
      lane: createLane(id),
      metadata: undefined,
      unfinished: 0,
      total: 0,
      max: 0,
      ended: [],
    };
    this.#sessions.add(session);
    void courier.dispatch(session.lane, {
      type: "session.created",
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
    const { courier, timeline, stamp, options } = this.#parts;
    const end = async (): Promise<void> => {
      await courier.dispatch(session.lane, {
        type: "session.destroyed",
        fields: () => sessionEndFields(session, stamp()),
      });
      this.#sessions.delete(session);
    };
    const { sessionEndsAfterMs = 0 } = options;
    if (sessionEndsAfterMs > 0) timeline.soonerOrLater(sessionEndsAfterMs, end);
    else await end();
  }

  #report(type: string, connection: Connection, reason?: string, isLast = false): Promise<void> {
    const { courier, now } = this.#parts;
    // The connection may change before the event is sent.
    const present = { ...connection };
    const { destroyed, session, lane } = present;
    const minutes = Math.max(0, Math.floor((now() - connection.createdAt) / 60_000));
    return courier.dispatch(lane, {
      type,
      overtakenOn: destroyed ? (isLast ? session.lane : undefined) : lane,
      fields: () => ({
        ...connectionFields(present),
        data: connectionData(present, { minutes, counts: this.channels.counts(present.channelId), reason }),
      }),
    });
  }

  #grow(connection: Connection, minutes: number): void {
    const { receivedBytes, sentBytes } = growthOf(connection.random, connection.role);
    connection.receivedBytes += Math.round(receivedBytes * minutes);
    connection.sentBytes += Math.round(sentBytes * minutes);
  }
}
