import { extensionsContract } from "@media-ops/openapi/contract";
import { validator } from "@media-ops/openapi/judge";
import { describe, expect, it } from "vitest";
import { incidentBefore, type LogKind, pastOf } from "./past.js";

const schemas: Readonly<Record<LogKind, Parameters<typeof validator>[0]>> = {
  sessions: "SessionLogEntry",
  connections: "ConnectionLogEntry",
  api: "ApiLogEntry",
  "media-api": "MediaApiLogEntry",
  webhooks: "WebhookLogEntry",
  events: extensionsContract.components?.schemas?.EventLogEntry ?? {},
};
const kinds = Object.keys(schemas) as LogKind[];
const DAY = 86_400_000;
const HOUR = 3_600_000;

const options = {
  now: Date.parse("2026-04-01T12:00:00Z"),
  seed: 7,
  projectId: "demo",
  keyId: "k7Qm2xVb",
  serviceUrl: "http://127.0.0.1:8080",
  hooks: { session: "http://127.0.0.1:4003/sessions", event: "http://127.0.0.1:4003/events" },
};
const { entries: past, deliveries } = pastOf(options);

type Numbers = Readonly<Record<"at" | "status" | "elapsed_time_ms" | "total_connections" | "max_connections", number>>;
type Ids = "channel_id" | "session_id" | "connection_id" | "client_id" | "event_id" | "key_id" | "node_name";
type Words = "url" | "type" | "outcome" | "reason" | "media_reason" | "created_timestamp" | "destroyed_timestamp";
type Entry = Numbers & Readonly<Record<Ids | Words, string>> & { readonly count?: number };

const entriesOf = (kind: LogKind): Entry[] =>
  past
    .filter((entry) => entry.kind === kind)
    .map(({ timestamp, text }) => ({ ...JSON.parse(text), at: Date.parse(timestamp) }));

describe("the past", () => {
  it.each(kinds)("has valid entries of %s with matching timestamps", (kind) => {
    const isValid = validator(schemas[kind]);
    const entries = past.filter((entry) => entry.kind === kind);
    expect(entries.length).toBeGreaterThan(50);
    for (const { timestamp, text } of entries) {
      const entry: { timestamp: string } = JSON.parse(text);
      expect(isValid(entry) ? [] : isValid.errors).toEqual([]);
      expect(entry.timestamp).toBe(timestamp);
    }
  });

  it("is the same for the same seed, and different for another seed", () => {
    expect(pastOf(options).entries).toEqual(past);
    expect(pastOf({ ...options, seed: 8 }).entries).not.toEqual(past);
  });

  it.each(kinds)("has three days of %s before now", (kind) => {
    const entries = entriesOf(kind);
    for (const day of [0, 1, 2]) {
      const until = options.now - day * DAY;
      const count = entries.filter(({ at }) => at < until && at >= until - DAY).length;
      expect(count).toBeGreaterThan(10);
    }
    for (const { at } of entries) expect(at).toBeLessThan(options.now);
    // Recent enough for a query of the last hours.
    expect(Math.max(...entries.map(({ at }) => at))).toBeGreaterThan(options.now - 3 * HOUR);
  });

  it.each(["2026-04-01T03:00:00Z", "2026-04-01T15:00:00Z"])(
    "has, at %s, a while in the last hour in which most events failed slowly, and few other failures",
    (time) => {
      const now = Date.parse(time);
      const { from, until } = incidentBefore(now);
      expect(from).toBeGreaterThan(now - HOUR);
      const webhooks = pastOf({ ...options, now })
        .entries.filter(({ kind }) => kind === "webhooks")
        .map(({ timestamp, text }): Entry => ({ ...JSON.parse(text), at: Date.parse(timestamp) }));
      const during = webhooks.filter(({ at, url }) => url === options.hooks.event && at >= from && at < until);
      const failed = during.filter(({ status }) => status !== 200);
      expect(failed.length).toBeGreaterThan(15);
      expect(failed.length).toBeGreaterThan(during.length * 0.8);
      for (const { elapsed_time_ms } of failed) expect(elapsed_time_ms).toBeGreaterThan(1000);
      const others = webhooks.filter((webhook) => !during.includes(webhook));
      expect(others.filter(({ status }) => status !== 200).length).toBeLessThan(others.length * 0.05);
      // A listing shows the newest thousand, which must include the whole incident.
      expect(webhooks.filter(({ at }) => at >= from).length).toBeLessThan(1000);
    },
  );

  it("reports each event with a webhook about the same connection", () => {
    const events = new Map(entriesOf("events").map((event) => [event.event_id, event]));
    for (const webhook of entriesOf("webhooks")) {
      const event = events.get(webhook.event_id);
      expect(event).toMatchObject({ type: webhook.type, channel_id: webhook.channel_id });
      expect(event?.connection_id).toBe(webhook.connection_id);
    }
  });

  it("has a delivery of each event of a connection, which failed if its receiver was gone before it succeeded", () => {
    const logged = entriesOf("webhooks").filter(({ url }) => url === options.hooks.event);
    for (const { event_id, attempts, state } of deliveries) {
      const tried = logged.filter((webhook) => webhook.event_id === event_id);
      expect(attempts).toBe(tried.map(({ at, status }) => `${at}:${status}`).join(","));
      expect(/:200$/.test(attempts)).toBe(state === "delivered");
    }
    expect(deliveries.map(({ event_id }) => event_id)).toEqual(
      expect.arrayContaining(logged.map(({ event_id }) => event_id)),
    );
    const failed = deliveries.filter(({ state }) => state === "failed");
    expect(failed.length).toBeGreaterThan(15);
    expect(new Set(failed.map(({ ended_at }) => ended_at))).toEqual(new Set([incidentBefore(options.now).until]));
    expect(failed.filter(({ attempts }) => attempts.includes(":410"))).toHaveLength(1);
  });

  it("has an outage of TURN during the incident: in the lobby, many clients of one node fail, and none connects", () => {
    const { from, until } = incidentBefore(options.now);
    const events = entriesOf("events").filter(({ at }) => at >= from && at < until);
    const failed = events.filter(({ outcome }) => outcome === "failed");
    expect(failed.length).toBeGreaterThan(25);
    expect(new Set(failed.map(({ client_id }) => client_id)).size).toBeGreaterThan(15);
    for (const event of failed) {
      expect(event).toMatchObject({ type: "connection.failed", channel_id: "lobby@demo", node_name: "node-2" });
      expect(event).toMatchObject({ reason: "ice-timeout", media_reason: "ICE-TIMEOUT" });
      expect(Math.abs(event.elapsed_time_ms - 20_200)).toBeLessThanOrEqual(200);
    }
    const connected = events.filter(
      ({ type, channel_id }) => type === "connection.created" && /^lobby@/.test(channel_id),
    );
    expect(connected.length).toBeGreaterThan(0);
    expect(connected.filter(({ node_name }) => node_name === "node-2")).toEqual([]);
    expect(entriesOf("events").filter(({ outcome }) => outcome === "failed")).toHaveLength(failed.length);
  });

  it("has one client with an expired token, which tries six times a minute from the incident until now", () => {
    const refused = entriesOf("events").filter(({ outcome }) => outcome === "refused");
    const { from } = incidentBefore(options.now);
    const byMinute = new Map<number, number>();
    for (const { at, count = 1, ...event } of refused) {
      expect(event).toMatchObject({ type: "admission.refused", channel_id: "lobby@demo", client_id: "tv-61" });
      expect(event).toMatchObject({ reason: "expired", detail: "at 2026-04-01T11:10:00Z", key_id: "k7Qm2xVb" });
      const minute = Math.floor(at / 60_000);
      byMinute.set(minute, (byMinute.get(minute) ?? 0) + count);
    }
    expect([...byMinute.values()].every((count) => count === 6)).toBe(true);
    expect(Math.min(...refused.map(({ at }) => at))).toBeGreaterThanOrEqual(from);
    expect(Math.max(...refused.map(({ at }) => at))).toBeGreaterThan(options.now - 3 * 60_000);
  });

  it("has several channels, and a few refused calls", () => {
    expect(new Set(entriesOf("sessions").map(({ channel_id }) => channel_id)).size).toBeGreaterThan(3);
    for (const kind of ["api", "media-api"] as const) {
      const entries = entriesOf(kind);
      const refused = entries.filter(({ status }) => status >= 400).length;
      expect(refused).toBeGreaterThan(2);
      expect(refused).toBeLessThan(entries.length / 5);
    }
  });

  it("has connections that lie within their sessions", () => {
    const connections = entriesOf("connections");
    for (const session of entriesOf("sessions")) {
      const own = connections.filter(({ session_id }) => session_id === session.session_id);
      expect(own).toHaveLength(session.total_connections);
      expect(session.max_connections).toBeLessThanOrEqual(session.total_connections);
      for (const { created_timestamp, destroyed_timestamp } of own) {
        expect(created_timestamp >= session.created_timestamp).toBe(true);
        expect(destroyed_timestamp <= session.destroyed_timestamp).toBe(true);
        expect(created_timestamp < destroyed_timestamp).toBe(true);
      }
    }
  });
});
