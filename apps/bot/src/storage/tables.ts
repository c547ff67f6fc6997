import { type CopiedTable, copiedTables, type TableDescription, type TablesOf } from "@media-ops/database";

// Keys of a workspace's data begin with `team_id`, so that it can be sharded by workspace. Times are in ms since 1970.
const tables = {
  /** Not "setting": the service has a table of that name, and both may share a database. */
  bot_setting: { text: "name value", key: "name" },
  /** The projects that a workspace is connected to; `sealed` is the API key, encrypted under the master key. */
  connection: {
    text: "team_id project_id base_url sealed connected_by",
    integer: "connected_at",
    key: "team_id project_id",
  },
  /** The project that is used if a command names none; `channel_id` is empty for the whole workspace. */
  connection_default: { text: "team_id channel_id project_id set_by", integer: "set_at", key: "team_id channel_id" },
  /**
   * Slack's answer to an installation, with its tokens, encrypted; `team_id` is the workspace, or the organization that
   * installed the app for all of its workspaces.
   */
  installation: { text: "team_id sealed", integer: "installed_at", key: "team_id" },
  /** Installations in progress; `hash` is the HMAC-SHA-256 of the state that the browser returns. */
  oauth_state: { text: "hash sealed", integer: "until", key: "hash" },
  /** Deduplication keys that are in use, by their SHA-256. */
  claim: { text: "hash", integer: "until", key: "hash" },
  /**
   * The records of access tokens, without the tokens. `minting_id` distinguishes those created at the same moment: `jti`
   * may repeat, because the person may choose it. `place_id` is the conversation in Slack; `channel_id` the media
   * channel, null if the token is for every channel.
   */
  minting: {
    text: "team_id minting_id jti user_id place_id project_id",
    integer: "at",
    nullableText: "channel_id role reason",
    nullableInteger: "starts_at ends_at max_connections",
    key: "team_id at minting_id",
  },
  /** Who did what in which conversation, and what came of it; see `AuditLog`. Never a token or a key. */
  audit: {
    text: "team_id audit_id user_id action outcome",
    integer: "at",
    nullableText: "place_id via project_id subject detail",
    key: "team_id at audit_id",
  },
  /**
   * Requests for tokens beyond the policy; see `RequestStore`. `base_url` is the service that was connected then;
   * `messages` are those with the buttons; `is_open` is 0 once they show the decision.
   */
  token_request: {
    text: "team_id request_id served user_id project_id base_url role reason state",
    integer: "lifetime_ms created_at lapses_at is_open",
    nullableText: "place_id channel_id jti decided_by messages",
    nullableInteger: "starts_at max_connections decided_at",
    key: "team_id request_id",
  },
  /** A workspace that has watches or digests, and the process that runs them: see `WatchStore`. */
  watch_team: {
    text: "team_id served",
    integer: "version",
    nullableText: "owner",
    nullableInteger: "until",
    key: "team_id",
  },
  /** The watches; `command` is the text of the command, `target` a URL and a secret, encrypted. */
  watch: {
    text: "team_id watch_id project_id kind command time_zone place_id created_by",
    integer: "created_at",
    nullableText: "paused target",
    nullableInteger: "muted_until",
    key: "team_id watch_id",
  },
  /** How far each watched log was read, and what its watches remember of it. */
  watch_follower: {
    text: "team_id project_id kind state",
    integer: "saved_at",
    nullableText: "cursor",
    key: "team_id project_id kind",
  },
  /** What watches found, and what Slack shows of it; `is_open` is 0 once nothing is left to show. */
  watch_incident: {
    text: "team_id watch_id place_id project_id kind incident",
    integer: "began_at is_open",
    nullableText: "message_ts shown noted taken_by sent",
    nullableInteger: "posting_at shown_at taken_at",
    key: "team_id watch_id began_at",
  },
  /** The daily digests; `next_at` is when the next one is due. */
  digest: {
    text: "team_id place_id project_id time_zone created_by",
    integer: "minute next_at",
    nullableText: "paused",
    key: "team_id place_id project_id",
  },
  /** What each person asked recently, for the app home. */
  question: { text: "team_id user_id command", integer: "asked_at", key: "team_id user_id command" },
} as const satisfies Readonly<Record<string, TableDescription>>;

/** The bot's tables. */
export type Tables = TablesOf<typeof tables>;

/** The columns of all tables, for copying them; no table references another. */
export const storeTables: readonly CopiedTable[] = copiedTables(tables);
