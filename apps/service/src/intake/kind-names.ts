/** The kinds of events that mean something here. Apart from how they are read, which takes its time to be made ready. */
export const kindNames = [
  "session.created",
  "session.destroyed",
  "session.vanished",
  "connection.created",
  "connection.updated",
  "connection.destroyed",
  "connection.failed",
] as const;

export type KindName = (typeof kindNames)[number];
