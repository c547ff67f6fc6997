/** The logs, by the names that they have everywhere. */
export type LogKind = "sessions" | "connections" | "api" | "media-api" | "webhooks";

/** The number of each kind in the database: never changed, never used again. */
export const kindNumbers: Readonly<Record<LogKind, number>> = {
  sessions: 1,
  connections: 2,
  api: 3,
  "media-api": 4,
  webhooks: 5,
};
