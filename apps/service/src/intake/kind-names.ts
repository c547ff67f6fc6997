/** The kinds of webhooks that the media server sends: the last part of their address. */
export const intakeKinds = ["auth", "session", "event"] as const;

export type IntakeKind = (typeof intakeKinds)[number];

/** The types of events that are handled here. Kept apart from their schemas, which take a while to compile. */
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
