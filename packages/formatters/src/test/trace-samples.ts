import type { Trace, TraceLine } from "@media-ops/reports";

const lobby = "lobby@demo";
const failing = "01KAKV09Q2M4EXK7C3R8ZB5HW1";
const ending = "01KAKV0B9G7T5R3P1M8K6H4F2D";

const at = (time: string): string => `2026-11-21T${time}Z`;

/** What happened in a channel, oldest first. */
const lines: readonly TraceLine[] = [
  {
    kind: "events",
    entry: {
      timestamp: "2026-11-20T23:59:58.2Z",
      type: "session.created",
      outcome: "ok",
      channel_id: lobby,
      session_id: "01KAKR6WJ0V8Q3T5Z7N2D4F6H8",
      node_name: "node-1",
    },
  },
  {
    kind: "events",
    entry: {
      timestamp: at("13:47:02.7"),
      type: "connection.created",
      outcome: "ok",
      channel_id: lobby,
      session_id: "01KAKR6WJ0V8Q3T5Z7N2D4F6H8",
      connection_id: ending,
      client_id: "stage-camera-2",
      role: "sendrecv",
      node_name: "node-1",
    },
  },
  {
    kind: "webhooks",
    entry: {
      timestamp: at("13:47:02.801"),
      type: "connection.created",
      url: "https://hooks.example/media",
      status: 200,
      elapsed_time_ms: 84,
      channel_id: lobby,
      connection_id: ending,
    },
  },
  {
    kind: "events",
    entry: {
      timestamp: at("14:02:11.117"),
      type: "admission.refused",
      outcome: "refused",
      channel_id: lobby,
      client_id: "c1",
      role: "sendrecv",
      node_name: "node-1",
      reason: "channel-full",
      detail: "5 of 5",
      jwt_id: "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11",
      key_id: "k7Qm2xVb",
    },
  },
  {
    kind: "events",
    entry: {
      timestamp: at("14:02:12.3"),
      type: "admission.refused",
      outcome: "refused",
      channel_id: lobby,
      client_id: "c7",
      role: "recvonly",
      node_name: "node-1",
      reason: "expired",
      count: 1666,
    },
  },
  {
    kind: "events",
    entry: {
      timestamp: at("14:03:20.000412"),
      type: "connection.failed",
      outcome: "failed",
      channel_id: lobby,
      connection_id: failing,
      client_id: "c2",
      role: "recvonly",
      node_name: "node-2",
      reason: "ice-timeout",
      media_reason: "ICE-TIMEOUT",
      elapsed_time_ms: 20_000,
    },
  },
  {
    kind: "webhooks",
    entry: {
      timestamp: at("14:03:21.44"),
      type: "connection.failed",
      url: "https://hooks.example/media",
      status: 503,
      elapsed_time_ms: 3400,
      channel_id: lobby,
      connection_id: failing,
    },
  },
  {
    kind: "media-api",
    entry: {
      timestamp: at("14:04:02.1"),
      media_target: "Media_20151104.DisconnectChannel",
      channel_id: lobby,
      status: 200,
      elapsed_time_ms: 41,
    },
  },
  {
    kind: "events",
    entry: {
      timestamp: at("14:04:02.7"),
      type: "connection.destroyed",
      outcome: "ok",
      channel_id: lobby,
      session_id: "01KAKR6WJ0V8Q3T5Z7N2D4F6H8",
      connection_id: ending,
      client_id: "stage-camera-2",
      role: "sendrecv",
      node_name: "node-1",
      reason: "disconnected-by-api",
      media_reason: "DISCONNECTED-API",
      elapsed_time_ms: 1_020_000,
    },
    end: {
      timestamp: at("14:04:02.7"),
      channel_id: lobby,
      session_id: "01KAKR6WJ0V8Q3T5Z7N2D4F6H8",
      client_id: "stage-camera-2",
      bundle_id: "",
      connection_id: ending,
      total_received_bytes: 48_000_000,
      total_sent_bytes: 2_000_000,
      created_timestamp: at("13:47:02.7"),
      destroyed_timestamp: at("14:04:02.7"),
      duration_min: 17,
    },
  },
];

/** The trace of a channel. */
export const trace: Trace = {
  subject: "channel",
  id: lobby,
  lines: [...lines],
  complete: true,
  searchedTo: undefined,
  missing: [],
  candidates: [],
  older: { what: lobby, as: "channel", until: "2026-11-20T23:59:58.2Z" },
  newer: undefined,
};

/** The trace of a connection, by a service without an event log, which did not search the whole range. */
export const partialTrace: Trace = {
  subject: "connection",
  id: ending,
  lines: lines.flatMap((line) =>
    line.kind === "events" && line.end && "connection_id" in line.end ? [{ kind: "connections", entry: line.end }] : [],
  ),
  complete: false,
  searchedTo: at("13:40:00"),
  missing: ["events", "webhooks"],
  candidates: [],
  older: undefined,
  newer: undefined,
};

/** A text that names nothing. */
export const emptyTrace: Trace = { ...trace, subject: undefined, id: "0J9V6TQ2…W1NA", lines: [], older: undefined };

/** A text that may name several things. */
export const ambiguousTrace: Trace = {
  ...emptyTrace,
  id: "01KAKV0…",
  candidates: [
    { subject: "connection", id: failing, timestamp: at("14:03:20.000412") },
    { subject: "connection", id: ending, timestamp: at("14:04:02.7") },
    { subject: "client", id: "01KAKV0B9E7W5Q3X1Z8N6M4K2J", timestamp: "2026-11-20T09:00:00Z" },
  ],
};
