import type { TableDescription, TablesOf } from "@media-ops/database";

/**
 * Every table that both databases have, as the migrations leave it; each comes after those that it references. A
 * project's rows have `project_id` as their first key column, so that they can be stored with the project. PostgreSQL
 * also has `last_batch`: the last batch of each writer to a project's logs. Unless a name ends with `_at` and is a text,
 * times are in ms since 1970; `version` is the value of the table's counter when the row last changed: see `nextVersion`.
 */
export const tables = {
  setting: { text: "name value", key: "name" },
  counter: { text: "name", integer: "value", key: "name", hasFirstRows: true },
  /** `allow_anonymous` is 1 if clients may connect without a token. */
  project: {
    text: "project_id created_at",
    integer: "allow_anonymous version",
    key: "project_id",
    generated: "allow_anonymous",
  },
  /**
   * `hash` is the SHA-256 of the whole key, `sealed` the key encrypted under the master key: an HS256 token cannot be
   * checked without it.
   */
  api_key: {
    text: "project_id key_id sealed created_at",
    integer: "version",
    bytes: "hash",
    nullableText: "revoked_at",
    key: "project_id key_id",
  },
  intake_key: { text: "key_id label created_at", bytes: "hash", nullableText: "revoked_at", key: "key_id" },
  /**
   * A key pair that signs a project's tokens instead of its API keys, as JSON; `sealed` is encrypted under the master
   * key. Retired, it signs no more tokens, and those that it has signed stay valid; revoked, they are not.
   */
  signing_key: {
    text: "project_id key_id public_jwk sealed created_at",
    integer: "version",
    nullableText: "retired_at revoked_at",
    key: "project_id key_id",
  },
  /**
   * Tokens that were issued in the same second and end on the same day, as JSON: see `TokenRecord`. `jwt_id` is the id of
   * the only one if its caller has chosen it; `last_end` is null if they never end.
   */
  token_batch: {
    text: "project_id batch_id tokens",
    integer: "second",
    nullableText: "jwt_id",
    nullableInteger: "last_end",
    key: "project_id second batch_id",
  },
  /**
   * A token that was revoked, with the `subject` `t <jwt_id>`, or all tokens for a channel that were issued before a
   * time, with `c <channel_id>`. `until` is when no such token can be valid any more; null if that is not known.
   */
  token_revocation: {
    text: "project_id subject",
    integer: "revoked_at version",
    nullableText: "jwt_id channel_id revoked_by",
    nullableInteger: "issued_before until",
    key: "project_id subject",
  },
  /** Who did what in a project, or, with an empty project id, in the service; `audit_id` sorts by time. */
  audit_entry: {
    text: "project_id audit_id action entry",
    nullableText: "requested_by",
    key: "project_id audit_id",
  },
  /**
   * A project's own address for one kind of webhook, with its encrypted secrets; `old_secret` also signs until
   * `old_secret_until`. `failing_since` is null if the receiver accepted the last webhook.
   */
  webhook: {
    text: "project_id kind url secret set_at",
    nullableText: "old_secret off_at off_reason failing_since",
    nullableInteger: "old_secret_until",
    key: "project_id kind",
    generated: "failing_since",
  },
  /**
   * The state of a project's log; for `kind`, see `logKinds`. `seq` is the newest entry's: how many were ever written.
   * Entries before `sealed_at`, a sort key, are noted in `log_late` when they are written. About `indexed` entries are in
   * segments, or will be once there are enough for one. A process that saw another `build`, the number of the last
   * segment that was written, may not replace segments.
   */
  log_head: {
    text: "project_id sealed_at",
    integer: "kind seq indexed build",
    key: "project_id kind",
    generated: "sealed_at indexed build",
  },
  /**
   * The entries of the logs, as JSON, in the order in which they are listed: `at` is a sort key, and `seq` distinguishes
   * entries with the same timestamp, in the order in which they were written.
   */
  log_entry: { text: "project_id at entry", integer: "kind seq", key: "project_id kind at seq" },
  /** Entries that were written after the segment of their time was begun, until it is built again. */
  log_late: { text: "project_id at", integer: "kind seq", key: "project_id kind at seq" },
  /**
   * The segments of the logs: see `search/segments.ts`. `fields` are those of its columns as JSON; the numbers of its
   * parts begin with `build`; `pages` of its index of ids are a power of two, or 0.
   */
  log_segment: {
    text: "project_id until_at from_at first_at last_at fields",
    integer: "kind seq entries first_seq last_seq build pages",
    key: "project_id kind until_at",
  },
  /** The columns of a segment, its counts by hour, and the pages of its index of ids; for `part`, see `partNumber`. */
  log_part: { text: "project_id", integer: "kind part", bytes: "data", key: "project_id kind part" },
  /**
   * Connections and sessions that have ended, with the event: an event counts once, and later ones change nothing. For
   * `id`, see `endedPrefix`; after `until`, it may be deleted.
   */
  ended: { text: "project_id id event_id", integer: "until", key: "project_id id event_id until" },
  /**
   * A seat in a channel: granted to a client that may connect, then held by its connection, and `connected` is 1 once
   * that is reported. `at` is when it was requested or created, by the media server's clock: see `sortKey`; it expires at
   * `until` without a further report. `client_id` is null if the client gave no id of its own; the limit, the id in lower
   * case and the time in seconds are those of the token by which it was admitted.
   */
  seat: {
    text: "project_id channel_id connection_id node_name at",
    integer: "connected until",
    nullableText: "session_id role client_id jwt_id",
    nullableInteger: "max_connections issued_at",
    key: "project_id channel_id connection_id",
    generated: "role client_id jwt_id max_connections issued_at",
  },
  /**
   * Refused clients of a period that share an entry of the event log, until the period is over: `minute` is its number,
   * as periods once were minutes. `name` is a hash of what they share: the channel, the client, its token and the reason;
   * `at` and `entry` are the last one's, without a count.
   */
  refused_client: {
    text: "project_id name at entry",
    integer: "minute count",
    key: "project_id minute name",
  },
  /** Webhook bodies that were refused because they are invalid. */
  quarantine: { text: "at path key_id reason body", integer: "id", key: "id", counted: "id" },
  /**
   * An event that is delivered to a project's own address, with the body as the media server sent it; `delivery_id` sorts
   * by the time when it was received, and those of one `lane`, such as a connection's, are sent one after another.
   * `next_at` is null once it has ended. `attempts` are `<ms since 1970>:<status>`, separated by commas, the oldest
   * first. `resend_at` is when it was requested to be sent again with others, one after another.
   */
  delivery: {
    text: "project_id delivery_id event_id type lane body state attempts",
    integer: "tries created_at",
    nullableText: "last_fault",
    nullableInteger: "next_at ended_at last_status resend_at",
    key: "project_id delivery_id",
    generated: "attempts resend_at",
  },
  /**
   * The queue of a project's events: one process owns it at a time, to keep their order, until `owned_until` unless it
   * renews its lease. `due_at` is when the next delivery is due; null if none waits.
   */
  delivery_queue: {
    text: "project_id owner",
    integer: "owned_until",
    nullableInteger: "due_at",
    key: "project_id",
  },
} as const satisfies Readonly<Record<string, TableDescription>>;

type Described = TablesOf<typeof tables>;

/** The types of the tables, for queries. */
export interface Tables extends Omit<Described, "webhook" | "delivery"> {
  webhook: Omit<Described["webhook"], "kind"> & { kind: "auth" | "session" | "event" };
  delivery: Omit<Described["delivery"], "state"> & { state: "waiting" | "delivered" | "failed" };
}
