import type { Generated } from "kysely";

/**
 * Every table that both databases have. A project's rows have `project_id` as their first key column, so that they can
 * be stored with the project. PostgreSQL also has `last_batch`: the last batch of each writer to a project's logs.
 */
export interface Tables {
  project: {
    project_id: string;
    created_at: string;
    /** 1 if clients may connect without a token. */
    allow_anonymous: Generated<number>;
    /** The value of the counter "project" when the project or one of its webhooks last changed. */
    version: number;
  };
  api_key: {
    project_id: string;
    key_id: string;
    /** SHA-256 of the whole key. */
    hash: Buffer;
    /** The whole key, encrypted under the master key: an HS256 token cannot be checked without it. */
    sealed: string;
    created_at: string;
    revoked_at: string | null;
    /** The value of the counter "api_key" when the row last changed: see `nextVersion`. */
    version: number;
  };
  /** A key pair that signs a project's tokens instead of its API keys. */
  signing_key: {
    project_id: string;
    key_id: string;
    /** JSON. */
    public_jwk: string;
    /** The private JWK as JSON, encrypted under the master key. */
    sealed: string;
    created_at: string;
    /** When it was replaced: it signs no more tokens, and those that it has signed stay valid. */
    retired_at: string | null;
    /** From then on, no token that it has signed is valid. */
    revoked_at: string | null;
    /** The value of the counter "signing_key" when the row last changed: see `nextVersion`. */
    version: number;
  };
  /** Tokens that were issued in the same second and end on the same day. */
  token_batch: {
    project_id: string;
    /** Since 1970. */
    second: number;
    batch_id: string;
    /** The id of the only token, if its caller has chosen it. */
    jwt_id: string | null;
    /** When the last of them ends, in ms since 1970; null if they never end. */
    last_end: number | null;
    /** JSON: see `TokenRecord`. */
    tokens: string;
  };
  /** A token that was revoked, or all tokens for a channel that were issued before a time. */
  token_revocation: {
    project_id: string;
    /** `t <jwt_id>` or `c <channel_id>`. */
    subject: string;
    /** In lower case. */
    jwt_id: string | null;
    channel_id: string | null;
    /** Times are in ms since 1970. */
    issued_before: number | null;
    revoked_at: number;
    revoked_by: string | null;
    /** When no such token can be valid any more; null if that is not known. */
    until: number | null;
    /** The value of the counter "token_revocation" when the row last changed: see `nextVersion`. */
    version: number;
  };
  /** Who did what in a project, or, with an empty project id, in the service. */
  audit_entry: {
    project_id: string;
    /** Sorts by time: see `newSortedId`. */
    audit_id: string;
    action: string;
    requested_by: string | null;
    /** JSON, as it is listed. */
    entry: string;
  };
  intake_key: {
    key_id: string;
    label: string;
    hash: Buffer;
    created_at: string;
    revoked_at: string | null;
  };
  /** The state of a project's log. */
  log_head: {
    project_id: string;
    /** See `logKinds`. */
    kind: number;
    /** How many entries were ever written: the newest entry's `seq`, which also shows that a log has changed. */
    seq: number;
    /** A sort key: entries before it are noted in `log_late` when they are written. */
    sealed_at: Generated<string>;
    /** About how many of the entries are in segments, or will be once there are enough for one. */
    indexed: Generated<number>;
    /** The number of the last segment that was written. A process that saw another number may not replace segments. */
    build: Generated<number>;
  };
  /** The entries of the logs, in the order in which they are listed. */
  log_entry: {
    project_id: string;
    kind: number;
    /** The timestamp as a text that sorts: see `sortKey`. */
    at: string;
    /** Distinguishes entries with the same timestamp, in the order in which they were written. */
    seq: number;
    /** The JSON text as it is sent. */
    entry: string;
  };
  /** Entries that were written after the segment of their time was begun, until it is built again. */
  log_late: { project_id: string; kind: number; at: string; seq: number };
  /** The segments of the logs: see `search/segments.ts`. */
  log_segment: {
    project_id: string;
    kind: number;
    until_at: string;
    from_at: string;
    seq: number;
    entries: number;
    first_seq: number;
    last_seq: number;
    first_at: string;
    last_at: string;
    /** JSON: the `fields` of a segment, in the order of their columns. */
    fields: string;
    /** Its number in the log: the number of its parts begins with it. */
    build: number;
    /** How many pages its index of ids has: a power of two, or 0. */
    pages: number;
  };
  /** The columns of a segment, its counts by hour, and the pages of its index of ids. */
  log_part: {
    project_id: string;
    kind: number;
    /** See `partNumber`. */
    part: number;
    data: Buffer;
  };
  /** A project's own address for one kind of webhook. */
  webhook: {
    project_id: string;
    kind: "auth" | "session" | "event";
    url: string;
    /** The secret that signs its webhooks, encrypted under the master key. */
    secret: string;
    /** The previous secret, which also signs until `old_secret_until` (ms since 1970). */
    old_secret: string | null;
    old_secret_until: number | null;
    set_at: string;
    /** When it was switched off, and why. */
    off_at: string | null;
    off_reason: string | null;
    /** Since when the receiver has not accepted a webhook; null if it accepted the last one. */
    failing_since: Generated<string | null>;
  };
  /** Connections and sessions that have ended, with the event: an event counts once, and later ones change nothing. */
  ended: {
    project_id: string;
    /** The id of a connection or a session: see `endedPrefix`. */
    id: string;
    event_id: string;
    /** When it may be deleted, in ms since 1970. */
    until: number;
  };
  /** A seat in a channel: granted to a client that may connect, then held by its connection. */
  seat: {
    project_id: string;
    channel_id: string;
    connection_id: string;
    node_name: string;
    session_id: string | null;
    /** 1 once the connection has been reported. */
    connected: number;
    /** When the client requested it or the connection was created, by the media server's clock: see `sortKey`. */
    at: string;
    /** When it expires without a further report, in ms since 1970. */
    until: number;
    role: Generated<string | null>;
    /** Null if the client gave no id of its own. */
    client_id: Generated<string | null>;
    /** The limit of the token by which the client was admitted; null if there is none. */
    max_connections: Generated<number | null>;
    /** The id of the token by which the client was admitted, in lower case; null if it has none. */
    jwt_id: Generated<string | null>;
    /** When the token was issued, in seconds since 1970; null if it doesn't say so. */
    issued_at: Generated<number | null>;
  };
  /** Refused clients of a period that share an entry of the event log, until the period is over. */
  refused_client: {
    project_id: string;
    /** The number of the period; periods once were minutes. */
    minute: number;
    /** A hash of what they share: the channel, the client, its token and the reason. */
    name: string;
    count: number;
    /** The sort key of the last one's time. */
    at: string;
    /** The last one's entry, without a count. */
    entry: string;
  };
  /** A webhook body that was refused because it is invalid. */
  quarantine: {
    id: Generated<number>;
    at: string;
    path: string;
    key_id: string;
    reason: string;
    body: string;
  };
  /** An event that is delivered to a project's own address. */
  delivery: {
    project_id: string;
    /** Sorts by the time when the event was received. */
    delivery_id: string;
    event_id: string;
    type: string;
    /** The deliveries of one lane, such as a connection's, are sent one after another. */
    lane: string;
    /** As the media server sent it. */
    body: string;
    state: "waiting" | "delivered" | "failed";
    tries: number;
    /** Times are in ms since 1970. */
    created_at: number;
    /** When it is tried next; null once it has ended. */
    next_at: number | null;
    ended_at: number | null;
    last_status: number | null;
    last_fault: string | null;
    /** Each attempt as `<ms since 1970>:<status>`, separated by commas, the oldest first. */
    attempts: Generated<string>;
    /** When it was requested to be sent again with others, one after another; null if it was not. */
    resend_at: Generated<number | null>;
  };
  /** The queue of a project's events: one process owns it at a time, to keep their order. */
  delivery_queue: {
    project_id: string;
    /** When the next delivery is due, in ms since 1970; null if none waits. */
    due_at: number | null;
    owner: string;
    /** Until when the owner keeps the queue without renewing its lease. */
    owned_until: number;
  };
  counter: { name: string; value: number };
  setting: { name: string; value: string };
}
