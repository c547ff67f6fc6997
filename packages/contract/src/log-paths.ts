import type { paths } from "./generated/api.js";

/** The operation that lists each kind of log. The names of the kinds are the same in the SDK, Slack and the terminal. */
export const logPaths = {
  sessions: "/orgs/list-session-logs",
  connections: "/orgs/list-connection-logs",
  api: "/orgs/list-api-logs",
  "media-api": "/orgs/list-media-api-logs",
  webhooks: "/orgs/list-webhook-logs",
  events: "/orgs/list-event-logs",
} as const satisfies Readonly<Record<string, keyof paths>>;

/** The name of a kind of log. */
export type LogKind = keyof typeof logPaths;
