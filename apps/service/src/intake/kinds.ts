import { NEVER, type NodeGone, type SeatChange } from "../admission/seats.js";
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
import { bodyValidator } from "../http/validation.js";
import type { NewEntry } from "../logs/log-store.js";
import { sortKey } from "../logs/sort-key.js";
import { connectionEntry, sessionEntry } from "./entries.js";
import type { KindName } from "./kind-names.js";

/** What an event leaves behind in the project that it belongs to. */
interface Effects {
  readonly entry?: NewEntry;
  readonly seats?: SeatChange;
}

/** Where an event belongs to. The channel is undefined where a whole node is meant. */
export interface Place {
  readonly projectId: string;
  readonly channelId: string | undefined;
}

/** An event that is in order. */
export interface ReadEvent {
  readonly event: Event;
  /** The node that the event says has vanished. */
  readonly nodeGone?: NodeGone;
  effectsIn(place: Place): Effects;
}

/** How an event of one kind is read, by its schema in the contract. */
function kind<Kind extends Event>(
  schema: string,
  effects: (event: Kind, place: Place) => Effects = () => ({}),
): (body: unknown) => ReadEvent {
  const validate = bodyValidator<Kind>(`intake.yaml#/components/schemas/${schema}`);
  return (body) => {
    const event = validate(body);
    return { event, effectsIn: (place) => effects(event, place) };
  };
}

/** How each of the kinds that mean something here is read. */
export const kinds: Readonly<Record<KindName, (body: unknown) => ReadEvent>> = {
  "session.created": kind<SessionCreated>("SessionCreated"),
  "session.destroyed": kind<SessionDestroyed>("SessionDestroyed", (event, { projectId }) => ({
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
  "session.vanished": vanished,
  "connection.created": kind<ConnectionCreated>("ConnectionCreated", alive),
  // Though the first event of a connection may be lost, it is counted from the next one on.
  "connection.updated": kind<ConnectionUpdated>("ConnectionUpdated", alive),
  "connection.destroyed": kind<ConnectionDestroyed>("ConnectionDestroyed", (event, place) => ({
    entry: connectionEntry(place.projectId, event),
    ...ended(event, place),
  })),
  "connection.failed": kind<ConnectionFailed>("ConnectionFailed", ended),
};

const readVanished = bodyValidator<SessionVanished>("intake.yaml#/components/schemas/SessionVanished");

/** It names a node, whose sessions may be any project's. */
function vanished(body: unknown): ReadEvent {
  const event = readVanished(body);
  const { id: eventId, node_name: nodeName, timestamp } = event;
  const at = timestamp === undefined ? NEVER : sortKey(timestamp);
  return { event, nodeGone: { kind: "node-gone", nodeName, eventId, at }, effectsIn: () => ({}) };
}

const otherKind = kind<OtherEvent>("OtherEvent");

/**
 * Reads an event of whatever kind.
 *
 * @throws {Refusal} which says what is wrong with it.
 */
export function readEvent(body: unknown): ReadEvent {
  const { type }: { type?: unknown } = Object(body);
  return (isKnown(type) ? kinds[type] : otherKind)(body);
}

function isKnown(type: unknown): type is KindName {
  return typeof type === "string" && Object.hasOwn(kinds, type);
}

function alive(event: ConnectionCreated | ConnectionUpdated, { projectId }: Place): Effects {
  const { channel_id, connection_id, node_name = "", session_id = null, data, timestamp } = event;
  return {
    seats: {
      kind: "connected",
      projectId,
      channelId: channel_id,
      connectionId: connection_id,
      nodeName: node_name,
      sessionId: session_id,
      at: sortKey(data?.created_timestamp ?? timestamp ?? "Z"),
    },
  };
}

function ended(event: ConnectionDestroyed | ConnectionFailed, { projectId, channelId }: Place): Effects {
  const { id: eventId, connection_id: connectionId } = event;
  if (channelId === undefined || connectionId === undefined) return {};
  return { seats: { kind: "ended", projectId, channelId, connectionId, eventId } };
}
