import type { DistributedTables, Migrations, OpenOptions } from "@media-ops/database";
import { type Kysely, type Migration, type RawBuilder, sql } from "kysely";

/** A database's column types, and the end of its table definitions. */
interface Dialect {
  readonly text: RawBuilder<unknown>;
  readonly integer: RawBuilder<unknown>;
  readonly end: RawBuilder<unknown>;
}

const sqlite: Dialect = { text: sql`text`, integer: sql`integer`, end: sql` without rowid` };
// Compared by bytes, as in SQLite, so that keys sort the same everywhere.
const postgres: Dialect = { text: sql`text collate "C"`, integer: sql`bigint`, end: sql`` };

/** A table whose columns are listed as `name type`; with a question mark, a column may be null. */
function table({ text, integer, end }: Dialect, name: string, columns: string, key: string): RawBuilder<unknown> {
  const types: Readonly<Record<string, RawBuilder<unknown>>> = {
    ...{ text: sql`${text} not null`, integer: sql`${integer} not null` },
    ...{ "text?": text, "integer?": integer },
  };
  const definitions = columns.split(/,\s+/).map((column) => {
    const [name = "", type = ""] = column.split(" ");
    return sql`${sql.raw(name)} ${types[type]}`;
  });
  return sql`create table ${sql.raw(name)} (${sql.join(definitions)}, primary key (${sql.raw(key)}))${end}`;
}

const createTables = (dialect: Dialect): RawBuilder<unknown>[] => [
  table(
    dialect,
    "connection",
    `team_id text, project_id text, base_url text, sealed text, connected_by text,
    connected_at integer`,
    "team_id, project_id",
  ),
  table(
    dialect,
    "connection_default",
    "team_id text, channel_id text, project_id text, set_by text, set_at integer",
    "team_id, channel_id",
  ),
  table(dialect, "installation", "team_id text, sealed text, installed_at integer", "team_id"),
  table(dialect, "oauth_state", "hash text, sealed text, until integer", "hash"),
  table(dialect, "claim", "hash text, until integer", "hash"),
  sql`create index claim_until on claim (until)`,
  table(
    dialect,
    "minting",
    `team_id text, at integer, minting_id text, jti text, user_id text, place_id text,
    project_id text, channel_id text?, role text?, starts_at integer?, ends_at integer?,
    max_connections integer?, reason text?`,
    "team_id, at, minting_id",
  ),
  table(dialect, "bot_setting", "name text, value text", "name"),
];

const createWatchTables = (dialect: Dialect): RawBuilder<unknown>[] => [
  table(dialect, "watch_team", "team_id text, served text, version integer, owner text?, until integer?", "team_id"),
  table(
    dialect,
    "watch",
    `team_id text, watch_id text, project_id text, kind text, command text, time_zone text,
    place_id text, created_by text, created_at integer, muted_until integer?, paused text?,
    target text?`,
    "team_id, watch_id",
  ),
  table(
    dialect,
    "watch_follower",
    "team_id text, project_id text, kind text, cursor text?, state text, saved_at integer",
    "team_id, project_id, kind",
  ),
  table(
    dialect,
    "watch_incident",
    `team_id text, watch_id text, began_at integer, place_id text, project_id text, kind text,
    incident text, is_open integer, message_ts text?, posting_at integer?, shown text?,
    shown_at integer?, noted text?, taken_by text?, taken_at integer?, sent text?`,
    "team_id, watch_id, began_at",
  ),
  sql`create index watch_incident_open on watch_incident (team_id) where is_open = 1`,
  sql`create index watch_incident_over on watch_incident (began_at) where is_open = 0`,
  table(
    dialect,
    "digest",
    `team_id text, place_id text, project_id text, minute integer, time_zone text, created_by text,
    next_at integer, paused text?`,
    "team_id, place_id, project_id",
  ),
  table(dialect, "question", "team_id text, user_id text, command text, asked_at integer", "team_id, user_id, command"),
  sql`create index question_asked on question (asked_at)`,
];

const createAuditTables = (dialect: Dialect): RawBuilder<unknown>[] => [
  table(
    dialect,
    "audit",
    `team_id text, at integer, audit_id text, user_id text, action text, place_id text?, via text?,
    project_id text?, subject text?, outcome text, detail text?`,
    "team_id, at, audit_id",
  ),
  sql`create index audit_at on audit (at)`,
  // The tokens that were made before there was an audit log. Their own records stay.
  sql`insert into audit (team_id, at, audit_id, user_id, action, place_id, project_id, subject, outcome, detail)
    select team_id, at, minting_id, user_id, 'token.mint', nullif(place_id, user_id), project_id, jti, 'done', reason
    from minting`,
  table(
    dialect,
    "token_request",
    `team_id text, request_id text, served text, user_id text, place_id text?, project_id text,
    base_url text, channel_id text?, role text, lifetime_ms integer, starts_at integer?,
    max_connections integer?, jti text?, reason text, created_at integer, lapses_at integer,
    state text, decided_by text?, decided_at integer?, messages text?, is_open integer`,
    "team_id, request_id",
  ),
  sql`create index token_request_open on token_request (lapses_at) where is_open = 1`,
  sql`create index token_request_over on token_request (created_at) where is_open = 0`,
];

const indexExpiry = sql`create index oauth_state_until on oauth_state (until)`;

const migration = (...statements: RawBuilder<unknown>[]): Migration => ({
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await statement.execute(db);
  },
});

// A released migration never changes: databases that ran it would differ from new ones.
const sqliteMigrations: Migrations = {
  "001-first": migration(
    ...createTables(sqlite),
    // In SQLite, the index contains the rest of the primary key anyway.
    sql`create index minting_user on minting (team_id, user_id, at)`,
  ),
  "002-find-what-is-over": migration(indexExpiry),
  "003-watches": migration(...createWatchTables(sqlite)),
  "004-audit-and-approvals": migration(...createAuditTables(sqlite)),
};

const postgresMigrations: Migrations = {
  "001-first": migration(
    ...createTables(postgres),
    indexExpiry,
    sql`create index minting_user on minting (team_id, user_id, at, minting_id)`,
  ),
  "002-watches": migration(...createWatchTables(postgres)),
  "003-audit-and-approvals": migration(...createAuditTables(postgres)),
};

/**
 * The tables that grow with a workspace's use. Three others with its rows stay on the coordinator: every few seconds each
 * bot looks through `watch_team` and `token_request` for all workspaces, which must not fail while one worker is down;
 * and `installation` has one row for a workspace, or for all workspaces of an organization. Claims and states of Slack's
 * OAuth are short-lived, and belong to no workspace.
 */
const distributed: DistributedTables = {
  column: "team_id",
  names: [
    ...["connection", "connection_default", "minting", "watch", "watch_follower", "watch_incident"],
    ...["digest", "question", "audit"],
  ],
};

/** Creates the tables of `tables.ts`. */
export const migrations = {
  sqlite: sqliteMigrations,
  postgres: postgresMigrations,
  distributed,
} satisfies OpenOptions["migrations"];
