import type { ListLiveChannelsRequest, LiveChannel, LiveChannels } from "@media-ops/contract";
import { timeKey } from "../time.js";

/** A channel that has connections now, for `setLive()`. */
export type NewLiveChannel = Pick<LiveChannel, "channel_id"> & Partial<LiveChannel>;

const DEFAULT_LIMIT = 100;

/** A channel as the service knows it; what a test leaves out follows from its clients. */
export function toLive(channel: NewLiveChannel, now: number): LiveChannel {
  const clients = [
    ...(channel.clients ?? [{ connection_id: "0J9V6TQ2M4EXK7C3R8ZB5HW1NA", state: "connected" as const }]),
  ];
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
    clients: clients.sort((a, b) => byTime(b.since, a.since)),
  };
}

/** The answer of the operation. */
export function listLive(
  live: readonly LiveChannel[],
  { channel_id, channel: name, limit = DEFAULT_LIMIT }: ListLiveChannelsRequest,
  now: number,
): LiveChannels {
  const named = [channel_id, name].find((one) => one !== undefined);
  const asked = live
    .filter((channel) => channel_id === undefined || channel.channel_id === channel_id)
    .filter((channel) => name === undefined || channel.channel_id.replace(/@[^@]*$/, "") === name)
    .sort((a, b) => b.connections - a.connections);
  const channels = asked.slice(0, limit).map(({ clients = [], omitted_clients: _, ...channel }) => ({
    ...channel,
    ...(named !== undefined && {
      clients: clients.slice(0, limit),
      omitted_clients: Math.max(0, clients.length - limit),
    }),
  }));
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
