import type { LiveChannels } from "@media-ops/contract";
import type { Why, WhyCause } from "@media-ops/reports";

const lobby = "lobby@demo";

const at = (time: string): string => `2026-11-21T${time}Z`;

const clients = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `viewer-${at + 1}`, count: at === 0 ? 2 : 1 }));

/** Connections on a node time out. */
export const iceTimeouts: WhyCause = {
  outcome: "failed",
  reason: "ice-timeout",
  mediaReason: "ICE-TIMEOUT",
  count: 45,
  before: 2,
  detail: undefined,
  clients: clients(10),
  clientCount: 44,
  nodes: [{ name: "node-2", count: 45 }],
  channels: [
    { name: lobby, count: 30 },
    { name: "stage 2 & backstage@demo", count: 15 },
  ],
  where: { outcome: { eq: "failed" }, reason: { eq: "ice-timeout" } },
};

/** A client's token has expired. */
export const expiredToken: WhyCause = {
  outcome: "refused",
  reason: "expired",
  mediaReason: undefined,
  count: 1666,
  before: 0,
  detail: undefined,
  clients: [{ name: "c7", count: 1666 }],
  clientCount: 1,
  nodes: [{ name: "node-1", count: 1666 }],
  channels: [{ name: lobby, count: 1666 }],
  where: { outcome: { eq: "refused" }, reason: { eq: "expired" } },
};

/** A channel is full. */
export const fullChannel: WhyCause = {
  outcome: "refused",
  reason: "channel-full",
  mediaReason: undefined,
  count: 12,
  before: undefined,
  detail: "5 of 5",
  clients: [
    { name: "c1", count: 10 },
    { name: "c3", count: 2 },
  ],
  clientCount: 2,
  nodes: [
    { name: "node-1", count: 7 },
    { name: "node-2", count: 5 },
  ],
  channels: [{ name: "stage 2 & backstage@demo", count: 12 }],
  where: { outcome: { eq: "refused" }, reason: { eq: "channel-full" } },
};

/** Why connections failed in twenty minutes. */
export const why: Why = {
  since: at("13:45:30"),
  until: at("14:05:30"),
  complete: true,
  counts: { connected: 120, ok: 71, failed: 45, refused: 1678 },
  before: { connected: 118, ok: 110, failed: 2, refused: 0 },
  causes: [iceTimeouts, expiredToken, fullChannel],
};

/** Twenty minutes in which nothing failed. */
export const calmWhy: Why = {
  ...why,
  counts: { connected: 120, ok: 118, failed: 0, refused: 0 },
  before: { connected: 98, ok: 99, failed: 0, refused: 0 },
  causes: [],
};

/** The same if not all of it was counted. */
export const partialWhy: Why = { ...calmWhy, since: at("13:52:10"), complete: false };

/** The channels that have connections. */
export const live: LiveChannels = {
  timestamp: at("14:05:30.201"),
  connections: 8,
  channels: [
    {
      channel_id: lobby,
      connections: 5,
      admitted: 0,
      roles: { sendrecv: 3, recvonly: 2 },
      since: at("13:47:02.7"),
      limits: { min: 5, max: 5 },
    },
    {
      channel_id: "stage 2 & backstage@demo",
      connections: 2,
      admitted: 1,
      roles: { recvonly: 2 },
      since: "2026-11-20T22:12:40.000913Z",
      limits: { min: 5, max: 8 },
    },
    { channel_id: "会議室@demo", connections: 1, admitted: 0, roles: { sendonly: 1 }, since: at("14:05:29") },
  ],
  omitted_channels: 0,
};

/** One channel with its clients. */
export const liveLobby: LiveChannels = {
  timestamp: at("14:05:30.201"),
  connections: 2,
  channels: [
    {
      channel_id: lobby,
      connections: 2,
      admitted: 1,
      roles: { sendrecv: 2 },
      since: at("13:47:02.7"),
      limits: { min: 5, max: 5 },
      clients: [
        {
          connection_id: "01KAKV0D5K7M9N1P3Q5R7S9T1V",
          state: "admitted",
          since: at("14:05:28.9"),
          client_id: "c1",
          role: "sendrecv",
          max_channel_connections: 5,
        },
        {
          connection_id: "01KAKV09Q2M4EXK7C3R8ZB5HW1",
          state: "connected",
          since: at("14:03:40"),
          role: "sendrecv",
          node_name: "node-2",
        },
        {
          connection_id: "01KAKV0B9G7T5R3P1M8K6H4F2D",
          state: "connected",
          since: at("13:47:02.7"),
          client_id: "stage-camera-2",
          role: "sendrecv",
          session_id: "01KAKR6WJ0V8Q3T5Z7N2D4F6H8",
          node_name: "node-1",
        },
      ],
      omitted_clients: 0,
    },
  ],
  omitted_channels: 0,
};
