import { type CopiedTable, copiedTables, type TableDescription, type TablesOf } from "@media-ops/database";

/**
 * Keys of a workspace's data begin with `team_id`, so that it can be sharded by workspace. Times are in ms since 1970.
 * What a released migration created never changes here: a later column belongs to a list of its own, beside the migration
 * that adds it.
 */
export const tables = {
  /** Not "setting": the service has a table of that name, and both may share a database. */
  bot_setting: { columns: ["name text, value text"], key: "name" },
  /** The projects that a workspace is connected to; `sealed` is the API key, encrypted under the master key. */
  connection: {
    columns: ["team_id text, project_id text, base_url text, sealed text, connected_by text, connected_at integer"],
    key: "team_id, project_id",
  },
  /** The project that is used if a command names none; `channel_id` is empty for the whole workspace. */
  connection_default: {
    columns: ["team_id text, channel_id text, project_id text, set_by text, set_at integer"],
    key: "team_id, channel_id",
  },
  /** Slack's encrypted answer to an installation in a workspace, or in an organization for all of its workspaces. */
  installation: { columns: ["team_id text, sealed text, installed_at integer"], key: "team_id" },
  /** Installations in progress; `hash` is the HMAC-SHA-256 of the state that the browser returns. */
  oauth_state: { columns: ["hash text, sealed text, until integer"], key: "hash" },
  /** Deduplication keys that are in use, by their SHA-256. */
  claim: { columns: ["hash text, until integer"], key: "hash" },
  /**
   * The records of access tokens, without the tokens. `jti` may repeat, because the person may choose it. `place_id` is
   * the conversation in Slack; `channel_id` the media channel, null if the token is for every channel.
   */
  minting: {
    columns: [
      "team_id text, at integer, minting_id text, jti text, user_id text, place_id text, project_id text",
      "channel_id text?, role text?, starts_at integer?, ends_at integer?, max_connections integer?, reason text?",
    ],
    key: "team_id, at, minting_id",
  },
  /** Who did what in which conversation, and what came of it; see `AuditLog`. Never a token or a key. */
  audit: {
    columns: [
      "team_id text, at integer, audit_id text, user_id text, action text, place_id text?, via text?",
      "project_id text?, subject text?, outcome text, detail text?",
    ],
    key: "team_id, at, audit_id",
  },
  /**
   * Requests for tokens beyond the policy; see `RequestStore`. `base_url` is the service that was connected then,
   * `channel_id` the media channel as it was requested, `messages` are those with the buttons; `is_open` is 0 once they
   * show the decision.
   */
  token_request: {
    columns: [
      "team_id text, request_id text, served text, user_id text, place_id text?, project_id text, base_url text",
      "channel_id text?, role text, lifetime_ms integer, starts_at integer?, max_connections integer?, jti text?",
      "reason text, created_at integer, lapses_at integer, state text, decided_by text?, decided_at integer?",
      "messages text?, is_open integer",
    ],
    key: "team_id, request_id",
  },
  /** A workspace that has watches or digests, and the process that runs them: see `WatchStore`. */
  watch_team: {
    columns: ["team_id text, served text, version integer, owner text?, until integer?"],
    key: "team_id",
  },
  /** The watches; `command` is the text of the command, `target` a URL and a secret, encrypted. */
  watch: {
    columns: [
      "team_id text, watch_id text, project_id text, kind text, command text, time_zone text, place_id text",
      "created_by text, created_at integer, muted_until integer?, paused text?, target text?",
    ],
    key: "team_id, watch_id",
  },
  /** How far each watched log was read, and what its watches remember of it. */
  watch_follower: {
    columns: ["team_id text, project_id text, kind text, cursor text?, state text, saved_at integer"],
    key: "team_id, project_id, kind",
  },
  /** What watches found, and what Slack shows of it; `is_open` is 0 once nothing is left to show. */
  watch_incident: {
    columns: [
      "team_id text, watch_id text, began_at integer, place_id text, project_id text, kind text, incident text",
      "is_open integer, message_ts text?, posting_at integer?, shown text?, shown_at integer?, noted text?",
      "taken_by text?, taken_at integer?, sent text?",
    ],
    key: "team_id, watch_id, began_at",
  },
  /** The daily digests; `next_at` is when the next one is due, `paused` why none was posted the last time. */
  digest: {
    columns: [
      "team_id text, place_id text, project_id text, minute integer, time_zone text, created_by text",
      "next_at integer, paused text?",
    ],
    key: "team_id, place_id, project_id",
  },
  /** What each person asked recently, for the app home. */
  question: {
    columns: ["team_id text, user_id text, command text, asked_at integer"],
    key: "team_id, user_id, command",
  },
} as const satisfies Readonly<Record<string, TableDescription>>;

/** The bot's tables. */
export type Tables = TablesOf<typeof tables>;

/** The columns of all tables, for copying them; no table references another. */
export const storeTables: readonly CopiedTable[] = copiedTables(tables);

type Camel<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<Camel<Rest>>}`
  : Name;

/** A row as the bot uses it: with names in camel case, and undefined instead of null. */
export type Entity<Row> = {
  readonly [Name in keyof Row & string as null extends Row[Name] ? never : Camel<Name>]: Row[Name];
} & {
  readonly [Name in keyof Row & string as null extends Row[Name] ? Camel<Name> : never]?:
    | Exclude<Row[Name], null>
    | undefined;
};

/** Reads a row. */
export const fromRow = <Row extends object>(row: Row): Entity<Row> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/_[a-z]/g, ([, letter = ""]) => letter.toUpperCase()),
      value ?? undefined,
    ]),
  ) as Entity<Row>;

/** Writes the row of an entity, or the columns of a change; without `team_id`, which Citus never lets an upsert set. */
export const toRow = <Of extends object>(entity: Of): RowOf<Of> =>
  Object.fromEntries(
    Object.entries(entity).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value ?? null,
    ]),
  ) as RowOf<Of>;

type Snake<Name extends string> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Uppercase<Letter> ? `_${Lowercase<Letter>}` : Letter}${Snake<Rest>}`
  : "";

type RowOf<Of> = {
  [Name in keyof Of as Snake<Name & string>]: undefined extends Required<Of>[Name]
    ? Exclude<Of[Name], undefined> | null
    : Of[Name];
};
