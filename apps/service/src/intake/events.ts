import type {
  ConnectionCreated,
  ConnectionDestroyed,
  ConnectionFailed,
  ConnectionLogEntry,
  ConnectionUpdated,
  Event,
  EventReason,
  OtherEvent,
  SessionCreated,
  SessionDestroyed,
  SessionLogEntry,
  SessionVanished,
} from "@media-ops/contract";
import { NEVER, type NodeGone } from "../admission/seats.js";
import { bodyValidator } from "../http/operations.js";
import { type EventFields, type NewEntry, sortKey, toEvent } from "../logs/log-store.js";
import type { EventType } from "./event-types.js";
import type { EventEffects } from "./intake-store.js";

/** The project and channel of an event. The channel is undefined if the event concerns a whole node. */
export interface EventOrigin {
  readonly projectId: string;
  readonly channelId: string | undefined;
  /** What is known of the connection's client, if the event does not name its channel. */
  readonly client?: Partial<Pick<EventFields, "client_id" | "role">> | undefined;
  readonly receivedAt: number;
}

/** A valid event. */
export interface ReadEvent {
  readonly event: Event;
  readonly nodeGone?: NodeGone;
  effectsIn(origin: EventOrigin): ReadEffects;
}

interface ReadEffects extends EventEffects {
  readonly failure?: Pick<EventFields, "reason"> | undefined;
}

type ReadBody = (body: unknown) => ReadEvent;

function reader<OneEvent extends Event>(
  schema: string,
  effects: (event: OneEvent, origin: EventOrigin) => ReadEffects,
): ReadBody {
  const validate = bodyValidator<OneEvent>(`intake.yaml#/components/schemas/${schema}`);
  return (body) => {
    const event = validate(body);
    return { event, effectsIn: (origin) => effects(event, origin) };
  };
}

const readVanished = bodyValidator<SessionVanished>("intake.yaml#/components/schemas/SessionVanished");

/** The reader of each event type that the service handles. */
export const eventReaders: Readonly<Record<EventType, ReadBody>> = {
  "session.created": reader<SessionCreated>("SessionCreated", (event, origin) => ({
    entries: [eventEntry(event, origin)],
  })),
  "session.destroyed": reader<SessionDestroyed>("SessionDestroyed", (event, origin) => {
    const { minutes, ms } = elapsedBetween(event.created_timestamp, event.destroyed_timestamp);
    return {
      entries: [sessionEntry(origin.projectId, event, minutes), eventEntry(event, origin, { elapsed_time_ms: ms })],
      seats: {
        kind: "session-ended",
        projectId: origin.projectId,
        channelId: event.channel_id,
        sessionId: event.session_id,
        eventId: event.id,
        since: sortKey(event.created_timestamp),
        at: sortKey(event.destroyed_timestamp),
      },
    };
  }),
  // It names a node, on which any project may have sessions.
  "session.vanished": (body) => {
    const event = readVanished(body);
    const { id: eventId, node_name: nodeName, timestamp } = event;
    const at = timestamp === undefined ? NEVER : sortKey(timestamp);
    return { event, nodeGone: { kind: "node-gone", nodeName, eventId, at, timestamp }, effectsIn: () => ({}) };
  },
  "connection.created": reader<ConnectionCreated>("ConnectionCreated", (event, origin) => ({
    ...connected(event, origin),
    entries: [eventEntry(event, origin)],
  })),
  // If a connection's first event is lost, the connection is counted from its next one on.
  "connection.updated": reader<ConnectionUpdated>("ConnectionUpdated", connected),
  "connection.destroyed": reader<ConnectionDestroyed>("ConnectionDestroyed", (event, origin) => {
    const ending = readReason(event.data.reason);
    const { minutes, ms } = elapsedBetween(event.data.created_timestamp, event.data.destroyed_timestamp);
    return {
      entries: [
        connectionEntry(origin.projectId, event, minutes),
        eventEntry(event, origin, { ...ending, elapsed_time_ms: ms }),
      ],
      seats: ended(event, origin),
      failure: ending.outcome === "failed" ? ending : undefined,
    };
  }),
  "connection.failed": reader<ConnectionFailed>("ConnectionFailed", (event, origin) => {
    // Whatever the reason is: the connection was not made.
    const failure = { ...readReason(event.data?.reason), outcome: "failed" } as const;
    const [from, until] = [event.data?.created_timestamp, event.timestamp];
    const elapsed_time_ms = from !== undefined && until !== undefined ? elapsedBetween(from, until).ms : undefined;
    return {
      entries: [eventEntry(event, origin, { ...failure, elapsed_time_ms })],
      seats: ended(event, origin),
      failure,
    };
  }),
};

const readOther = reader<OtherEvent>("OtherEvent", (event, origin) => ({ entries: [eventEntry(event, origin)] }));

/** Reads an event of any type; throws a refusal if the event is invalid. */
export function readEvent(body: unknown): ReadEvent {
  const { type }: { type?: unknown } = Object(body);
  return (isHandled(type) ? eventReaders[type] : readOther)(body);
}

const isHandled = (type: unknown): type is EventType => typeof type === "string" && Object.hasOwn(eventReaders, type);

function connected(event: ConnectionCreated | ConnectionUpdated, { projectId }: EventOrigin): EventEffects {
  const { channel_id, connection_id, client_id, role = null, node_name = "", session_id = null } = event;
  const at = sortKey(event.data?.created_timestamp ?? event.timestamp ?? "Z");
  const clientId = client_id === undefined || client_id === connection_id ? null : client_id;
  const seat = { projectId, channelId: channel_id, connectionId: connection_id, clientId, role };
  return { seats: { kind: "connected", ...seat, nodeName: node_name, sessionId: session_id, at } };
}

function ended(event: ConnectionDestroyed | ConnectionFailed, { projectId, channelId }: EventOrigin) {
  const { id: eventId, connection_id: connectionId } = event;
  if (channelId === undefined || connectionId === undefined) return undefined;
  return { kind: "ended", projectId, channelId, connectionId, eventId } as const;
}

function eventEntry(event: Event, origin: EventOrigin, more: Partial<EventFields> = {}): NewEntry {
  const { type, session_id, connection_id, node_name } = event;
  const { projectId, channelId = event.channel_id, client } = origin;
  // A client without ids of its own is reported with the connection's.
  const own = (name: string | undefined): string | undefined => (name === connection_id ? undefined : name);
  return toEvent(projectId, {
    timestamp: event.timestamp ?? new Date(origin.receivedAt).toISOString(),
    type,
    channel_id: channelId,
    session_id,
    connection_id,
    client_id: own(event.client_id ?? client?.client_id),
    bundle_id: own(event.bundle_id),
    role: event.role ?? client?.role,
    node_name,
    outcome: "ok",
    ...more,
    event_id: event.id,
  });
}

interface Meaning {
  readonly reason: EventReason;
  /** Whether a connection that had been made counts as broken. */
  readonly outcome: EventFields["outcome"];
}

// The words differ between versions, so they are told apart by what they contain. The first that fits counts.
const meanings: readonly (readonly [pattern: RegExp, meaning: Meaning])[] = [
  [/\bICE\b.*TIME.?OUT/, { reason: "ice-timeout", outcome: "failed" }],
  [/\bICE\b/, { reason: "ice-failed", outcome: "failed" }],
  [/DTLS/, { reason: "dtls-failed", outcome: "failed" }],
  [/DISCONNECT(ED)?.*API|API.*DISCONNECT/, { reason: "disconnected-by-api", outcome: "ok" }],
  [/(LIFETIME|SESSION).*(EXPIRED|TIME.?OUT)/, { reason: "lifetime-expired", outcome: "ok" }],
  [/NODE.*(DOWN|GONE|DIED)/, { reason: "node-gone", outcome: "failed" }],
  [/SIGNALING|WEB.?SOCKET/, { reason: "signaling-lost", outcome: "failed" }],
  [/TIME.?OUT/, { reason: "timeout", outcome: "failed" }],
];

// The ends that a client or the last participant causes. They explain nothing.
const ORDINARY = /^(NO.?ERROR|NORMAL|OK|CLIENT.*|DISCONNECT(ED)?|WEB.?SOCKET.?ON.?CLOSE|SESSION.?DESTROYED)$/;

const MAX_WORD = 255;

/** A connection's outcome, and the reason in our words and the media server's; an unknown word is no failure. */
export function readReason(word: string | undefined): Pick<EventFields, "outcome" | "reason" | "media_reason"> {
  if (word === undefined || word === "") return { outcome: "ok" };
  const media_reason = word.slice(0, MAX_WORD);
  const upper = media_reason.toUpperCase().replaceAll("_", "-");
  if (ORDINARY.test(upper)) return { outcome: "ok", media_reason };
  const [, meaning] = meanings.find(([pattern]) => pattern.test(upper)) ?? [];
  const { outcome, reason } = meaning ?? { outcome: "ok", reason: "other" };
  return { outcome, reason, media_reason };
}

function sessionEntry(projectId: string, event: SessionDestroyed, duration_min: number): NewEntry {
  const { timestamp, created_timestamp, destroyed_timestamp } = event;
  const entry: SessionLogEntry = {
    timestamp,
    channel_id: event.channel_id,
    session_id: event.session_id,
    total_connections: event.total_connections,
    max_connections: event.max_connections,
    created_timestamp,
    destroyed_timestamp,
    duration_min,
  };
  return { projectId, kind: "sessions", timestamp, text: JSON.stringify(entry) };
}

function connectionEntry(projectId: string, event: ConnectionDestroyed, duration_min: number): NewEntry {
  const { timestamp, connection_id } = event;
  const { created_timestamp, destroyed_timestamp, total_received_bytes, total_sent_bytes } = event.data;
  const entry: ConnectionLogEntry = {
    timestamp,
    channel_id: event.channel_id,
    session_id: event.session_id,
    // If the client sent none, these are the connection's id.
    client_id: event.client_id ?? connection_id,
    bundle_id: event.bundle_id ?? connection_id,
    connection_id,
    total_received_bytes,
    total_sent_bytes,
    created_timestamp,
    destroyed_timestamp,
    duration_min,
  };
  return { projectId, kind: "connections", timestamp, text: JSON.stringify(entry) };
}

/** The time between two UTC timestamps: the whole minutes, for which all digits of the fractions count, and the ms. */
export function elapsedBetween(from: string, until: string): { minutes: number; ms: number } {
  const [start, end] = [secondsOf(from), secondsOf(until)];
  const seconds = end.seconds - start.seconds;
  const wholeSeconds = end.fraction < start.fraction ? seconds - 1 : seconds;
  const ms = ({ fraction }: { fraction: string }): number => Number(fraction.slice(0, 3).padEnd(3, "0"));
  // The clock may have been set back in between.
  return {
    minutes: Math.max(0, Math.floor(wholeSeconds / 60)),
    ms: Math.max(0, seconds * 1000 + ms(end) - ms(start)),
  };
}

function secondsOf(timestamp: string): { seconds: number; fraction: string } {
  // The seconds are parsed separately, because Date rejects a leap second (23:59:60).
  const minute = Date.parse(`${timestamp.slice(0, MINUTE_END)}Z`);
  const seconds = minute / 1000 + Number(timestamp.slice(MINUTE_END + 1, SECOND_END));
  // Without trailing zeros, fractions compare as texts.
  return { seconds, fraction: sortKey(timestamp).slice(SECOND_END + 1) };
}

const MINUTE_END = "2026-04-01T09:30".length;
const SECOND_END = "2026-04-01T09:30:15".length;
