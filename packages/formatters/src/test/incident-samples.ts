import type { Incident } from "../incident/incident.js";
import { now } from "./samples.js";

const MINUTE = 60_000;

const periods = (counts: readonly number[]) => {
  const start = Math.floor(now / MINUTE) * MINUTE - (counts.length - 1) * MINUTE;
  return counts.map((count, at) => ({ from: start + at * MINUTE, to: start + (at + 1) * MINUTE, count }));
};

/** Webhooks that have failed for twelve minutes. */
export const failing: Incident = {
  kind: "webhooks",
  measure: "count",
  limit: 10,
  overMs: 5 * MINUTE,
  value: 300,
  worst: 410,
  began: now - 12.5 * MINUTE,
  lookedUntil: now - 4000,
  count: 834,
  total: 1200,
  isFailure: true,
  groups: [
    {
      field: "status",
      tallies: [
        { name: "503", count: 610 },
        { name: "0", count: 224 },
      ],
    },
    {
      field: "url",
      tallies: [
        { name: "https://hooks.example/media", count: 610 },
        { name: "https://unreachable.example/in", count: 224 },
      ],
    },
  ],
  overTime: periods([12, 40, 80, 92, 88, 75, 70, 77, 60, 55, 65, 60, 60]),
  times: 1,
};

/** The same, after it ended and had come back. */
export const recovered: Incident = { ...failing, value: 0, ended: now - 30_000, times: 4 };

/** The same, while the service does not answer. */
export const blind: Incident = { ...failing, blindSince: now - 3 * MINUTE, lookedUntil: now - 3 * MINUTE };

/** Connections that fail on one node. */
export const iceTimeouts: Incident = {
  kind: "events",
  measure: "failed",
  limit: 0.05,
  overMs: 10 * MINUTE,
  value: 0.12,
  worst: 0.31,
  began: now - 26 * 60 * MINUTE,
  lookedUntil: now - 4000,
  count: 1204,
  total: 18_331,
  isFailure: true,
  groups: [
    {
      field: "reason",
      tallies: [
        { name: "ice-timeout", count: 1180 },
        { name: "dtls-failed", count: 24 },
      ],
    },
    { field: "client_id", tallies: [{ name: "stage-camera-2", count: 12 }] },
    {
      field: "node_name",
      tallies: [
        { name: "node-2", count: 1101 },
        { name: "node-1", count: 103 },
      ],
    },
  ],
  overTime: [],
  times: 1,
};

/** Clients that are refused because their channel is full. */
export const refused: Incident = {
  ...failing,
  kind: "events",
  limit: 50,
  value: 120,
  worst: 120,
  count: 120,
  began: now - 40_000,
  groups: [
    { field: "reason", tallies: [{ name: "channel-full", count: 120 }] },
    { field: "channel_id", tallies: [{ name: "lobby@demo", count: 120 }] },
  ],
  overTime: periods([120]),
};

/** Slow calls of the media API. */
export const slow: Incident = {
  kind: "media-api",
  measure: "p95",
  limit: 2000,
  overMs: 5 * MINUTE,
  value: 3100,
  worst: 4200,
  began: now - 12.5 * MINUTE,
  lookedUntil: now - 4000,
  count: 45,
  total: 900,
  isFailure: false,
  groups: [
    { field: "status", tallies: [{ name: "200", count: 45 }] },
    {
      field: "media_target",
      tallies: [
        { name: "Media_20151104.ListConnections", count: 41 },
        { name: "Media_20151104.DisconnectChannel", count: 4 },
      ],
    },
  ],
  overTime: periods([3, 9, 12, 0, 21]),
  times: 1,
};

/** A node that died, which fails nothing by itself. */
export const nodeGone: Incident = {
  kind: "events",
  measure: "count",
  limit: 0,
  overMs: 5 * MINUTE,
  value: 1,
  worst: 1,
  began: now - 90_000,
  lookedUntil: now - 4000,
  count: 1,
  isFailure: false,
  groups: [
    { field: "reason", tallies: [{ name: "node-gone", count: 1 }] },
    { field: "node_name", tallies: [{ name: "node-1", count: 1 }] },
  ],
  overTime: [],
  times: 1,
};
