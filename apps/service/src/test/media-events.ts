import { randomUUID } from "node:crypto";

/** An event as the media server sends it. */
export interface MediaEvent {
  readonly type: string;
  readonly id: string;
  readonly [member: string]: unknown;
}

/** A connection, as its events describe it. */
export type TestConnection = ReturnType<typeof connectionOf>;

/** A session, as its events describe it. */
export type TestSession = Pick<TestConnection, "channelId" | "sessionId" | "nodeName" | "createdAt" | "destroyedAt">;

/** A client that wants to connect. */
export interface TestAttempt {
  readonly token?: unknown;
  readonly channelId?: string;
  readonly connectionId?: string;
  readonly role?: string;
  readonly at?: string | undefined;
  /** The media server's count of connections. @default not reported */
  readonly reported?: number | undefined;
  readonly nodeName?: string;
  /** @default none */
  readonly clientId?: string;
}

/** The time of the tests; sent events were created a little earlier. */
export const present = Date.parse("2026-04-01T12:00:00Z");

/** An id in the format of the media server. */
export const newId = (): string => randomUUID().replaceAll("-", "").slice(0, 26).toUpperCase();

/** A number of milliseconds after 10 o'clock, as the media server writes it. */
export const momentAt = (ms: number): string =>
  new Date(present - 2 * 60 * 60 * 1000 + ms).toISOString().replace("Z", "250Z");

const usual = {
  channelId: "lobby@demo",
  sessionId: "",
  connectionId: "",
  nodeName: "node-1",
  createdAt: momentAt(1000),
  destroyedAt: momentAt(601_000),
  receivedBytes: 48_211_904,
  sentBytes: 1_930_444,
};

/** A body for `/intake/auth`. */
export function authRequest({ token, reported, ...attempt }: TestAttempt = {}): Record<string, unknown> {
  const { channelId = "lobby@demo", connectionId = newId(), role = "sendrecv", nodeName = "node-1" } = attempt;
  const { at = momentAt(0), clientId } = attempt;
  return {
    timestamp: at,
    version: "2026.1.0",
    label: "tokyo",
    node_name: nodeName,
    role,
    channel_id: channelId,
    connection_id: connectionId,
    ...(clientId !== undefined && { client_id: clientId }),
    multistream: true,
    audio: true,
    video: { codec_type: "VP9" },
    ...(token !== undefined && { metadata: { access_token: token } }),
    ...(reported !== undefined && { channel_connections: reported }),
  };
}

/** An event of any type. */
export const mediaEvent = (type: string, members: object = {}): MediaEvent => ({
  type,
  id: newId(),
  timestamp: momentAt(0),
  version: "2026.1.0",
  label: "tokyo",
  node_name: "node-1",
  ...members,
});

/** A connection that lasted ten minutes, except for the given properties. */
export const connectionOf = (known: Partial<typeof usual> = {}) => ({
  ...usual,
  sessionId: newId(),
  connectionId: newId(),
  ...known,
});

const ofConnection = ({ channelId, sessionId, connectionId, nodeName }: TestConnection) => ({
  node_name: nodeName,
  role: "sendrecv",
  channel_id: channelId,
  session_id: sessionId,
  connection_id: connectionId,
});

const aliveData = ({ createdAt }: TestConnection) => ({
  minutes: 0,
  created_timestamp: createdAt,
  total_received_bytes: 0,
  total_sent_bytes: 0,
});

export const connectionCreated = (connection: TestConnection): MediaEvent =>
  mediaEvent("connection.created", {
    ...ofConnection(connection),
    timestamp: connection.createdAt,
    data: aliveData(connection),
  });

export const connectionUpdated = (connection: TestConnection): MediaEvent =>
  mediaEvent("connection.updated", { ...ofConnection(connection), data: aliveData(connection) });

export const connectionDestroyed = (connection: TestConnection): MediaEvent =>
  mediaEvent("connection.destroyed", {
    ...ofConnection(connection),
    timestamp: connection.destroyedAt,
    data: {
      ...aliveData(connection),
      destroyed_timestamp: connection.destroyedAt,
      total_received_bytes: connection.receivedBytes,
      total_sent_bytes: connection.sentBytes,
    },
  });

/** The shortest event that the media server sends of this type: without a channel. */
export const connectionFailed = ({ connectionId, nodeName }: TestConnection): MediaEvent =>
  mediaEvent("connection.failed", { node_name: nodeName, connection_id: connectionId });

const ofSession = ({ channelId, sessionId, nodeName, createdAt }: TestSession) => ({
  node_name: nodeName,
  channel_id: channelId,
  session_id: sessionId,
  multistream: true,
  spotlight: false,
  created_timestamp: createdAt,
});

export const sessionCreated = (session: TestSession): MediaEvent =>
  mediaEvent("session.created", { ...ofSession(session), timestamp: session.createdAt });

export const sessionDestroyed = (session: TestSession, { max = 1, total = 1 } = {}): MediaEvent =>
  mediaEvent("session.destroyed", {
    ...ofSession(session),
    timestamp: session.destroyedAt,
    destroyed_timestamp: session.destroyedAt,
    max_connections: max,
    total_connections: total,
  });

export const sessionVanished = (nodeName: string, at: string): MediaEvent =>
  mediaEvent("session.vanished", { node_name: nodeName, timestamp: at });
