import type { LiveChannels } from "@media-ops/sdk";
import { formatCount } from "./values/numbers.js";
import { briefChannel, briefId } from "./values/show.js";
import { brief, fieldNamesOf, fieldOf, NOTHING, textOf } from "./values/text.js";
import { type Clock, clockFor, millisecondsOf, type TimeOptions } from "./values/time.js";

/** The options of every printed list of live channels. */
export interface LiveOptions extends TimeOptions {
  /** The title. @default "Live now" */
  title?: string | undefined;
  /** The channel that was asked for, by its name or id. @default all */
  channel?: string | undefined;
  /** A note below. @default none */
  note?: string | undefined;
}

/** A channel in words. */
export interface LiveChannelWords {
  name: string;
  /** How many are connected. */
  connections: number;
  /** "5 of 5 seats", "3 of 5–8 seats"; a dash if there is no limit. */
  seats: string;
  /** "3 sendrecv, 2 recvonly" */
  roles: string;
  /** How many were admitted and have not connected yet. */
  admitted: number;
  /** When the oldest connection was created, in milliseconds since 1970. */
  since: number | undefined;
  clients: readonly LiveClientWords[];
  /** How many more there are. */
  omitted: number;
}

/** A connection in words. */
export interface LiveClientWords {
  client: string;
  connection: string;
  role: string;
  node: string;
  since: number | undefined;
  isAdmitted: boolean;
}

/** The parts of every printed list of live channels. Its texts contain untrusted names, which are not escaped. */
export interface LiveParts {
  clock: Clock;
  title: string;
  /** How many are connected, in a sentence. */
  words: string;
  channels: readonly LiveChannelWords[];
  /** When they were counted, in milliseconds since 1970. */
  time: number | undefined;
  notes: readonly string[];
}

/** Live channels in words; never throws, whatever they contain. */
export function liveParts(live: LiveChannels, options: LiveOptions): LiveParts {
  const clock = clockFor(options);
  const { title, channel, note = "" } = options;
  const channels = listIn(live, "channels").map(channelWordsOf);
  const omitted = numberIn(live, "omitted_channels");
  const notes = [omitted === 0 ? "" : `${counted(omitted, "more channel is", "more channels are")} not shown.`, note];
  return {
    clock,
    title: title || "Live now",
    words: totalWords(numberIn(live, "connections"), { channels, omitted, channel }),
    channels,
    time: timeIn(live, "timestamp"),
    notes: notes.filter((text) => text !== ""),
  };
}

interface Listed {
  channels: readonly LiveChannelWords[];
  omitted: number;
  channel: string | undefined;
}

/** "7 connections in 2 channels, and 1 client was admitted and has not connected yet." */
function totalWords(connections: number, { channels, omitted, channel }: Listed): string {
  const admitted = channels.reduce((sum, one) => sum + one.admitted, 0);
  const waiting =
    admitted === 0
      ? ""
      : `${counted(admitted, "client was", "clients were")} admitted and ${admitted === 1 ? "has" : "have"} not connected yet`;
  const place =
    channel === undefined
      ? ` in ${counted(channels.length + omitted, "channel", "channels")}`
      : ` in ${briefChannel(channel)}`;
  if (connections === 0) return `Nobody is connected${channel === undefined ? "" : place}${waiting && `; ${waiting}`}.`;
  return `${counted(connections, "connection", "connections")}${place}${waiting && `; ${waiting}`}.`;
}

function channelWordsOf(channel: unknown): LiveChannelWords {
  const [connections, admitted] = [numberIn(channel, "connections"), numberIn(channel, "admitted")];
  return {
    name: briefChannel(textOf(fieldOf(channel, "channel_id"))),
    connections,
    seats: seatsOf(connections + admitted, fieldOf(channel, "limits")),
    roles: rolesOf(fieldOf(channel, "roles")),
    admitted,
    since: timeIn(channel, "since"),
    clients: listIn(channel, "clients").map(clientWordsOf),
    omitted: numberIn(channel, "omitted_clients"),
  };
}

/** Admitted clients take seats, too; tokens may differ in their limits. */
function seatsOf(taken: number, limits: unknown): string {
  if (typeof limits !== "object" || limits === null) return NOTHING;
  const [min, max] = [numberIn(limits, "min"), numberIn(limits, "max")];
  const range = min === max ? formatCount(max) : `${formatCount(min)}–${formatCount(max)}`;
  return `${formatCount(taken)} of ${range} ${max === 1 ? "seat" : "seats"}`;
}

/** How many roles are named; the media server has three. */
const ROLES = 6;

function rolesOf(roles: unknown): string {
  const named = fieldNamesOf(roles).slice(0, ROLES);
  return named.map((role) => `${formatCount(numberIn(roles, role))} ${brief(role, NAME)}`).join(", ") || NOTHING;
}

function clientWordsOf(client: unknown): LiveClientWords {
  const text = (field: string): string => brief(textOf(fieldOf(client, field)), NAME);
  return {
    client: text("client_id"),
    connection: briefId(textOf(fieldOf(client, "connection_id"))),
    role: text("role"),
    node: text("node_name"),
    since: timeIn(client, "since"),
    isAdmitted: fieldOf(client, "state") === "admitted",
  };
}

const NAME = 40;

const counted = (count: number, one: string, many: string): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

function listIn(thing: unknown, field: string): readonly unknown[] {
  const value = fieldOf(thing, field);
  return Array.isArray(value) ? value : [];
}

function numberIn(thing: unknown, field: string): number {
  const value = fieldOf(thing, field);
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;
}

const timeIn = (thing: unknown, field: string): number | undefined => millisecondsOf(fieldOf(thing, field));
