import type { TableDescription, TablesOf } from "@media-ops/database";

/**
 * Every table that both databases have, as the migrations leave it; each comes after those that it references. A
 * project's rows have `project_id` as their first key column, so that they can be stored with the project. PostgreSQL
 * also has `last_batch`: the last batch of each writer to a project's logs. Unless a name ends with `_at` and is a text,
 * times are in ms since 1970; `version` is the value of the table's counter when the row last changed: see `nextVersion`.
 */
export const tables = {
  setting: { columns: ["name text, value text"], key: "name" },
  counter: { columns: ["name text, value integer"], key: "name", hasFirstRows: true },
  /** `allow_anonymous` is 1 if clients may connect without a token. */
  project: {
    columns: ["project_id text, created_at text, allow_anonymous integer, version integer"],
    key: "project_id",
    generated: "allow_anonymous",
  },
  /** `hash` is the SHA-256 of the whole key; without `sealed`, the key itself, no HS256 token can be checked. */
  api_key: {
    columns: [
      "project_id text, key_id text, sealed text, created_at text, version integer, hash bytes",
      "revoked_at text?",
    ],
    key: "project_id, key_id",
  },
  intake_key: { columns: ["key_id text, label text, created_at text, hash bytes, revoked_at text?"], key: "key_id" },
  /**
   * A key pair that signs a project's tokens instead of its API keys, as JSON; `sealed` is encrypted under the master
   * key. Retired, it signs no more tokens, and those that it has signed stay valid; revoked, they are not.
   */
  signing_key: {
    columns: [
      "project_id text, key_id text, public_jwk text, sealed text, created_at text, version integer",
      "retired_at text?, revoked_at text?",
    ],
    key: "project_id, key_id",
  },
  /**
   * Tokens that were issued in the same second and end on the same day, as JSON: see `TokenRecord`. `jwt_id` is the id of
   * the only one if its caller has chosen it; `last_end` is null if they never end.
   */
  token_batch: {
    columns: ["project_id text, batch_id text, tokens text, second integer, jwt_id text?, last_end integer?"],
    key: "project_id, second, batch_id",
  },
  /**
   * A token that was revoked, with the `subject` `t <jwt_id>`, or all tokens for a channel that were issued before a
   * time, with `c <channel_id>`. `until` is when no such token can be valid any more; null if that is not known.
   */
  token_revocation: {
    columns: [
      "project_id text, subject text, revoked_at integer, version integer, jwt_id text?, channel_id text?",
      "revoked_by text?, issued_before integer?, until integer?",
    ],
    key: "project_id, subject",
  },
  /** Who did what in a project, or, with an empty project id, in the service; `audit_id` sorts by time. */
  audit_entry: {
    columns: ["project_id text, audit_id text, action text, entry text, requested_by text?"],
    key: "project_id, audit_id",
  },
  /**
   * A project's own address for one kind of webhook, with its encrypted secrets; `old_secret` also signs until
   * `old_secret_until`. `failing_since` is null if the receiver accepted the last webhook.
   */
  webhook: {
    columns: [
      "project_id text, kind text, url text, secret text, set_at text, old_secret text?, off_at text?",
      "off_reason text?, failing_since text?, old_secret_until integer?",
    ],
    key: "project_id, kind",
    generated: "failing_since",
  },
  /**
   * The state of a project's log; for `kind`, see `logKinds`. `seq` is the newest entry's: how many were ever written.
   * Entries before `sealed_at`, a sort key, are noted in `log_late` when they are written. About `indexed` entries are in
   * segments, or will be once there are enough for one. A process that saw another `build`, the number of the last
   * segment that was written, may not replace segments.
   */
  log_head: {
    columns: ["project_id text, sealed_at text, kind integer, seq integer, indexed integer, build integer"],
    key: "project_id, kind",
    generated: "sealed_at, indexed, build",
  },
  /** The entries as JSON, in the order of listings: by `at`, a sort key, and `seq`, the order of writing. */
  log_entry: {
    columns: ["project_id text, at text, entry text, kind integer, seq integer"],
    key: "project_id, kind, at, seq",
  },
  /** Entries that were written after the segment of their time was begun, until it is built again. */
  log_late: { columns: ["project_id text, at text, kind integer, seq integer"], key: "project_id, kind, at, seq" },
  /**
   * The segments of the logs: see `search/segment-store.ts`. `fields` are those of its columns as JSON; the numbers of its
   * parts begin with `build`; `pages` of its index of ids are a power of two, or 0.
   */
  log_segment: {
    columns: [
      "project_id text, until_at text, from_at text, first_at text, last_at text, fields text, kind integer",
      "seq integer, entries integer, first_seq integer, last_seq integer, build integer, pages integer",
    ],
    key: "project_id, kind, until_at",
  },
  /** The columns of a segment, its counts by hour, and the pages of its index of ids; for `part`, see `partNumber`. */
  log_part: { columns: ["project_id text, kind integer, part integer, data bytes"], key: "project_id, kind, part" },
  /** Connections and sessions that have ended, with the event, which counts once; for `id`, see `endedPrefix`. */
  ended: {
    columns: ["project_id text, id text, event_id text, until integer"],
    key: "project_id, id, event_id, until",
  },
  /**
   * A seat in a channel: granted to a client that may connect, then held by its connection, and `connected` is 1 once
   * that is reported. `at` is when it was requested or created, by the media server's clock: see `sortKey`; it expires at
   * `until` without a further report. `client_id` is null if the client gave no id of its own; the limit, the id in lower
   * case and the time in seconds are those of the token by which it was admitted.
   */
  seat: {
    columns: [
      "project_id text, channel_id text, connection_id text, node_name text, at text, connected integer",
      "until integer, session_id text?, role text?, client_id text?, jwt_id text?, max_connections integer?",
      "issued_at integer?",
    ],
    key: "project_id, channel_id, connection_id",
    generated: "role, client_id, jwt_id, max_connections, issued_at",
  },
  /**
   * Refused clients of a period that share an entry of the event log, until the period is over: `minute` is its number,
   * as periods once were minutes. `name` is a hash of what they share: the channel, the client, its token and the reason;
   * `at` and `entry` are the last one's, without a count.
   */
  refused_client: {
    columns: ["project_id text, name text, at text, entry text, minute integer, count integer"],
    key: "project_id, minute, name",
  },
  /** Webhook bodies that were refused because they are invalid. */
  quarantine: {
    columns: ["at text, path text, key_id text, reason text, body text, id integer"],
    key: "id",
    counted: "id",
  },
  /**
   * An event that is delivered to a project's own address, with the body as the media server sent it; `delivery_id` sorts
   * by the time when it was received, and those of one `lane`, such as a connection's, are sent one after another.
   * `next_at` is null once it has ended. `attempts` are `<ms since 1970>:<status>`, separated by commas, the oldest
   * first. `resend_at` is when it was requested to be sent again with others, one after another.
   */
  delivery: {
    columns: [
      "project_id text, delivery_id text, event_id text, type text, lane text, body text, state text",
      "attempts text, tries integer, created_at integer, last_fault text?, next_at integer?",
      "ended_at integer?, last_status integer?, resend_at integer?",
    ],
    key: "project_id, delivery_id",
    generated: "attempts, resend_at",
  },
  /**
   * The queue of a project's events: one process owns it at a time, to keep their order, until `owned_until` unless it
   * renews its lease. `due_at` is when the next delivery is due; null if none waits.
   */
  delivery_queue: { columns: ["project_id text, owner text, owned_until integer, due_at integer?"], key: "project_id" },
} as const satisfies Readonly<Record<string, TableDescription>>;

type Described = TablesOf<typeof tables>;

/** The types of the tables, for queries. */
export interface Tables extends Omit<Described, "webhook" | "delivery"> {
  webhook: Omit<Described["webhook"], "kind"> & { kind: "auth" | "session" | "event" };
  delivery: Omit<Described["delivery"], "state"> & { state: "waiting" | "delivered" | "failed" };
}
