import type { ListLiveChannelsRequest, LiveChannel, LiveChannels, LogEntryOf, LogKind } from "@media-ops/contract";
import { timeKey } from "../time.js";

const SESSION = "7N3DS2KQ4H1WZ9M5XG8TCVB6RY";
const CONNECTION = "0J9V6TQ2M4EXK7C3R8ZB5HW1NA";
const TEN_MINUTES_MS = 600_000;

/** A typical entry of each kind at a given time; tests override single fields. */
export const defaults: { readonly [K in LogKind]: (at: number, projectId: string) => LogEntryOf<K> } = {
  sessions: (at, projectId) => ({
    ...inLobby(at, projectId),
    session_id: SESSION,
    total_connections: 2,
    max_connections: 2,
    ...lastedTenMinutes(at),
  }),
  connections: (at, projectId) => ({
    ...inLobby(at, projectId),
    session_id: SESSION,
    client_id: CONNECTION,
    bundle_id: CONNECTION,
    connection_id: CONNECTION,
    total_received_bytes: 48_211_904,
    total_sent_bytes: 1_930_444,
    ...lastedTenMinutes(at),
  }),
  api: (at) => ({
    timestamp: new Date(at).toISOString(),
    url: "http://media.test/projects/create-access-token",
    status: 200,
    elapsed_time_ms: 3,
  }),
  "media-api": (at, projectId) => ({
    ...inLobby(at, projectId),
    media_target: "Media_20151104.DisconnectChannel",
    status: 200,
    elapsed_time_ms: 21,
  }),
  webhooks: (at) => ({
    timestamp: new Date(at).toISOString(),
    type: "connection.created",
    url: "https://hooks.example/media",
    status: 200,
    elapsed_time_ms: 87,
  }),
  events: (at, projectId) => ({
    ...inLobby(at, projectId),
    type: "connection.created",
    session_id: SESSION,
    connection_id: CONNECTION,
    role: "sendrecv",
    node_name: "node-1",
    outcome: "ok",
  }),
};

function inLobby(at: number, projectId: string) {
  return { timestamp: new Date(at).toISOString(), channel_id: `lobby@${projectId}` };
}

function lastedTenMinutes(end: number) {
  return {
    created_timestamp: new Date(end - TEN_MINUTES_MS).toISOString(),
    destroyed_timestamp: new Date(end).toISOString(),
    duration_min: 10,
  };
}

/** A channel that has connections now, for `setLive()`. */
export type NewLiveChannel = Pick<LiveChannel, "channel_id"> & Partial<LiveChannel>;

/** A channel as the service knows it; what a test leaves out follows from its clients. */
export function toLive(channel: NewLiveChannel, now: number): LiveChannel {
  const { clients = [{ connection_id: CONNECTION, state: "connected" as const }] } = channel;
  const connected = clients.filter(({ state }) => state === "connected");
  const roles: Record<string, number> = {};
  for (const { role } of connected) if (role !== undefined) roles[role] = (roles[role] ?? 0) + 1;
  const [since] = connected.map((client) => client.since ?? new Date(now).toISOString()).sort(byTime);
  return {
    connections: connected.length,
    admitted: clients.length - connected.length,
    roles,
    ...(since !== undefined && { since }),
    ...channel,
    clients: [...clients].sort((a, b) => byTime(b.since, a.since)),
  };
}

/** The answer about live channels. */
export function listLive(
  live: readonly LiveChannel[],
  { channel_id, channel: name, limit = 100 }: ListLiveChannelsRequest,
  now: number,
): LiveChannels {
  const isNamed = (name ?? channel_id) !== undefined;
  const asked = live
    .filter((channel) => channel_id === undefined || channel.channel_id === channel_id)
    .filter((channel) => name === undefined || channel.channel_id.replace(/@[^@]*$/, "") === name)
    .sort((a, b) => b.connections - a.connections);
  const channels = asked.slice(0, limit).map(({ clients = [], omitted_clients: _, ...channel }) => {
    const shown = { clients: clients.slice(0, limit), omitted_clients: Math.max(0, clients.length - limit) };
    return { ...channel, ...(isNamed && shown) };
  });
  return {
    timestamp: new Date(now).toISOString(),
    connections: asked.reduce((sum, { connections }) => sum + connections, 0),
    channels,
    omitted_channels: asked.length - channels.length,
  };
}

function byTime(a: string | undefined, b: string | undefined): number {
  const [first = "", second = ""] = [timeKey(a), timeKey(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}
