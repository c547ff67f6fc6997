import type { LogEntryOf, LogKind } from "@media-ops/contract";
import { logStatus } from "@media-ops/reports";
import { KINDS } from "@media-ops/reports/entries";
import { MediaTooManyRequestsError } from "@media-ops/sdk";
import type { ServiceStatus } from "../status/words.js";

/** The current time of all samples. */
export const now = Date.parse("2026-11-21T14:05:30Z");

export const kinds = KINDS;

/** Realistic entries of each kind, newest first. */
export const samples: { readonly [Kind in LogKind]: readonly LogEntryOf<Kind>[] } = {
  sessions: [
    {
      timestamp: "2026-11-21T14:03:22.481Z",
      channel_id: "lobby@demo",
      session_id: "01KAKR6WJ0V8Q3T5Z7N2D4F6H8",
      total_connections: 1204,
      max_connections: 87,
      created_timestamp: "2026-11-21T11:58:01.002315Z",
      destroyed_timestamp: "2026-11-21T14:03:22.481Z",
      duration_min: 125,
    },
    {
      timestamp: "2026-11-21T13:40:00Z",
      channel_id: "stage 2 & backstage@demo",
      session_id: "01KAKQ1DXP4M6R8S0T2V4W6X8Y",
      total_connections: 12,
      max_connections: 9,
      created_timestamp: "2026-11-21T13:12:44.9Z",
      destroyed_timestamp: "2026-11-21T13:40:00Z",
      duration_min: 27,
    },
    {
      timestamp: "2026-11-20T22:15:09.120004Z",
      channel_id: "会議室@demo",
      session_id: "01KAJ3F2A1B3C5D7E9F1G3H5J7",
      total_connections: 3,
      max_connections: 2,
      created_timestamp: "2026-11-20T22:15:01.120Z",
      destroyed_timestamp: "2026-11-20T22:15:09.120Z",
      duration_min: 0,
    },
  ],
  connections: [
    {
      timestamp: "2026-11-21T14:03:22.480Z",
      channel_id: "lobby@demo",
      session_id: "01KAKR6WJ0V8Q3T5Z7N2D4F6H8",
      client_id: "01KAKV0B9E7W5Q3X1Z8N6M4K2J",
      bundle_id: "01KAKV0B9F0A2C4E6G8J1L3N5P",
      connection_id: "01KAKV0B9G7T5R3P1M8K6H4F2D",
      total_received_bytes: 1_284_331_902,
      total_sent_bytes: 48_120,
      created_timestamp: "2026-11-21T13:18:40.7Z",
      destroyed_timestamp: "2026-11-21T14:03:22.480Z",
      duration_min: 44,
    },
    {
      timestamp: "2026-11-21T14:03:20.015Z",
      channel_id: "lobby@demo",
      session_id: "01KAKR6WJ0V8Q3T5Z7N2D4F6H8",
      client_id: "camera-7",
      bundle_id: "",
      connection_id: "01KAKV0A1H5K7N9Q2S4V6X8Z0B",
      total_received_bytes: 0,
      total_sent_bytes: 999,
      created_timestamp: "2026-11-21T14:03:19.900Z",
      destroyed_timestamp: "2026-11-21T14:03:20.015Z",
      duration_min: 0,
    },
  ],
  api: [
    {
      timestamp: "2026-11-21T14:05:01.332Z",
      url: "https://media.example/orgs/list-webhook-logs",
      status: 200,
      elapsed_time_ms: 3,
    },
    {
      timestamp: "2026-11-21T14:01:44Z",
      url: "https://media.example/projects/create-access-token",
      status: 400,
      elapsed_time_ms: 1,
    },
  ],
  "media-api": [
    {
      timestamp: "2026-11-21T14:04:59.120Z",
      media_target: "Media_20151104.DisconnectChannel",
      channel_id: "lobby@demo",
      status: 200,
      elapsed_time_ms: 41,
    },
    {
      timestamp: "2026-11-21T13:59:10.5Z",
      media_target: "Media_20201005.PushChannel",
      channel_id: "stage 2 & backstage@demo",
      status: 400,
      elapsed_time_ms: 12,
    },
    {
      timestamp: "2026-11-21T13:20:00Z",
      media_target: "Media_20151104.ListConnections",
      channel_id: "lobby@demo",
      status: 503,
      elapsed_time_ms: 10_000,
    },
  ],
  webhooks: [
    {
      timestamp: "2026-11-21T14:05:28.001Z",
      type: "connection.created",
      url: "https://hooks.example/media",
      status: 200,
      elapsed_time_ms: 84,
      channel_id: "lobby@demo",
      connection_id: "01KAKV0B9G7T5R3P1M8K6H4F2D",
      event_id: "01KAKV0C3N8Q6S4T2V0W8X6Y4Z",
    },
    {
      timestamp: "2026-11-21T14:05:12.740Z",
      type: "connection.destroyed",
      url: "https://hooks.example/teams/video/rooms/production/eu-central-1/events",
      status: 503,
      elapsed_time_ms: 1240,
    },
    {
      timestamp: "2026-11-21T14:04:40Z",
      type: "session.created",
      url: "https://hooks.example/media",
      status: 404,
      elapsed_time_ms: 36,
    },
    {
      timestamp: "2026-11-21T13:58:02.900Z",
      type: "session.created",
      url: "https://unreachable.example/in",
      status: 0,
      elapsed_time_ms: 10_000,
    },
    {
      timestamp: "2026-11-20T09:00:00.000001Z",
      type: "session.destroyed",
      url: "https://hooks.example/old?token=<none>&a=1",
      status: 302,
      elapsed_time_ms: 5,
    },
  ],
  events: [
    {
      timestamp: "2026-11-21T14:03:22.480Z",
      type: "connection.destroyed",
      channel_id: "lobby@demo",
      session_id: "01KAKR6WJ0V8Q3T5Z7N2D4F6H8",
      connection_id: "01KAKV0B9G7T5R3P1M8K6H4F2D",
      role: "sendrecv",
      node_name: "node-1",
      outcome: "ok",
      reason: "disconnected-by-api",
      media_reason: "DISCONNECTED-API",
      elapsed_time_ms: 2_681_780,
      event_id: "01KAKV0C3N8Q6S4T2V0W8X6Y4Z",
    },
    {
      timestamp: "2026-11-21T14:03:20.000412Z",
      type: "connection.failed",
      channel_id: "lobby@demo",
      connection_id: "01KAKV09Q2M4EXK7C3R8ZB5HW1",
      client_id: "stage-camera-2",
      bundle_id: "stage",
      role: "recvonly",
      node_name: "node-2",
      outcome: "failed",
      reason: "ice-timeout",
      media_reason: "ICE-TIMEOUT",
      elapsed_time_ms: 20_000,
      event_id: "01KAKV09ZZ7C4R8ZB5HW1NA0J9",
    },
    {
      timestamp: "2026-11-21T14:02:11.117Z",
      type: "admission.refused",
      channel_id: "lobby@demo",
      connection_id: "01KAKTZ8B5HW1NA0J9V6TQ2M4E",
      client_id: "c1",
      role: "sendrecv",
      node_name: "node-1",
      outcome: "refused",
      reason: "channel-full",
      detail: "5 of 5",
      jwt_id: "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11",
      key_id: "k7Qm2xVb",
      count: 1666,
    },
    {
      timestamp: "2026-11-21T13:18:40.700Z",
      type: "connection.created",
      channel_id: "lobby@demo",
      session_id: "01KAKR6WJ0V8Q3T5Z7N2D4F6H8",
      connection_id: "01KAKV0B9G7T5R3P1M8K6H4F2D",
      role: "sendrecv",
      node_name: "node-1",
      outcome: "ok",
      event_id: "01KAKR7A1B3C5D7E9F1G3H5J7K",
    },
  ],
};

/** The states of those logs, of which one is empty. */
export const statuses = kinds.map((kind) => logStatus(kind, kind === "api" ? [] : samples[kind], { now }));

export const service: ServiceStatus = {
  address: "https://media.example",
  answeredInMs: 84,
  askedWith: "profile staging",
};

export const token = "eyJhbGciOiJIUzI1NiJ9.e30.not-a-signature";

export const claims = {
  iat: now / 1000,
  exp: now / 1000 + 600,
  jti: "0b7e8a52-2f0d-4a57-9c1e-6f1f6f0f7a10",
  channel_id: "lobby@demo",
  role: "recvonly",
  max_channel_connections: 5,
};

export const problem = new MediaTooManyRequestsError("429 from https://media.example", {
  status: 429,
  problem: { detail: "The key made more than 50 requests in a second." },
  requestId: "01KAKV0B9E7W5Q3X1Z8N6M4K2J",
  retryAfterMs: 2000,
});
