import { type CopiedTable, copiedTables } from "@media-ops/database";

// Keys of a workspace's data begin with `team_id`, so that it can be sharded by workspace. Times are in ms since 1970.
const tables = {
  /** Not "setting": the service has a table of that name, and both may share a database. */
  bot_setting: { columns: { name: "text", value: "text" }, key: ["name"] },
  /** The projects that a workspace is connected to; `sealed` is the API key, encrypted under the master key. */
  connection: {
    columns: {
      team_id: "text",
      project_id: "text",
      base_url: "text",
      sealed: "text",
      connected_by: "text",
      connected_at: "integer",
    },
    key: ["team_id", "project_id"],
  },
  /** The project that is used if a command names none; `channel_id` is empty for the whole workspace. */
  connection_default: {
    columns: { team_id: "text", channel_id: "text", project_id: "text", set_by: "text", set_at: "integer" },
    key: ["team_id", "channel_id"],
  },
  /**
   * Slack's answer to an installation, with its tokens, encrypted; `team_id` is the workspace, or the organization that
   * installed the app for all of its workspaces.
   */
  installation: { columns: { team_id: "text", sealed: "text", installed_at: "integer" }, key: ["team_id"] },
  /** Installations in progress; `hash` is the HMAC-SHA-256 of the state that the browser returns. */
  oauth_state: { columns: { hash: "text", sealed: "text", until: "integer" }, key: ["hash"] },
  /** Deduplication keys that are in use, by their SHA-256. */
  claim: { columns: { hash: "text", until: "integer" }, key: ["hash"] },
  /** The records of access tokens, without the tokens. */
  minting: {
    columns: {
      team_id: "text",
      at: "integer",
      // Distinguishes tokens created at the same moment: `jti` may repeat, because the person may choose it.
      minting_id: "text",
      jti: "text",
      user_id: "text",
      // The conversation in Slack that the request came from.
      place_id: "text",
      project_id: "text",
      // The media channel; null if the token is for every channel.
      channel_id: "text",
      role: "text",
      starts_at: "integer",
      ends_at: "integer",
      max_connections: "integer",
      reason: "text",
    },
    key: ["team_id", "at", "minting_id"],
  },
  /** Who did what, and what came of it; see `AuditLog`. Never a token or a key. */
  audit: {
    columns: {
      team_id: "text",
      at: "integer",
      audit_id: "text",
      user_id: "text",
      action: "text",
      // The conversation in Slack that the act came from; null if there is none.
      place_id: "text",
      via: "text",
      project_id: "text",
      subject: "text",
      outcome: "text",
      detail: "text",
    },
    key: ["team_id", "at", "audit_id"],
  },
  /**
   * Requests for tokens beyond the policy; see `RequestStore`. `messages` are those with the buttons; `is_open` is 0 once
   * they show the decision.
   */
  token_request: {
    columns: {
      team_id: "text",
      request_id: "text",
      served: "text",
      user_id: "text",
      place_id: "text",
      project_id: "text",
      // The service that was connected when it was requested.
      base_url: "text",
      channel_id: "text",
      role: "text",
      lifetime_ms: "integer",
      starts_at: "integer",
      max_connections: "integer",
      jti: "text",
      reason: "text",
      created_at: "integer",
      lapses_at: "integer",
      state: "text",
      decided_by: "text",
      decided_at: "integer",
      messages: "text",
      is_open: "integer",
    },
    key: ["team_id", "request_id"],
  },
  /** A workspace that has watches or digests, and the process that runs them: see `WatchStore`. */
  watch_team: {
    columns: { team_id: "text", served: "text", version: "integer", owner: "text", until: "integer" },
    key: ["team_id"],
  },
  /** The watches; `command` is the text of the command, `target` a URL and a secret, encrypted. */
  watch: {
    columns: {
      team_id: "text",
      watch_id: "text",
      project_id: "text",
      kind: "text",
      command: "text",
      time_zone: "text",
      place_id: "text",
      created_by: "text",
      created_at: "integer",
      muted_until: "integer",
      paused: "text",
      target: "text",
    },
    key: ["team_id", "watch_id"],
  },
  /** How far each watched log was read, and what its watches remember of it. */
  watch_follower: {
    columns: {
      team_id: "text",
      project_id: "text",
      kind: "text",
      cursor: "text",
      state: "text",
      saved_at: "integer",
    },
    key: ["team_id", "project_id", "kind"],
  },
  /** What watches found, and what Slack shows of it; `is_open` is 0 once nothing is left to show. */
  watch_incident: {
    columns: {
      team_id: "text",
      watch_id: "text",
      began_at: "integer",
      place_id: "text",
      project_id: "text",
      kind: "text",
      incident: "text",
      is_open: "integer",
      message_ts: "text",
      posting_at: "integer",
      shown: "text",
      shown_at: "integer",
      noted: "text",
      taken_by: "text",
      taken_at: "integer",
      sent: "text",
    },
    key: ["team_id", "watch_id", "began_at"],
  },
  /** The daily digests; `next_at` is when the next one is due. */
  digest: {
    columns: {
      team_id: "text",
      place_id: "text",
      project_id: "text",
      minute: "integer",
      time_zone: "text",
      created_by: "text",
      next_at: "integer",
      paused: "text",
    },
    key: ["team_id", "place_id", "project_id"],
  },
  /** What each person asked recently, for the app home. */
  question: {
    columns: { team_id: "text", user_id: "text", command: "text", asked_at: "integer" },
    key: ["team_id", "user_id", "command"],
  },
} as const;

type Row<Columns> = { [Name in keyof Columns]: Columns[Name] extends "integer" ? number : string };
type Rows = { [Name in keyof typeof tables]: Row<(typeof tables)[Name]["columns"]> };
type Nullable<R, Names extends keyof R> = Omit<R, Names> & { [Name in Names]: R[Name] | null };

/** The bot's tables. */
export type Tables = Omit<
  Rows,
  "minting" | "audit" | "token_request" | "watch_team" | "watch" | "watch_follower" | "watch_incident" | "digest"
> & {
  audit: Nullable<Rows["audit"], "place_id" | "via" | "project_id" | "subject" | "detail">;
  token_request: Nullable<
    Rows["token_request"],
    "place_id" | "channel_id" | "starts_at" | "max_connections" | "jti" | "decided_by" | "decided_at" | "messages"
  >;
  minting: Nullable<Rows["minting"], "channel_id" | "role" | "starts_at" | "ends_at" | "max_connections" | "reason">;
  watch_team: Nullable<Rows["watch_team"], "owner" | "until">;
  watch: Nullable<Rows["watch"], "muted_until" | "paused" | "target">;
  watch_follower: Nullable<Rows["watch_follower"], "cursor">;
  watch_incident: Nullable<
    Rows["watch_incident"],
    "message_ts" | "posting_at" | "shown" | "shown_at" | "noted" | "taken_by" | "taken_at" | "sent"
  >;
  digest: Nullable<Rows["digest"], "paused">;
};

/** The columns of all tables, for copying them; no table references another. */
export const storeTables: readonly CopiedTable[] = copiedTables<Tables>(tables);
