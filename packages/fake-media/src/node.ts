import { type AdmissionParts, Admissions, type Admitted, DIED } from "./admission.js";
import {
  type Admission,
  Channels,
  type Client,
  type ConnectedClient,
  type Connection,
  connectionData,
  connectionFields,
  type Entrant,
  listedConnection,
  type Session,
  sessionEndFields,
  sessionFields,
} from "./channels.js";
import { type Courier, createLane } from "./courier.js";
import { parseObject, refuse } from "./intake.js";
import type { ConnectOptions, FailOptions, Json } from "./options.js";
import { channelTraits, growthOf, idFor } from "./random.js";
import type { Timeline } from "./timeline.js";

/** The dependencies of a node. */
export interface NodeParts extends AdmissionParts {
  courier: Courier;
  timeline: Timeline;
  now: () => number;
}

/** A client whose connection could not be established. */
type FailedClient = Pick<Admitted, "id" | "role" | "bundleId" | "nodeName" | "at"> & FailOptions;

/** The nodes, which act as one: they admit clients, keep their connections, and send their events. */
export class Node {
  readonly channels = new Channels();
  readonly #parts: NodeParts;
  readonly #seed: number;
  readonly #lane = createLane("node");
  /** The sessions that have not ended, with and without connections. */
  readonly #sessions = new Set<Session>();
  readonly #admissions: Admissions;
  readonly #underWay = new Set<Promise<unknown>>();
  #failures = 0;
  /** The number of its deaths: a client that was connecting before a death is not admitted after it. */
  #deaths = 0;

  constructor(parts: NodeParts) {
    this.#parts = parts;
    this.#seed = parts.options.seed;
    this.#admissions = new Admissions(parts, this.channels);
  }

  get isQuiet(): boolean {
    return this.#underWay.size === 0;
  }

  /** Waits for running work. */
  async quiet(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  connect(options: ConnectOptions): Promise<Client> {
    return this.#track(this.admit(options).then((client) => (client.allowed ? client.connect() : client)));
  }

  async admit(options: ConnectOptions): Promise<Admission> {
    const deaths = this.#deaths;
    const hasDied = (): boolean => deaths < this.#deaths;
    const admitted = await this.#track(this.#admissions.decide(options, hasDied));
    if (!admitted.allowed) return admitted;
    return {
      allowed: true,
      connect: async () => (hasDied() ? refuse(DIED) : this.#track(this.#letIn(admitted))),
      fail: async (reason) => {
        if (!hasDied()) await this.#reportFailure(admitted, reason);
      },
    };
  }

  async #letIn(admitted: Admitted): Promise<ConnectedClient> {
    const { allowed: _, at: __, ...entrant } = admitted;
    const session = this.channels.sessionOf(entrant.channelId) ?? this.#openSession(entrant);
    const connection: Connection = {
      ...entrant,
      session,
      transport: entrant.random.pick(["udp", "udp", "udp", "tcp"]),
      created: this.#parts.stamp(),
      createdAt: this.#parts.now(),
      lane: createLane(entrant.id, session.lane),
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

  async fail(options: FailOptions): Promise<void> {
    const id = idFor(this.#seed, "failure", this.#failures++);
    const { nodeName } = this.#parts.options;
    await this.#reportFailure({ id, role: "sendrecv", bundleId: id, nodeName, at: this.#parts.stamp(), ...options });
  }

  async #reportFailure(
    { id, role, channelId, clientId, bundleId, nodeName, at: created }: FailedClient,
    reason?: string,
  ): Promise<void> {
    const sent = this.#parts.courier.dispatch(createLane(id), {
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
          { counts: this.channels.counts(channelId), reason },
        ),
      }),
    });
    await this.#track(sent);
  }

  async emit(type: string, fields: Json, nodeName = this.#parts.options.nodeName): Promise<void> {
    await this.#track(this.#parts.courier.dispatch(this.#lane, { type, nodeName, fields: () => fields }));
  }

  /** Dies without sending events; the cluster notices. */
  async vanish(): Promise<void> {
    const alive = [...this.channels.all(), ...this.#sessions].map(({ nodeName }) => nodeName);
    this.forget();
    for (const nodeName of new Set([this.#parts.options.nodeName, ...alive])) {
      await this.emit("session.vanished", {}, nodeName);
    }
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

  #openSession({ id: firstConnection, channelId, nodeName }: Entrant): Session {
    const { courier, stamp } = this.#parts;
    const id = idFor(this.#seed, "session", firstConnection);
    const session: Session = {
      id,
      channelId,
      nodeName,
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
    const { courier, timeline, stamp, options } = this.#parts;
    const end = async (): Promise<void> => {
      await courier.dispatch(session.lane, {
        type: "session.destroyed",
        nodeName: session.nodeName,
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
    const { destroyed, session, lane, nodeName } = present;
    const minutes = Math.max(0, Math.floor((now() - connection.createdAt) / 60_000));
    return courier.dispatch(lane, {
      type,
      nodeName,
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
