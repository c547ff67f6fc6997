import { idFor, type Random, randomFor } from "@media-ops/fake-media";
import { chance, channels, drawVisitor, listings, waitFor } from "./visitors.js";

/** The five logs. */
export type LogKind = "sessions" | "connections" | "api" | "media-api" | "webhooks";

/** An entry of a log. */
export interface PastEntry {
  readonly kind: LogKind;
  readonly timestamp: string;
  /** The whole entry as JSON. */
  readonly text: string;
}

/** The URLs of the project's webhooks. */
export interface Hooks {
  readonly session: string;
  readonly event: string;
}

interface PastOptions {
  readonly now: number;
  readonly seed: number;
  readonly projectId: string;
  readonly serviceUrl: string;
  readonly hooks: Hooks;
}

/** A time span in Unix milliseconds, excluding its end. */
interface Span {
  readonly from: number;
  readonly until: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAYS = 3;
const SESSION_EVERY = HOUR / 4.5;
// The service's retry delays.
const RETRY_AFTER = [0, 5_000, 300_000, 1_800_000, 7_200_000];
const TIMEOUT_MS = 10_000;

/**
 * Returns the 45 minutes in which the event receiver failed. A question about the last hour finds them, and for a while
 * after the start, some of them.
 */
export const incidentBefore = (now: number): Span => ({ from: now - 50 * MINUTE, until: now - 5 * MINUTE });

/** Returns three days of log entries, with a few failures, and 45 minutes in which most event webhooks failed. */
export function pastOf({ now, seed, projectId, serviceUrl, hooks }: PastOptions): PastEntry[] {
  const random = randomFor(seed, "past");
  const until = now - MINUTE;
  const incident = incidentBefore(now);
  const entries: PastEntry[] = [];

  const add = (kind: LogKind, timestamp: string, fields: object): void => {
    entries.push({ kind, timestamp, text: JSON.stringify({ timestamp, ...fields }) });
  };
  const addCall = (kind: "api" | "media-api", at: number, status: number, fields: object): void => {
    const elapsed_time_ms = status === 504 ? TIMEOUT_MS : 2 + Math.round(waitFor(random, 2));
    add(kind, new Date(at).toISOString(), { ...fields, status, elapsed_time_ms });
  };
  const addMediaCall = (operation: string, channel_id: string, at: number, status: number): void =>
    addCall("media-api", at, status, { media_target: `Media_20151104.${operation}`, channel_id });

  /** Session webhooks are sent once, because the media server waits for the answer. */
  const addSessionWebhook = (type: string, happened: number): void =>
    add("webhooks", stampOf(happened + random.int(2, 20)), { type, url: hooks.session, ...resultOf(random) });
  const addEventWebhook = (type: string, happened: number): void => {
    let at = happened + random.int(2, 20);
    for (const pause of RETRY_AFTER) {
      at += pause;
      if (at >= until) return;
      const isIncident = at >= incident.from && at < incident.until;
      const result = isIncident ? resultInIncident(random) : resultOf(random);
      add("webhooks", stampOf(at), { type, url: hooks.event, ...result });
      if (result.status === 200) return;
      at += result.elapsed_time_ms;
    }
  };
  const addToken = (connectedAt: number): void => {
    const url = `${serviceUrl}/projects/create-access-token`;
    const at = connectedAt - random.int(300, 2_500);
    if (chance(random, 0.03)) addCall("api", at - 500, random.pick([400, 400, 403]), { url });
    addCall("api", at, 200, { url });
  };

  const busyUntil = new Map<string, number>();
  for (let at = now - DAYS * 24 * HOUR; ; ) {
    // The incident has many webhooks, whatever the seed.
    at += waitFor(random, at < incident.from - HOUR / 2 ? SESSION_EVERY : SESSION_EVERY / 2);
    const { channel: wanted, role, clientId } = drawVisitor(random);
    const from = Math.floor(at);
    if (from >= until) break;
    // Sessions that could not have ended otherwise are shorter: without an end, they would have no entry.
    const session = { from, until: from + Math.min(random.int(3, 40) * MINUTE, until - from - MINUTE) };
    // A channel has one session at a time.
    const channel = [wanted, ...channels].find((one) => (busyUntil.get(one) ?? 0) < from);
    if (channel === undefined || session.until - from < 3 * MINUTE) continue;
    busyUntil.set(channel, session.until);

    const channel_id = `${channel}@${projectId}`;
    const session_id = idFor(seed, "session", at);
    const count = random.pick([1, 2, 2, 3, 3, 4, 6]);
    addSessionWebhook("session.created", session.from);
    for (let nth = 0; nth < count; nth++) {
      const connection = nth === 0 ? session : within(session, random);
      const connection_id = idFor(seed, "connection", at, nth);
      const minutes = (connection.until - connection.from) / MINUTE;
      const bytes = (isFlowing: boolean): number =>
        Math.round(minutes * (isFlowing ? random.int(2_000_000, 20_000_000) : random.int(5_000, 60_000)));
      addToken(connection.from);
      addEventWebhook("connection.created", connection.from);
      addEventWebhook("connection.destroyed", connection.until);
      add("connections", stampOf(connection.until), {
        ...{ channel_id, session_id, client_id: nth === 0 ? clientId : drawVisitor(random).clientId },
        ...{ bundle_id: connection_id, connection_id },
        total_received_bytes: bytes(role !== "recvonly"),
        total_sent_bytes: bytes(role !== "sendonly"),
        ...timesOf(connection),
      });
    }
    add("sessions", stampOf(session.until), {
      ...{ channel_id, session_id, total_connections: count, max_connections: Math.max(1, count - random.int(0, 1)) },
      ...timesOf(session),
    });
    addSessionWebhook("session.destroyed", session.until);
    if (chance(random, 0.5)) {
      addMediaCall("ListChannelConnections", channel_id, session.from + 2 * MINUTE, chance(random, 0.04) ? 504 : 200);
    }
    // A connection that has just closed can't be disconnected.
    if (chance(random, 0.15)) {
      addMediaCall("DisconnectConnection", channel_id, session.until - MINUTE, chance(random, 0.25) ? 404 : 200);
    }
    if (chance(random, 0.03)) addMediaCall("DisconnectChannel", `lobyy@${projectId}`, session.from + 5_000, 404);
  }
  for (let at = now - DAYS * 24 * HOUR + HOUR; at < until; at += waitFor(random, HOUR / 2)) {
    addCall("api", at, chance(random, 0.02) ? 401 : 200, { url: serviceUrl + random.pick(listings) });
  }
  return entries;
}

interface WebhookResult {
  readonly status: number;
  readonly elapsed_time_ms: number;
}

function resultOf(random: Random): WebhookResult {
  if (chance(random, 0.012)) return { status: 500, elapsed_time_ms: random.int(40, 400) };
  return { status: 200, elapsed_time_ms: 8 + Math.round(waitFor(random, 25)) };
}

function resultInIncident(random: Random): WebhookResult {
  if (chance(random, 0.08)) return { status: 0, elapsed_time_ms: TIMEOUT_MS };
  if (chance(random, 0.06)) return { status: 200, elapsed_time_ms: random.int(3_000, 8_000) };
  return { status: 503, elapsed_time_ms: random.int(1_800, 9_000) };
}

/** Returns the span of a connection that begins and ends within a session. */
function within({ from, until }: Span, random: Random): Span {
  const begin = from + Math.floor(random.next() * 0.6 * (until - from));
  return { from: begin, until: begin + Math.floor((0.2 + 0.8 * random.next()) * (until - begin)) };
}

const timesOf = ({ from, until }: Span) => ({
  created_timestamp: stampOf(from),
  destroyed_timestamp: stampOf(until),
  duration_min: Math.floor((until - from) / MINUTE),
});

/** Returns a timestamp with microseconds, in the media server's format. */
const stampOf = (ms: number): string => new Date(ms).toISOString().replace("Z", "000Z");
