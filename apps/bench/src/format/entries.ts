import type { WebhookLogEntry } from "@media-ops/sdk";

export const now = Date.UTC(2026, 3, 1);

const statuses = [200, 200, 204, 200, 503, 200, 404] as const;

/** A full answer of the service. */
export const entries: WebhookLogEntry[] = Array.from({ length: 1000 }, (_, at) => ({
  timestamp: new Date(now - at * 7_310).toISOString().replace("Z", "913Z"),
  type: at % 2 ? "connection.created" : "session.destroyed",
  url: `https://hooks.example/teams/video/rooms/${at % 12}/events`,
  status: statuses[at % statuses.length] ?? 200,
  elapsed_time_ms: 20 + ((at * 37) % 900),
}));
