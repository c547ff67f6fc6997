import type { LogKind } from "@media-ops/contract";
import type { LogService } from "@media-ops/reports";
import { countingService } from "./counting-service.js";
import { now } from "./samples.js";

const DAY = 86_400_000;

/** Entries spread evenly over the 24 hours that ended so many days ago, the newest first. */
export function entriesIn(daysAgo: number, count: number, entryAt: (at: number) => object): object[] {
  return Array.from({ length: count }, (_, at) => ({
    timestamp: new Date(now - daysAgo * DAY - ((at + 1) * DAY) / (count + 1)).toISOString(),
    ...entryAt(at),
  }));
}

/** A webhook; each of so many fails. */
export const webhookAt =
  (failsEach: number, elapsed_time_ms = 84) =>
  (at: number) => ({
    type: "session.created",
    url: at % 7 === 0 ? "https://hooks.example/old" : "https://hooks.example/media",
    status: at % failsEach === 0 ? (at % (3 * failsEach) === failsEach ? 0 : 503) : 200,
    elapsed_time_ms: elapsed_time_ms + (at % 50),
  });

/** A connection of some minutes. */
export const connectionAt = (at: number) => ({
  channel_id: "lobby@demo",
  duration_min: 10 + (at % 60),
  total_received_bytes: 40_000_000,
  total_sent_bytes: 1_000_000,
});

/** An event: most connections are made, some fail, and some clients are refused. */
export const eventAt =
  (failsEach: number, refusedEach: number) =>
  (at: number): object => {
    if (at % failsEach === 1) {
      return { type: "connection.failed", outcome: "failed", reason: "ice-timeout", client_id: `c${at % 3}` };
    }
    if (at % refusedEach === 2) {
      return { type: "admission.refused", outcome: "refused", reason: "expired", client_id: "old-app", count: 3 };
    }
    return { type: "connection.created", outcome: "ok", client_id: `c${at}` };
  };

/** A call of the API; each of so many is invalid, and each of so many fails. */
export const callAt = (invalidEach: number, failsEach: number) => (at: number) => ({
  url: "https://media.example/orgs/list-webhook-logs",
  status: at % failsEach === 3 ? 500 : at % invalidEach === 1 ? 400 : 200,
  elapsed_time_ms: 3 + (at % 5),
});

/** A session of some minutes. */
export const sessionAt = (at: number) => ({ channel_id: "lobby@demo", duration_min: 60 + at });

/** The entries of three days, as a service holds them. */
export function threeDays(entryOf: (daysAgo: number) => object[]): object[] {
  return [0, 1, 7].flatMap(entryOf);
}

/** A service with a log of each kind. */
export function serviceOf(logs: Partial<Record<LogKind, LogService>>): LogService {
  const none = countingService([]);
  return {
    count: (kind, question) => (logs[kind] ?? none).count(kind, question),
    list: (kind, question) => (logs[kind] ?? none).list(kind, question),
  };
}

/** A day on which webhooks failed. */
export const troubled: LogService = serviceOf({
  sessions: countingService(threeDays((ago) => entriesIn(ago, 40, sessionAt))),
  connections: countingService(threeDays((ago) => entriesIn(ago, ago === 0 ? 420 : 400, connectionAt))),
  api: countingService(threeDays((ago) => entriesIn(ago, 90, callAt(4, 45)))),
  "media-api": countingService([]),
  webhooks: countingService(threeDays((ago) => entriesIn(ago, 1200 - 20 * ago, webhookAt(ago === 0 ? 8 : 100)))),
  events: countingService(threeDays((ago) => entriesIn(ago, 900, eventAt(ago === 0 ? 30 : 33, ago === 0 ? 20 : 200)))),
});

/** A day like the others. */
export const calm: LogService = serviceOf({
  sessions: countingService(threeDays((ago) => entriesIn(ago, 40, sessionAt))),
  connections: countingService(threeDays((ago) => entriesIn(ago, 400 + ago, connectionAt))),
  webhooks: countingService(threeDays((ago) => entriesIn(ago, 300, webhookAt(301)))),
});
