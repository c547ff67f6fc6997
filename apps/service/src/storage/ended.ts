import type { Statement } from "@media-ops/database";

/** A connection or session that has ended, and the event that said so. */
export interface Ended {
  readonly projectId: string;
  readonly kind: "connection" | "session";
  readonly id: string;
  readonly eventId: string;
  /** When it may be forgotten, in ms since 1970. */
  readonly until: number;
}

/** As it is kept: the id of a connection and of a session may be the same. */
export const endedKey = (kind: Ended["kind"], id: string): string => `${kind[0]} ${id}`;

const NOTE = "insert into ended (project_id, id, event_id, until) values (?, ?, ?, ?) on conflict do nothing";

/** Notes an end; adds a row only where this event has not said so before. */
export function noteEnded({ projectId, kind, id, eventId, until }: Ended): Statement {
  return { sql: NOTE, parameters: [projectId, endedKey(kind, id), eventId, until] };
}
