import type { Generated } from "kysely";

/**
 * Every table that both databases have. What belongs to a project leads with `project_id`, so that it can lie with the
 * project. PostgreSQL alone has `last_batch`: the last batch that each writer has appended to a project's logs.
 */
export interface Tables {
  project: ProjectTable;
  api_key: ApiKeyTable;
  intake_key: IntakeKeyTable;
  log_head: LogHeadTable;
  log_entry: LogEntryTable;
  webhook: WebhookTable;
  ended: EndedTable;
  seat: SeatTable;
  quarantine: QuarantineTable;
  delivery: DeliveryTable;
  delivery_queue: DeliveryQueueTable;
  counter: { name: string; value: number };
  setting: { name: string; value: string };
}

interface ProjectTable {
  project_id: string;
  created_at: string;
  /** 1 where clients are let in without a token. */
  allow_anonymous: Generated<number>;
  /** The counter "project" when the project or one of its webhooks last changed. */
  version: number;
}

interface ApiKeyTable {
  project_id: string;
  key_id: string;
  /** SHA-256 of the whole key. */
  hash: Buffer;
  /** The whole key, encrypted under the master key: an HS256 token cannot be checked without it. */
  sealed: string;
  created_at: string;
  revoked_at: string | null;
  /** The counter "api_key" when the row last changed: whoever knows the rows reads only what is newer. */
  version: number;
}

interface IntakeKeyTable {
  key_id: string;
  label: string;
  hash: Buffer;
  created_at: string;
  revoked_at: string | null;
}

/** Where a project's log stands. */
interface LogHeadTable {
  project_id: string;
  kind: number;
  /** How many entries were ever written: the newest one's `seq`, and a sign that a log has changed. */
  seq: number;
}

/** A log in the order in which it is read. */
interface LogEntryTable {
  project_id: string;
  kind: number;
  /** The timestamp as a text that sorts: see `sortKey`. */
  at: string;
  /** Keeps entries of one moment apart, and in the order in which they came. */
  seq: number;
  /** The JSON text that is sent. */
  entry: string;
}

/** A project's own address for one kind of webhook. */
interface WebhookTable {
  project_id: string;
  /** auth, session or event. */
  kind: string;
  url: string;
  /** What it is signed with, encrypted under the master key. */
  secret: string;
  /** The one before it, which signs too until `old_secret_until` (ms since 1970). */
  old_secret: string | null;
  old_secret_until: number | null;
  set_at: string;
  /** When it was switched off, and why. */
  off_at: string | null;
  off_reason: string | null;
}

/** What has ended, by which event: that one counts once, and what comes late changes nothing any more. */
interface EndedTable {
  project_id: string;
  /** Of a connection or a session: see `endedKey`. */
  id: string;
  event_id: string;
  /** When it may be forgotten, in ms since 1970. */
  until: number;
}

/** A place in a channel: granted to a client that was let in, then its connection's. */
interface SeatTable {
  project_id: string;
  channel_id: string;
  connection_id: string;
  node_name: string;
  session_id: string | null;
  /** 1 once the connection has been seen. */
  connected: number;
  /** When the client asked, or when the connection was made, by the media server's clock: a text that sorts. */
  at: string;
  /** When it lapses unless there is another sign of life, in ms since 1970. */
  until: number;
}

/** A body that the media server sent and that could not be taken in. */
interface QuarantineTable {
  id: Generated<number>;
  at: string;
  path: string;
  key_id: string;
  reason: string;
  body: string;
}

/** An event on its way to a project's own address. */
interface DeliveryTable {
  project_id: string;
  /** Sorts by the time when it was taken in. */
  delivery_id: string;
  event_id: string;
  type: string;
  /** Those of one lane are delivered one after another: a connection's. */
  lane: string;
  /** As the media server sent it. */
  body: string;
  /** waiting, delivered or failed. */
  state: string;
  tries: number;
  /** Times are in ms since 1970. When it is tried next; null when it has ended. */
  created_at: number;
  next_at: number | null;
  ended_at: number | null;
  last_status: number | null;
  last_fault: string | null;
}

/** Which process delivers a project's events: one at a time, so that their order can be kept. */
interface DeliveryQueueTable {
  project_id: string;
  /** When the next one is due, in ms since 1970; null where none waits. */
  due_at: number | null;
  owner: string;
  /** Until when the owner has it without another sign of life. */
  owned_until: number;
}
