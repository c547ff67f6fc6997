import { idFor, type Random, randomFor } from "@media-ops/fake-media";
import { chance, channels, drawVisitor, listings, nodes, STUCK_EVERY_MS, stuckClient, waitFor } from "./visitors.js";

interface PastOptions {
  readonly now: number;
  readonly seed: number;
  readonly projectId: string;
  /** The id of the project's API key. */
  readonly keyId: string;
  readonly serviceUrl: string;
  readonly hooks: Hooks;
}

/** The URLs of the project's webhooks. */
export interface Hooks {
  readonly session: string;
  readonly event: string;
}

/** The six logs. */
export type LogKind = "sessions" | "connections" | "api" | "media-api" | "webhooks" | "events";

/** An entry of a log. */
interface PastEntry {
  readonly kind: LogKind;
  readonly timestamp: string;
  /** The whole entry as JSON. */
  readonly text: string;
}

/** What became of an event that was sent to the project's event address. */
export interface PastDelivery {
  readonly eventId: string;
  readonly type: string;
  /** When the media server reported it, in Unix milliseconds. */
  readonly at: number;
  /** The event. */
  readonly body: string;
  readonly state: "waiting" | "delivered" | "failed";
  readonly attempts: readonly { readonly at: number; readonly status: number }[];
  /** When it is tried next if it is waiting, otherwise when it ended. */
  readonly nextOrEndedAt: number;
}

/** A time span in Unix milliseconds, excluding its end. */
interface Span {
  readonly from: number;
  readonly until: number;
}

const MINUTE = 60_000;
export const HOUR: number = 60 * MINUTE;
const DAYS = 3;
const SESSION_EVERY = HOUR / 4.5;
// The service's retry delays.
const RETRY_AFTER = [0, 5_000, 300_000, 1_800_000, 7_200_000];
const TIMEOUT_MS = 10_000;
const ICE_TIMEOUT_MS = 20_000;
const FAILING_CLIENT_EVERY_MS = 90_000;
/** The channel whose clients can't connect to a node during the incident. */
const OUTAGE = { channel: "lobby", nodeName: "node-2" } as const;

/**
 * Returns the 45 minutes in which the event receiver failed, and the TURN server of a node. A question about the last
 * hour finds them, and for a while after the start, some of them.
 */
export const incidentBefore = (now: number): Span => ({ from: now - 50 * MINUTE, until: now - 5 * MINUTE });

/** Returns a timestamp with microseconds, in the media server's format. */
const stampOf = (ms: number): string => new Date(ms).toISOString().replace("Z", "000Z");

const isIn = (at: number, { from, until }: Span): boolean => at >= from && at < until;

/**
 * What the service has stored by now: three days of log entries, with a few failures, and an incident of 45 minutes, in
 * which most event webhooks fail, and in one channel all connections to one node. A client with an expired token tries
 * on until now.
 */
export class Past {
  readonly entries: PastEntry[] = [];
  readonly deliveries: PastDelivery[] = [];
  readonly #options: PastOptions;
  readonly #random: Random;
  readonly #incident: Span;
  /** Nothing happens from then on. */
  readonly #until: number;
  /** Whether the receiver has answered 410 Gone, which it does once. */
  #isGone = false;

  constructor(options: PastOptions) {
    const { now, seed } = options;
    this.#options = options;
    this.#random = randomFor(seed, "past");
    this.#incident = incidentBefore(now);
    this.#until = now - MINUTE;
    const from = now - DAYS * 24 * HOUR;
    this.#addSessions(from);
    for (let at = from + HOUR; at < this.#until; at += waitFor(this.#random, HOUR / 2)) {
      this.#addCall(at, chance(this.#random, 0.02) ? 401 : 200, this.#random.pick(listings));
    }
    this.#addOutage();
    this.#addStuckClient();
  }

  #channelId(channel: string): string {
    return `${channel}@${this.#options.projectId}`;
  }

  #addSessions(begin: number): void {
    const [random, until] = [this.#random, this.#until];
    const busyUntil = new Map<string, number>();
    for (let at = begin; ; ) {
      // The incident has many webhooks, whatever the seed.
      at += waitFor(random, at < this.#incident.from - HOUR / 2 ? SESSION_EVERY : SESSION_EVERY / 2);
      const { channel: wanted } = drawVisitor(random);
      const from = Math.floor(at);
      if (from >= until) return;
      // Sessions that could not have ended otherwise are shorter: without an end, they would have no entry.
      const session = { from, until: from + Math.min(random.int(3, 40) * MINUTE, until - from - MINUTE) };
      // A channel has one session at a time.
      const channel = [wanted, ...channels].find((one) => (busyUntil.get(one) ?? 0) < from);
      if (channel === undefined || session.until - from < 3 * MINUTE) continue;
      busyUntil.set(channel, session.until);
      this.#addSession(channel, session);
    }
  }

  #addSession(channel: string, session: Span): void {
    const random = this.#random;
    const { seed } = this.#options;
    const ids = { channel_id: this.#channelId(channel), session_id: idFor(seed, "session", session.from) };
    const count = random.pick([1, 2, 2, 3, 3, 4, 6]);
    const spans = Array.from({ length: count }, (_, nth) => (nth === 0 ? session : this.#within(session)));
    const visitors = spans.map((span) => {
      const { clientId, role, nodeName } = drawVisitor(random);
      const isOut = channel === OUTAGE.channel && nodeName === OUTAGE.nodeName && isIn(span.from, this.#incident);
      return { client_id: clientId, role, node_name: isOut ? random.pick([nodes[0], nodes[2]]) : nodeName, span };
    });
    // The session is on the node of its first connection.
    const node_name = visitors[0]?.node_name;
    this.#addEvent("session.created", session.from, { ...ids, node_name });
    for (const [nth, { span, ...client }] of visitors.entries()) {
      const connection_id = idFor(seed, "connection", session.from, nth);
      const bytes = (isFlowing: boolean): number => {
        const perMinute = isFlowing ? random.int(2_000_000, 20_000_000) : random.int(5_000, 60_000);
        return Math.round(((span.until - span.from) / MINUTE) * perMinute);
      };
      this.#addToken(span.from);
      this.#addConnection(span, { ...ids, ...client, connection_id });
      this.#add("connections", stampOf(span.until), {
        ...{ ...ids, client_id: client.client_id, bundle_id: connection_id, connection_id },
        total_received_bytes: bytes(client.role !== "recvonly"),
        total_sent_bytes: bytes(client.role !== "sendonly"),
        ...timesOf(span),
      });
    }
    this.#add("sessions", stampOf(session.until), {
      ...{ ...ids, total_connections: count, max_connections: Math.max(1, count - random.int(0, 1)) },
      ...timesOf(session),
    });
    const elapsed_time_ms = session.until - session.from;
    this.#addEvent("session.destroyed", session.until, { ...ids, node_name, elapsed_time_ms });
    const { channel_id } = ids;
    if (chance(random, 0.5)) {
      const status = chance(random, 0.04) ? 504 : 200;
      this.#addMediaCall(session.from + 2 * MINUTE, status, "ListChannelConnections", channel_id);
    }
    // A connection that has just closed can't be disconnected.
    if (chance(random, 0.15)) {
      const status = chance(random, 0.25) ? 404 : 200;
      this.#addMediaCall(session.until - MINUTE, status, "DisconnectConnection", channel_id);
    }
    if (chance(random, 0.03)) {
      this.#addMediaCall(session.from + 5_000, 404, "DisconnectChannel", this.#channelId("lobyy"));
    }
  }

  /** Returns the span of a connection that begins and ends within a session. */
  #within({ from, until }: Span): Span {
    const begin = from + Math.floor(this.#random.next() * 0.6 * (until - from));
    return { from: begin, until: begin + Math.floor((0.2 + 0.8 * this.#random.next()) * (until - begin)) };
  }

  #addConnection({ from, until }: Span, connection: EventFields): void {
    this.#addEvent("connection.created", from, connection);
    this.#addEvent("connection.destroyed", until, { ...connection, elapsed_time_ms: until - from });
  }

  /** Adds clients whose connections fail during the incident. Most of them try twice. */
  #addOutage(): void {
    const random = this.#random;
    const { from, until } = this.#incident;
    for (let at = from + MINUTE; at < until - MINUTE; at += waitFor(random, FAILING_CLIENT_EVERY_MS)) {
      const { clientId: client_id, role } = drawVisitor(random);
      let begun = Math.floor(at);
      for (let tries = random.pick([1, 2, 2]); tries > 0; tries--) {
        const elapsed_time_ms = ICE_TIMEOUT_MS + random.int(5, 400);
        this.#addToken(begun);
        this.#addEvent("connection.failed", begun + elapsed_time_ms, {
          ...{ channel_id: this.#channelId(OUTAGE.channel), connection_id: idFor("failure", begun, client_id) },
          ...{ client_id, role, node_name: OUTAGE.nodeName, elapsed_time_ms },
          ...{ outcome: "failed", reason: "ice-timeout", media_reason: "ICE-TIMEOUT" },
        });
        begun += elapsed_time_ms + random.int(2_000, 8_000);
      }
    }
  }

  /**
   * Adds a client that has tried again and again since its token expired. As in the service, the first refusal of each
   * minute has its own entry, and the others share one.
   */
  #addStuckClient(): void {
    const { channel, clientId: client_id, role, nodeName: node_name } = stuckClient;
    const expired = Math.ceil(this.#incident.from / MINUTE) * MINUTE;
    const detail = `at ${new Date(expired).toISOString().replace(".000Z", "Z")}`;
    const refuse = (at: number, more: { count?: number } = {}): void =>
      this.#add("events", stampOf(at), {
        ...{ type: "admission.refused", channel_id: this.#channelId(channel), connection_id: idFor("refusal", at) },
        ...{ client_id, role, node_name, outcome: "refused", reason: "expired", detail, key_id: this.#options.keyId },
        ...more,
      });
    for (let minute = expired; minute + MINUTE < this.#until; minute += MINUTE) {
      refuse(minute);
      refuse(minute + MINUTE - STUCK_EVERY_MS, { count: MINUTE / STUCK_EVERY_MS - 1 });
    }
  }

  #add(kind: LogKind, timestamp: string, fields: object): void {
    this.entries.push({ kind, timestamp, text: JSON.stringify({ timestamp, ...fields }) });
  }

  /** Adds the calls of an app that gets a token for a client just before it connects. */
  #addToken(connectedAt: number): void {
    const random = this.#random;
    const path = "/projects/create-access-token";
    const at = connectedAt - random.int(300, 2_500);
    if (chance(random, 0.03)) this.#addCall(at - 500, random.pick([400, 400, 403]), path);
    this.#addCall(at, 200, path);
  }

  /** Adds a call of the service's API. */
  #addCall(at: number, status: number, path: string): void {
    this.#addAnyCall("api", at, status, { url: this.#options.serviceUrl + path });
  }

  /** Adds a call that was passed on to the media server. */
  #addMediaCall(at: number, status: number, operation: string, channel_id: string): void {
    this.#addAnyCall("media-api", at, status, { media_target: `Media_20151104.${operation}`, channel_id });
  }

  #addAnyCall(kind: "api" | "media-api", at: number, status: number, fields: object): void {
    const elapsed_time_ms = status === 504 ? TIMEOUT_MS : 2 + Math.round(waitFor(this.#random, 2));
    this.#add(kind, new Date(at).toISOString(), { ...fields, status, elapsed_time_ms });
  }

  /** Adds an event of a session or connection, and the webhooks that report it. */
  #addEvent(type: string, at: number, event: EventFields): void {
    const { channel_id, connection_id } = event;
    const event_id = idFor("event", type, at, connection_id ?? channel_id);
    this.#add("events", stampOf(at), { type, outcome: "ok", ...event, event_id });
    const addWebhook = (hook: keyof Hooks, sentAt: number, result: WebhookResult): void => {
      const about = { event_id, channel_id, ...(connection_id !== undefined && { connection_id }) };
      this.#add("webhooks", stampOf(sentAt), { type, url: this.#options.hooks[hook], ...result, ...about });
    };
    // Session webhooks are sent once, because the media server waits for the answer.
    if (type.startsWith("session.")) addWebhook("session", at + this.#random.int(2, 20), this.#result(at, false));
    else {
      const body = JSON.stringify({ id: event_id, timestamp: stampOf(at), type, ...event });
      const outcome = this.#deliver(at, (sentAt, result) => addWebhook("event", sentAt, result));
      this.deliveries.push({ eventId: event_id, type, body, at, ...outcome });
    }
  }

  /**
   * Delivers an event, and returns what became of it. The incident ends with a 410 Gone, so that the service switches the
   * address off and gives up what waits; its operator switches it on again at once.
   */
  #deliver(happened: number, add: (at: number, result: WebhookResult) => void) {
    const [random, until] = [this.#random, this.#incident.until];
    const attempts: { at: number; status: number }[] = [];
    const attempt = (sentAt: number, result: WebhookResult): void => {
      add(sentAt, result);
      attempts.push({ at: sentAt, status: result.status });
    };
    let at = happened + random.int(2, 20);
    for (const pause of RETRY_AFTER) {
      at += pause;
      if (happened < until && at >= until) {
        if (!this.#isGone) attempt(until, { status: 410, elapsed_time_ms: random.int(40, 400) });
        this.#isGone = true;
        return { state: "failed", attempts, nextOrEndedAt: until } as const;
      }
      if (at >= this.#until) break;
      const result = this.#result(at, true);
      attempt(at, result);
      at += result.elapsed_time_ms;
      if (result.status === 200) return { state: "delivered", attempts, nextOrEndedAt: at } as const;
    }
    return { state: "waiting", attempts, nextOrEndedAt: at } as const;
  }

  #result(at: number, isEvent: boolean): WebhookResult {
    const random = this.#random;
    if (isEvent && isIn(at, this.#incident)) {
      if (chance(random, 0.08)) return { status: 0, elapsed_time_ms: TIMEOUT_MS };
      if (chance(random, 0.06)) return { status: 200, elapsed_time_ms: random.int(3_000, 8_000) };
      return { status: 503, elapsed_time_ms: random.int(1_800, 9_000) };
    }
    if (chance(random, 0.012)) return { status: 500, elapsed_time_ms: random.int(40, 400) };
    return { status: 200, elapsed_time_ms: 8 + Math.round(waitFor(random, 25)) };
  }
}

interface WebhookResult {
  readonly status: number;
  readonly elapsed_time_ms: number;
}

/** The members of an event's entry. */
interface EventFields {
  readonly channel_id: string;
  readonly connection_id?: string;
  readonly [more: string]: unknown;
}

/** The members of a log entry with the times of a session or connection. */
const timesOf = ({ from, until }: Span) => ({
  created_timestamp: stampOf(from),
  destroyed_timestamp: stampOf(until),
  duration_min: Math.floor((until - from) / MINUTE),
});
