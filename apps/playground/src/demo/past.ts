import { callsIn } from "./past-calls.js";
import { deliveriesOf } from "./past-deliveries.js";
import { sessionsIn } from "./past-sessions.js";
import { createRandom } from "./random.js";
import { stampOf } from "./stamp.js";

/** The five logs. */
export type LogKind = "sessions" | "connections" | "api" | "media-api" | "webhooks";

/** An entry of a log. */
export interface PastEntry {
  readonly kind: LogKind;
  readonly timestamp: string;
  /** All of it, as JSON. */
  readonly text: string;
}

/** Where the project's webhooks go to. */
export interface Hooks {
  readonly session: string;
  readonly event: string;
}

/** Options of {@link pastOf}. */
export interface PastOptions {
  readonly now: number;
  readonly seed: number;
  readonly projectId: string;
  readonly serviceUrl: string;
  readonly hooks: Hooks;
}

/** A stretch of time, in milliseconds since 1970; the end does not belong to it. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAYS = 3;

/** When the receiver of events failed: long enough ago to be over, and not so long that nobody asks. */
export const incidentBefore = (now: number): Span => ({ from: now - 2 * HOUR, until: now - HOUR });

/**
 * What three days before now could have left behind: a rhythm of days and nights, the few faults that there always are,
 * and one hour in which the receiver of events was ill. The same for the same options.
 */
export function pastOf({ now, seed, projectId, serviceUrl, hooks }: PastOptions): PastEntry[] {
  const span = { from: now - DAYS * 24 * HOUR, until: now - MINUTE };
  const random = createRandom(seed);
  const sessions = sessionsIn(span, projectId, random);
  const deliveries = deliveriesOf(sessions, { hooks, incident: incidentBefore(now), until: span.until }, random);
  const { api, mediaApi } = callsIn(span, sessions, { serviceUrl, projectId }, random);
  return [
    ...sessions.map(({ entry }) => written("sessions", entry)),
    ...sessions.flatMap(({ connections }) => connections.map(({ entry }) => written("connections", entry))),
    ...api.map(({ at, ...entry }) => written("api", { timestamp: new Date(at).toISOString(), ...entry })),
    ...mediaApi.map(({ at, ...entry }) => written("media-api", { timestamp: new Date(at).toISOString(), ...entry })),
    ...deliveries.map(({ at, ...entry }) => written("webhooks", { timestamp: stampOf(at), ...entry })),
  ];
}

function written(kind: LogKind, entry: { readonly timestamp: string }): PastEntry {
  return { kind, timestamp: entry.timestamp, text: JSON.stringify(entry) };
}
