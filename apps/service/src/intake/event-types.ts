/** The types of events that the service handles. Kept apart from their schemas, which take a while to compile. */
export const eventTypes = [
  "session.created",
  "session.destroyed",
  "session.vanished",
  "connection.created",
  "connection.updated",
  "connection.destroyed",
  "connection.failed",
] as const;

export type EventType = (typeof eventTypes)[number];
