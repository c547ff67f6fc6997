import type { TraceLine } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import { samples } from "../test/samples.js";
import { lineWords, timeOfLine, traceLineWords } from "./line.js";

const id = "0J9V6TQ2M4EXK7C3R8ZB5HW1NA";
const timestamp = "2026-11-21T14:03:20Z";

type EventEntry = Extract<TraceLine, { kind: "events" }>["entry"];

const event = (entry: Partial<EventEntry>): TraceLine => ({
  kind: "events",
  entry: { timestamp, type: "connection.created", outcome: "ok", ...entry },
});
const refused = (entry: Partial<EventEntry>) => event({ type: "admission.refused", outcome: "refused", ...entry });
const failed = (entry: Partial<EventEntry>) => event({ type: "connection.failed", outcome: "failed", ...entry });

/** What an answer from a service may be. */
const raw = (kind: string, entry: unknown, end?: unknown): TraceLine => ({ kind, entry, end }) as TraceLine;

describe("a line of a trace", () => {
  it.each<[words: string, line: TraceLine]>([
    [
      "client c1 refused: channel full (5 of 5)",
      refused({ client_id: "c1", reason: "channel-full", detail: "5 of 5" }),
    ],
    [
      "client c1 refused 1,666× within a minute: token expired",
      refused({ client_id: "c1", reason: "expired", count: 1666 }),
    ],
    ["connection 0J9V6TQ2…W1NA refused: no token", refused({ connection_id: id, reason: "no-token" })],
    ["a client refused 3× within a minute: unknown project", refused({ reason: "unknown-project", count: 3 })],
    ["a client refused", refused({})],
    ["connection 0J9V6TQ2…W1NA created", event({ connection_id: id })],
    [
      "connection 0J9V6TQ2…W1NA failed after 20 s: ICE timeout",
      failed({ connection_id: id, reason: "ice-timeout", media_reason: "ICE-TIMEOUT", elapsed_time_ms: 20_000 }),
    ],
    [
      "connection 0J9V6TQ2…W1NA failed: NO-ROUTE",
      failed({ connection_id: id, reason: "other", media_reason: "NO-ROUTE" }),
    ],
    ["a connection failed", failed({})],
    [
      "connection K8 vanished after 1 h: node died",
      event({
        type: "connection.vanished",
        outcome: "failed",
        connection_id: "K8",
        reason: "node-gone",
        elapsed_time_ms: 3_600_000,
      }),
    ],
    [
      "connection K8 failed after 3 min: signaling lost",
      event({
        type: "connection.destroyed",
        outcome: "failed",
        connection_id: "K8",
        reason: "signaling-lost",
        elapsed_time_ms: 180_000,
      }),
    ],
    ["✓ connection K8 ended", event({ type: "connection.destroyed", connection_id: "K8", media_reason: "NO-ERROR" })],
    [
      "✓ connection K8 ended after 17 min: disconnected by the API",
      event({
        type: "connection.destroyed",
        connection_id: "K8",
        reason: "disconnected-by-api",
        elapsed_time_ms: 1_020_000,
      }),
    ],
    ["session S1 created", event({ type: "session.created", session_id: "S1" })],
    ["✓ session S1 ended", event({ type: "session.destroyed", session_id: "S1" })],
    [
      "session S1 vanished: node died",
      event({ type: "session.vanished", outcome: "failed", session_id: "S1", reason: "node-gone" }),
    ],
    ["recording started", event({ type: "recording.started" })],
    ["recording started late", event({ type: "recording.started.late" })],
    ["something", event({ type: "something" })],
    ["connection", event({ type: "connection" })],
    [
      "✓ connection 01KAKV0B…4F2D ended after 44 min 42 s, 1.28 GB received, 48.1 kB sent",
      raw("connections", samples.connections[0]),
    ],
    [
      "✓ session 01KAKR6W…F6H8 ended after 2 h 5 min, 1,204 connections, at most 87 at once",
      raw("sessions", samples.sessions[0]),
    ],
    ["webhook connection.created → 200 in 84 ms", raw("webhooks", samples.webhooks[0])],
    ["webhook connection.destroyed → 503 in 1.24 s", raw("webhooks", samples.webhooks[1])],
    ["webhook session.created → no answer after 10 s", raw("webhooks", samples.webhooks[3])],
    ["media API DisconnectChannel → 200 in 41 ms", raw("media-api", samples["media-api"][0])],
    ["API media.example/projects/create-access-token → 400 in 1 ms", raw("api", samples.api[1])],
  ])("says what happened: %s", (words, line) => {
    expect(traceLineWords(line, { isBrief: true })).toBe(words);
  });

  it("names client, channel and node, if they are not left out", () => {
    const where = { channel_id: "lobby@demo", role: "recvonly", node_name: "node-2" };
    expect(traceLineWords(failed({ connection_id: id, client_id: "c1", ...where }))).toBe(
      "connection 0J9V6TQ2…W1NA failed · client c1 · in lobby · recvonly · on node-2",
    );
    expect(traceLineWords(refused({ client_id: "c1", connection_id: id, ...where }))).toBe(
      "client c1 refused · in lobby · recvonly · on node-2",
    );
    expect(traceLineWords(event({ type: "recording.started", connection_id: id, ...where }))).toBe(
      "recording started · connection 0J9V6TQ2…W1NA · in lobby · recvonly · on node-2",
    );
    expect(traceLineWords(raw("webhooks", { ...samples.webhooks[1], connection_id: id }))).toBe(
      "webhook connection.destroyed → 503 in 1.24 s · connection 0J9V6TQ2…W1NA · to hooks.example/teams/vide…ion/eu-central-1/events",
    );
  });

  it("has the figures of the end that another log has, and the more precise duration", () => {
    const end = { created_timestamp: "2026-11-21T13:46:20Z", destroyed_timestamp: timestamp, duration_min: 17 };
    const bytes = { total_received_bytes: 48_000_000, total_sent_bytes: 2_000_000 };
    const entry = { type: "connection.destroyed", outcome: "ok", connection_id: "K8" };
    const words = (more: object, end: object) =>
      traceLineWords(raw("events", { ...entry, ...more }, end), { isBrief: true });
    expect(words({}, { ...end, ...bytes })).toBe("✓ connection K8 ended after 17 min, 48 MB received, 2 MB sent");
    expect(words({ elapsed_time_ms: 1_020_500 }, end)).toBe("✓ connection K8 ended after 17 min 1 s");
    expect(words({}, { duration_min: 17 })).toBe("✓ connection K8 ended after 17 min");
    expect(words({}, { ...end, destroyed_timestamp: "2026-11-21T13:00:00Z" })).toBe(
      "✓ connection K8 ended after 17 min",
    );
    const session = { type: "session.destroyed", outcome: "ok", session_id: "S1" };
    expect(traceLineWords(raw("events", session, { total_connections: 1, max_connections: 1 }))).toBe(
      "✓ session S1 ended, 1 connection, at most 1 at once",
    );
  });

  it.each<[tone: string, line: TraceLine]>([
    ["plain", event({})],
    ["good", event({ type: "connection.destroyed" })],
    ["bad", event({ type: "connection.destroyed", outcome: "failed" })],
    ["bad", failed({})],
    ["bad", refused({})],
    ["plain", raw("webhooks", { status: 200 })],
    ["notice", raw("webhooks", { status: 302 })],
    ["bad", raw("webhooks", { status: 404 })],
    ["bad", raw("webhooks", { status: 0 })],
    ["plain", raw("webhooks", {})],
  ])("is %s, as its outcome or status", (tone, line) => {
    expect(lineWords(line).tone).toBe(tone);
  });

  it("has the time of its entry", () => {
    expect(timeOfLine(event({}))).toBe(Date.parse(timestamp));
    expect(timeOfLine(raw("events", { timestamp: "yesterday" }))).toBeUndefined();
  });

  it.each<[words: string, line: unknown]>([
    ["–", undefined],
    ["–", {}],
    ["votes", { kind: "votes", entry: { type: "cast" } }],
    ["–", { kind: "events", entry: null }],
    [
      "7 refused",
      { kind: "events", entry: { type: "admission.refused", client_id: 7, outcome: "refused", reason: 5 } },
    ],
    ["webhook – → –", { kind: "webhooks", entry: { status: "503", elapsed_time_ms: -1 } }],
    ["✓ a connection ended", { kind: "connections", entry: { duration_min: Number.NaN, total_sent_bytes: "many" } }],
  ])("is %j if it is not what it should be: %j", (words, line) => {
    expect(traceLineWords(line as TraceLine, { isBrief: true }).replace("client ", "")).toBe(words);
  });
});
