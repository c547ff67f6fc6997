import { idFor, type Random } from "@media-ops/fake-media";
import type { KeptDemo } from "../kept.js";
import { type Span, stampOf } from "./span.js";
import { chance, waitFor } from "./visitors.js";

/** The six logs. */
export type LogKind = "sessions" | "connections" | "api" | "media-api" | "webhooks" | "events";

/** An entry of a log. */
export interface PastEntry {
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
  readonly attempts: readonly PastAttempt[];
  /** When it is tried next if it is waiting, otherwise when it ended. */
  readonly nextOrEndedAt: number;
}

interface PastAttempt {
  readonly at: number;
  readonly status: number;
}

/** The URLs of the project's webhooks. */
export type Hooks = KeptDemo["hooks"];

interface PastLogOptions {
  readonly random: Random;
  /** Nothing happens from then on. */
  readonly until: number;
  /** The span in which most event webhooks fail. */
  readonly incident: Span;
  readonly serviceUrl: string;
  readonly hooks: Hooks;
}

/** Something that the media server reports. */
interface MediaEvent {
  readonly type: string;
  readonly at: number;
  readonly channel_id: string;
  readonly connection_id?: string;
  /** Further members of its entry. */
  readonly [more: string]: unknown;
}

// The service's retry delays.
const RETRY_AFTER = [0, 5_000, 300_000, 1_800_000, 7_200_000];
const TIMEOUT_MS = 10_000;

/** Collects log entries. */
export class PastLog {
  readonly entries: PastEntry[] = [];
  readonly deliveries: PastDelivery[] = [];
  readonly #options: PastLogOptions;
  /** Whether the receiver has answered 410 Gone, which it does once. */
  #isGone = false;

  constructor(options: PastLogOptions) {
    this.#options = options;
  }

  add(kind: LogKind, timestamp: string, fields: object): void {
    this.entries.push({ kind, timestamp, text: JSON.stringify({ timestamp, ...fields }) });
  }

  /** Adds a call of the service's API. */
  addCall(at: number, status: number, path: string): void {
    this.#addCall("api", at, status, { url: this.#options.serviceUrl + path });
  }

  /** Adds a call that was passed on to the media server. */
  addMediaCall(at: number, status: number, operation: string, channel_id: string): void {
    this.#addCall("media-api", at, status, { media_target: `Media_20151104.${operation}`, channel_id });
  }

  #addCall(kind: "api" | "media-api", at: number, status: number, fields: object): void {
    const elapsed_time_ms = status === 504 ? TIMEOUT_MS : 2 + Math.round(waitFor(this.#options.random, 2));
    this.add(kind, new Date(at).toISOString(), { ...fields, status, elapsed_time_ms });
  }

  /** Adds the calls of an app that gets a token for a client just before it connects. */
  addToken(connectedAt: number): void {
    const { random } = this.#options;
    const path = "/projects/create-access-token";
    const at = connectedAt - random.int(300, 2_500);
    if (chance(random, 0.03)) this.addCall(at - 500, random.pick([400, 400, 403]), path);
    this.addCall(at, 200, path);
  }

  /** Adds an event of a session or connection, and the webhooks that report it. */
  addEvent({ type, at, ...event }: MediaEvent): void {
    const { channel_id, connection_id } = event;
    const event_id = idFor("event", type, at, connection_id ?? channel_id);
    this.add("events", stampOf(at), { type, outcome: "ok", ...event, event_id });
    const about = { type, channel_id, ...(connection_id !== undefined && { connection_id }), event_id };
    if (type.startsWith("session.")) this.#addSessionWebhook(at, about);
    else this.#addEventWebhooks(at, about, JSON.stringify({ id: event_id, timestamp: stampOf(at), type, ...event }));
  }

  /** Session webhooks are sent once, because the media server waits for the answer. */
  #addSessionWebhook(happened: number, about: PastWebhook): void {
    const { random, hooks } = this.#options;
    this.#addWebhook(happened + random.int(2, 20), hooks.session, resultOf(random), about);
  }

  /**
   * Adds what became of an event. The incident ends with a 410 Gone, so that the service switches the address off and
   * gives up what waits; its operator switches it on again at once.
   */
  #addEventWebhooks(happened: number, about: PastWebhook, body: string): void {
    const { random, hooks, incident, until } = this.#options;
    const attempts: PastAttempt[] = [];
    const end = (state: PastDelivery["state"], nextOrEndedAt: number): void => {
      const { event_id: eventId, type } = about;
      this.deliveries.push({ eventId, type, body, at: happened, state, attempts, nextOrEndedAt });
    };
    const attempt = (at: number, result: WebhookResult): void => {
      this.#addWebhook(at, hooks.event, result, about);
      attempts.push({ at, status: result.status });
    };
    let at = happened + random.int(2, 20);
    for (const pause of RETRY_AFTER) {
      at += pause;
      if (happened < incident.until && at >= incident.until) {
        if (!this.#isGone) attempt(incident.until, { status: 410, elapsed_time_ms: random.int(40, 400) });
        this.#isGone = true;
        end("failed", incident.until);
        return;
      }
      if (at >= until) {
        end("waiting", at);
        return;
      }
      const isIncident = at >= incident.from && at < incident.until;
      const result = isIncident ? resultInIncident(random) : resultOf(random);
      attempt(at, result);
      at += result.elapsed_time_ms;
      if (result.status === 200) {
        end("delivered", at);
        return;
      }
    }
  }

  #addWebhook(at: number, url: string, result: WebhookResult, { type, ...ids }: PastWebhook): void {
    this.add("webhooks", stampOf(at), { type, url, ...result, ...ids });
  }
}

/** What a webhook is about. */
interface PastWebhook {
  readonly type: string;
  readonly event_id: string;
  readonly channel_id: string;
  readonly connection_id?: string;
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
