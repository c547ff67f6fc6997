import { NEVER, type NodeGone } from "../admission/seats.js";
import type {
  ConnectionCreated,
  ConnectionDestroyed,
  ConnectionFailed,
  ConnectionUpdated,
  Event,
  OtherEvent,
  SessionCreated,
  SessionDestroyed,
  SessionVanished,
} from "../generated/intake.js";
import type { ConnectionLogEntry, SessionLogEntry } from "../generated/media.js";
import { bodyValidator } from "../http/json-body.js";
import { type NewEntry, sortKey } from "../logs/log-store.js";
import type { EventType } from "./event-types.js";
import type { EventEffects } from "./intake-store.js";

/** The project and channel of an event. The channel is undefined if the event concerns a whole node. */
export interface EventOrigin {
  readonly projectId: string;
  readonly channelId: string | undefined;
}

/** A valid event. */
export interface ReadEvent {
  readonly event: Event;
  /** The vanished node that the event reports. */
  readonly nodeGone?: NodeGone;
  /** The changes that the event causes in its project. */
  effectsIn(origin: EventOrigin): EventEffects;
}

type ReadBody = (body: unknown) => ReadEvent;

/** Creates a reader for events of one type, by their schema in the contract. */
function reader<OneEvent extends Event>(
  schema: string,
  effects: (event: OneEvent, origin: EventOrigin) => EventEffects = () => ({}),
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
  "session.created": reader<SessionCreated>("SessionCreated"),
  "session.destroyed": reader<SessionDestroyed>("SessionDestroyed", (event, { projectId }) => ({
    entry: sessionEntry(projectId, event),
    seats: {
      kind: "session-ended",
      projectId,
      channelId: event.channel_id,
      sessionId: event.session_id,
      eventId: event.id,
      since: sortKey(event.created_timestamp),
      at: sortKey(event.destroyed_timestamp),
    },
  })),
  // It names a node, on which any project may have sessions.
  "session.vanished": (body) => {
    const event = readVanished(body);
    const { id: eventId, node_name: nodeName, timestamp } = event;
    const at = timestamp === undefined ? NEVER : sortKey(timestamp);
    return { event, nodeGone: { kind: "node-gone", nodeName, eventId, at }, effectsIn: () => ({}) };
  },
  "connection.created": reader<ConnectionCreated>("ConnectionCreated", connected),
  // If a connection's first event is lost, the connection is counted from its next one on.
  "connection.updated": reader<ConnectionUpdated>("ConnectionUpdated", connected),
  "connection.destroyed": reader<ConnectionDestroyed>("ConnectionDestroyed", (event, origin) => ({
    entry: connectionEntry(origin.projectId, event),
    seats: ended(event, origin),
  })),
  "connection.failed": reader<ConnectionFailed>("ConnectionFailed", (event, origin) => ({
    seats: ended(event, origin),
  })),
};

const readOther = reader<OtherEvent>("OtherEvent");

/** Reads an event of any type; throws a refusal if the event is invalid. */
export function readEvent(body: unknown): ReadEvent {
  const { type }: { type?: unknown } = Object(body);
  return (isHandled(type) ? eventReaders[type] : readOther)(body);
}

const isHandled = (type: unknown): type is EventType => typeof type === "string" && Object.hasOwn(eventReaders, type);

function connected(event: ConnectionCreated | ConnectionUpdated, { projectId }: EventOrigin): EventEffects {
  const { channel_id, connection_id, node_name = "", session_id = null, data, timestamp } = event;
  const at = sortKey(data?.created_timestamp ?? timestamp ?? "Z");
  const seat = { projectId, channelId: channel_id, connectionId: connection_id };
  return { seats: { kind: "connected", ...seat, nodeName: node_name, sessionId: session_id, at } };
}

function ended(event: ConnectionDestroyed | ConnectionFailed, { projectId, channelId }: EventOrigin) {
  const { id: eventId, connection_id: connectionId } = event;
  if (channelId === undefined || connectionId === undefined) return undefined;
  return { kind: "ended", projectId, channelId, connectionId, eventId } as const;
}

function sessionEntry(projectId: string, event: SessionDestroyed): NewEntry {
  const { timestamp, created_timestamp, destroyed_timestamp } = event;
  const entry: SessionLogEntry = {
    timestamp,
    channel_id: event.channel_id,
    session_id: event.session_id,
    total_connections: event.total_connections,
    max_connections: event.max_connections,
    created_timestamp,
    destroyed_timestamp,
    duration_min: wholeMinutes(created_timestamp, destroyed_timestamp),
  };
  return { projectId, kind: "sessions", timestamp, text: JSON.stringify(entry) };
}

function connectionEntry(projectId: string, event: ConnectionDestroyed): NewEntry {
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
    duration_min: wholeMinutes(created_timestamp, destroyed_timestamp),
  };
  return { projectId, kind: "connections", timestamp, text: JSON.stringify(entry) };
}

/**
 * The whole minutes between two UTC timestamps, rounded down; all digits of their fractions count.
 *
 * @example wholeMinutes("2026-04-01T09:30:15Z", "2026-04-01T09:32:12Z") // 1
 */
export function wholeMinutes(from: string, until: string): number {
  const [start, end] = [secondsOf(from), secondsOf(until)];
  const seconds = end.seconds - start.seconds - (end.fraction < start.fraction ? 1 : 0);
  // The clock may have been set back in between.
  return Math.max(0, Math.floor(seconds / 60));
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
