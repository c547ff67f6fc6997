import { idFor, type Random, randomFor } from "@media-ops/fake-media";
import { chance, channels, drawVisitor, listings, nodes, STUCK_EVERY_MS, stuckClient, waitFor } from "./visitors.js";

interface PastOptions {
  readonly now: number;
  readonly seed: number;
  readonly projectId: string;
  readonly keyId: string;
  readonly serviceUrl: string;
  readonly hooks: { readonly session: string; readonly event: string };
}

/** The six logs. */
export type LogKind = "sessions" | "connections" | "api" | "media-api" | "webhooks" | "events";

interface Span {
  readonly from: number;
  readonly until: number;
}

interface EventFields {
  readonly channel_id: string;
  readonly connection_id?: string;
  readonly [more: string]: unknown;
}

interface WebhookResult {
  readonly status: number;
  readonly elapsed_time_ms: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAYS = 3;
const SESSION_EVERY = HOUR / 4.5;
const TIMEOUT_MS = 10_000;
const ICE_TIMEOUT_MS = 20_000;
const FAILING_CLIENT_EVERY_MS = 90_000;
// As the service does.
const RETRY_AFTER = [0, 5_000, 300_000, 1_800_000, 7_200_000];
const GIVEN_UP = "The project's event address is switched off: the receiver answered 410 Gone.";

/** The channel whose clients can't connect to a node during the incident. */
const OUTAGE = { channel: "lobby", nodeName: "node-2" } as const;

/**
 * Returns the 45 minutes in which the event receiver failed, and the TURN server of a node. A question about the last
 * hour finds them, and for a while after the start, some of them.
 */
export const incidentBefore = (now: number): Span => ({ from: now - 50 * MINUTE, until: now - 5 * MINUTE });

const isIn = (at: number, { from, until }: Span): boolean => at >= from && at < until;

/** Returns a timestamp with microseconds, in the media server's format. */
const stampOf = (ms: number): string => new Date(ms).toISOString().replace("Z", "000Z");

const timesOf = ({ from, until }: Span) => ({
  created_timestamp: stampOf(from),
  destroyed_timestamp: stampOf(until),
  duration_min: Math.floor((until - from) / MINUTE),
});

function within({ from, until }: Span, random: Random): Span {
  const begin = from + Math.floor(random.next() * 0.6 * (until - from));
  return { from: begin, until: begin + Math.floor((0.2 + 0.8 * random.next()) * (until - begin)) };
}

/**
 * Returns what the service has stored by now: three days of log entries, with a few failures, and an incident of 45
 * minutes, in which most event webhooks fail, and in one channel all connections to one node. A client with an expired
 * token tries on until now. The deliveries are those of the events, as rows of the service's table.
 */
export function pastOf({ now, seed, projectId, keyId, serviceUrl, hooks }: PastOptions) {
  const random = randomFor(seed, "past");
  const begin = now - DAYS * 24 * HOUR;
  // Nothing happens from then on.
  const end = now - MINUTE;
  const incident = incidentBefore(now);
  const channelId = (channel: string): string => `${channel}@${projectId}`;

  const entries: { kind: LogKind; timestamp: string; text: string }[] = [];
  const add = (kind: LogKind, timestamp: string, fields: object): void =>
    void entries.push({ kind, timestamp, text: JSON.stringify({ timestamp, ...fields }) });

  const addCall = (kind: "api" | "media-api", at: number, status: number, fields: object): void => {
    const elapsed_time_ms = status === 504 ? TIMEOUT_MS : 2 + Math.round(waitFor(random, 2));
    add(kind, new Date(at).toISOString(), { ...fields, status, elapsed_time_ms });
  };
  /** Adds the calls of an app that gets a token for a client just before it connects. */
  const addToken = (connectedAt: number): void => {
    const url = `${serviceUrl}/projects/create-access-token`;
    const at = connectedAt - random.int(300, 2_500);
    if (chance(random, 0.03)) addCall("api", at - 500, random.pick([400, 400, 403]), { url });
    addCall("api", at, 200, { url });
  };

  let isGone = false;
  /**
   * Delivers an event, and returns what became of it. The incident ends with a 410 Gone, so that the service switches the
   * address off and gives up what waits; its operator switches it on again at once.
   */
  const deliver = (happened: number, send: (at: number, result: WebhookResult) => void) => {
    const attempts: { at: number; status: number }[] = [];
    const attempt = (at: number, result: WebhookResult): void => {
      send(at, result);
      attempts.push({ at, status: result.status });
    };
    let at = happened + random.int(2, 20);
    for (const pause of RETRY_AFTER) {
      at += pause;
      if (happened < incident.until && at >= incident.until) {
        if (!isGone) attempt(incident.until, { status: 410, elapsed_time_ms: random.int(40, 400) });
        isGone = true;
        return { attempts, state: "failed", at: incident.until } as const;
      }
      if (at >= end) break;
      const result = isIn(at, incident) ? resultInIncident(random) : resultOf(random);
      attempt(at, result);
      at += result.elapsed_time_ms;
      if (result.status === 200) return { attempts, state: "delivered", at } as const;
    }
    return { attempts, state: "waiting", at } as const;
  };
  const rowOf = (event_id: string, created_at: number, { attempts, state, at }: ReturnType<typeof deliver>) => ({
    project_id: projectId,
    // Sorts by time, in the service's format.
    delivery_id: `${created_at.toString(36).padStart(9, "0")}${entries.length.toString(36).padStart(4, "0")}playgr`,
    ...{ event_id, lane: event_id, created_at, state, tries: attempts.length },
    next_at: state === "waiting" ? at : null,
    ended_at: state === "waiting" ? null : at,
    last_status: attempts.at(-1)?.status ?? null,
    last_fault: state === "failed" ? GIVEN_UP : null,
    attempts: attempts.map((attempt) => `${attempt.at}:${attempt.status}`).join(","),
  });
  const deliveries: (ReturnType<typeof rowOf> & { readonly type: string; readonly body: string })[] = [];
  /** Adds an event of a session or connection, and the webhooks that report it. */
  const addEvent = (type: string, at: number, event: EventFields): void => {
    const { channel_id, connection_id } = event;
    const event_id = idFor("event", type, at, connection_id ?? channel_id);
    add("events", stampOf(at), { type, outcome: "ok", ...event, event_id });
    const send = (url: string, sentAt: number, result: WebhookResult): void =>
      add("webhooks", stampOf(sentAt), { type, url, ...result, event_id, channel_id, connection_id });
    if (type.startsWith("session.")) {
      // Sent once, because the media server waits for the answer.
      send(hooks.session, at + random.int(2, 20), resultOf(random));
      return;
    }
    const body = JSON.stringify({ id: event_id, timestamp: stampOf(at), type, ...event });
    const outcome = deliver(at, (sentAt, result) => send(hooks.event, sentAt, result));
    deliveries.push({ ...rowOf(event_id, at, outcome), type, body });
  };

  const addSession = (channel: string, session: Span): void => {
    const channel_id = channelId(channel);
    const ids = { channel_id, session_id: idFor(seed, "session", session.from) };
    const count = random.pick([1, 2, 2, 3, 3, 4, 6]);
    const spans = Array.from({ length: count }, (_, nth) => (nth === 0 ? session : within(session, random)));
    const visitors = spans.map((span) => {
      const { clientId: client_id, role, nodeName } = drawVisitor(random);
      const isOut = channel === OUTAGE.channel && nodeName === OUTAGE.nodeName && isIn(span.from, incident);
      return { client_id, role, node_name: isOut ? random.pick([nodes[0], nodes[2]]) : nodeName, span };
    });
    // The session is on the node of its first connection.
    const node_name = visitors[0]?.node_name;
    addEvent("session.created", session.from, { ...ids, node_name });
    for (const [nth, { span, ...client }] of visitors.entries()) {
      const connection = { ...ids, ...client, connection_id: idFor(seed, "connection", session.from, nth) };
      const { client_id, role, connection_id } = connection;
      const lasted = span.until - span.from;
      const bytes = (isFlowing: boolean): number =>
        Math.round((lasted / MINUTE) * (isFlowing ? random.int(2_000_000, 20_000_000) : random.int(5_000, 60_000)));
      addToken(span.from);
      addEvent("connection.created", span.from, connection);
      addEvent("connection.destroyed", span.until, { ...connection, elapsed_time_ms: lasted });
      add("connections", stampOf(span.until), {
        ...{ ...ids, client_id, bundle_id: connection_id, connection_id, ...timesOf(span) },
        total_received_bytes: bytes(role !== "recvonly"),
        total_sent_bytes: bytes(role !== "sendonly"),
      });
    }
    const max_connections = Math.max(1, count - random.int(0, 1));
    add("sessions", stampOf(session.until), { ...ids, total_connections: count, max_connections, ...timesOf(session) });
    const elapsed_time_ms = session.until - session.from;
    addEvent("session.destroyed", session.until, { ...ids, node_name, elapsed_time_ms });
    const mediaCalls = [
      [0.5, session.from + 2 * MINUTE, "ListChannelConnections", channel_id, 0.04, 504],
      // A connection that has just closed can't be disconnected.
      [0.15, session.until - MINUTE, "DisconnectConnection", channel_id, 0.25, 404],
      [0.03, session.from + 5_000, "DisconnectChannel", channelId("lobyy"), 1, 404],
    ] as const;
    for (const [probability, at, operation, channel_id, failing, status] of mediaCalls) {
      if (!chance(random, probability)) continue;
      const media_target = `Media_20151104.${operation}`;
      addCall("media-api", at, chance(random, failing) ? status : 200, { media_target, channel_id });
    }
  };

  const busyUntil = new Map<string, number>();
  for (let at = begin; at < end; ) {
    // The incident has many webhooks, whatever the seed.
    at += waitFor(random, at < incident.from - HOUR / 2 ? SESSION_EVERY : SESSION_EVERY / 2);
    const { channel: wanted } = drawVisitor(random);
    const from = Math.floor(at);
    // Sessions that could not have ended otherwise are shorter: without an end, they would have no entry.
    const until = Math.min(from + random.int(3, 40) * MINUTE, end - MINUTE);
    // A channel has one session at a time.
    const channel = [wanted, ...channels].find((one) => (busyUntil.get(one) ?? 0) < from);
    if (channel === undefined || until - from < 3 * MINUTE) continue;
    busyUntil.set(channel, until);
    addSession(channel, { from, until });
  }
  for (let at = begin + HOUR; at < end; at += waitFor(random, HOUR / 2)) {
    addCall("api", at, chance(random, 0.02) ? 401 : 200, { url: serviceUrl + random.pick(listings) });
  }
  // Most clients whose connections fail during the incident try twice.
  for (let at = incident.from + MINUTE; at < incident.until - MINUTE; at += waitFor(random, FAILING_CLIENT_EVERY_MS)) {
    const { clientId: client_id, role } = drawVisitor(random);
    let begun = Math.floor(at);
    for (let tries = random.pick([1, 2, 2]); tries > 0; tries--) {
      const elapsed_time_ms = ICE_TIMEOUT_MS + random.int(5, 400);
      addToken(begun);
      addEvent("connection.failed", begun + elapsed_time_ms, {
        ...{
          channel_id: channelId(OUTAGE.channel),
          connection_id: idFor("failure", begun, client_id),
          client_id,
          role,
        },
        ...{ node_name: OUTAGE.nodeName, outcome: "failed", reason: "ice-timeout", media_reason: "ICE-TIMEOUT" },
        elapsed_time_ms,
      });
      begun += elapsed_time_ms + random.int(2_000, 8_000);
    }
  }
  // As in the service, the first refusal of the stuck client in each minute has its own entry, and the others share one.
  const { channel, clientId: client_id, role, nodeName: node_name } = stuckClient;
  const expired = Math.ceil(incident.from / MINUTE) * MINUTE;
  const detail = `at ${new Date(expired).toISOString().replace(".000Z", "Z")}`;
  const refuse = (at: number, more: { count?: number } = {}): void =>
    add("events", stampOf(at), {
      ...{ type: "admission.refused", channel_id: channelId(channel), connection_id: idFor("refusal", at), client_id },
      ...{ role, node_name, outcome: "refused", reason: "expired", detail, key_id: keyId, ...more },
    });
  for (let minute = expired; minute + MINUTE < end; minute += MINUTE) {
    refuse(minute);
    refuse(minute + MINUTE - STUCK_EVERY_MS, { count: MINUTE / STUCK_EVERY_MS - 1 });
  }
  return { entries, deliveries };
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
