import { type CallOptions, createMediaClient } from "@media-ops/sdk";
import { createFakeMediaService, type FakeMediaService, type FakeMediaServiceOptions } from "@media-ops/sdk/testing";
import { askTrace, type Trace, type TraceLine, type TraceRequest } from "../index.js";

/** The clock of the traced service. */
export const now = Date.parse("2026-04-01T12:00:00Z");
/** A time of the last hour, in seconds after 11:00. */
export const at = (seconds: number): string => new Date(now - 3_600_000 + seconds * 1000).toISOString();

/** A service with entries, and the traces of its client. */
export function setUp(options: FakeMediaServiceOptions = {}, fill: (service: FakeMediaService) => void = fillLobby) {
  const service = createFakeMediaService({ now: () => now, ...options });
  fill(service);
  const client = createMediaClient({ ...service.clientOptions, maxRetries: 0, now: () => now });
  const trace = (request: TraceRequest, options?: CallOptions) => askTrace(client, request, options);
  return { service, logs: client.logs, trace };
}

/** The channel of most entries. */
export const lobby = "lobby@demo";

/** An hour: two sessions in the lobby, one of them with a refusal and a failure, and one elsewhere. */
export function fillLobby(service: FakeMediaService): void {
  const s1 = { channel_id: lobby, session_id: "S1AAAAAAAAAAAAAAAAAAAAAAAA" };
  const c1 = { ...s1, connection_id: "C1AAAAAAAAAAAAAAAAAAAAAAAA", client_id: "camera", bundle_id: "stage" };
  const c2 = { ...s1, connection_id: "C2AAAAAAAAAAAAAAAAAAAAAAAA" };
  const s2 = { channel_id: lobby, session_id: "S2BBBBBBBBBBBBBBBBBBBBBBBB" };
  const s3 = { channel_id: "hall@demo", session_id: "S3CCCCCCCCCCCCCCCCCCCCCCCC" };
  const c3 = { ...s3, connection_id: "C3CCCCCCCCCCCCCCCCCCCCCCCC", client_id: "camera" };
  const failed = { channel_id: lobby, connection_id: "C9AAAAAAAAAAAAAAAAAAAAAAAA", client_id: "phone" };
  const none: object = { session_id: undefined, connection_id: undefined };
  const event = (seconds: number, type: string, fields: object) => {
    service.add("events", { ...none, timestamp: at(seconds), type, event_id: `${type} ${seconds}`, ...fields });
  };
  const webhook = (seconds: number, type: string, fields: object) => {
    service.add("webhooks", { timestamp: at(seconds), type, ...fields });
  };
  service.add("media-api", { timestamp: at(90), channel_id: lobby, media_target: "Media_1.ListConnections" });
  event(100, "session.created", s1);
  webhook(100.1, "session.created", { channel_id: lobby, event_id: "session.created 100" });
  event(101, "connection.created", c1);
  webhook(101.1, "connection.created", { channel_id: lobby, connection_id: c1.connection_id });
  event(120, "connection.created", c2);
  event(130, "admission.refused", { channel_id: lobby, client_id: "tv", outcome: "refused", reason: "channel-full" });
  event(140, "connection.failed", { ...failed, outcome: "failed", reason: "ice-timeout", elapsed_time_ms: 20_000 });
  webhook(140.1, "connection.failed", { channel_id: lobby, connection_id: failed.connection_id, status: 503 });
  service.add("media-api", { timestamp: at(190), channel_id: lobby, media_target: "Media_1.DisconnectConnection" });
  event(195, "recording.report", { channel_id: lobby });
  event(200, "connection.destroyed", { ...c2, elapsed_time_ms: 80_000, reason: "disconnected-by-api" });
  service.add("connections", { timestamp: at(200), ...c2, client_id: c2.connection_id, bundle_id: c2.connection_id });
  event(300, "connection.destroyed", { ...c1, elapsed_time_ms: 199_000 });
  service.add("connections", { timestamp: at(300), ...c1 });
  service.add("media-api", { timestamp: at(300), channel_id: lobby, media_target: "Media_1.DisconnectChannel" });
  event(310, "session.destroyed", { ...s1, elapsed_time_ms: 210_000 });
  service.add("sessions", { timestamp: at(310), ...s1, created_timestamp: at(100), destroyed_timestamp: at(310) });
  webhook(310, "session.destroyed", { channel_id: lobby, event_id: "session.destroyed 310", status: 0 });
  webhook(340.1, "session.destroyed", { channel_id: lobby, event_id: "session.destroyed 310" });
  event(320, "session.created", s2);
  event(330, "admission.refused", { channel_id: lobby, client_id: "tv", outcome: "refused", reason: "expired" });
  service.add("media-api", { timestamp: at(350), channel_id: lobby, media_target: "Media_1.ListConnections" });
  event(400, "session.created", s3);
  event(401, "connection.created", c3);
  webhook(401.1, "connection.created", { channel_id: "hall@demo", connection_id: c3.connection_id });
}

/** A line in short: its second, its log and what it is about. */
function brief(line: TraceLine): string {
  const { kind, entry } = line;
  const what = kind === "events" || kind === "webhooks" ? entry.type : kind === "media-api" ? entry.media_target : "";
  const end = kind === "events" && line.end ? "+end" : "";
  const second = (Date.parse(entry.timestamp) - now + 3_600_000) / 1000;
  return `${second} ${[kind, what].filter(Boolean).join(" ")}${end}`;
}

/** The lines of a trace in short. */
export const linesOf = ({ lines }: Trace): string[] => lines.map(brief);
