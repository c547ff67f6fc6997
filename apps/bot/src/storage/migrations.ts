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

const createTables = ({ text, integer, end }: Dialect): RawBuilder<unknown>[] => [
  sql`create table connection (
    team_id ${text} not null,
    project_id ${text} not null,
    base_url ${text} not null,
    sealed ${text} not null,
    connected_by ${text} not null,
    connected_at ${integer} not null,
    primary key (team_id, project_id)
  )${end}`,
  sql`create table connection_default (
    team_id ${text} not null,
    channel_id ${text} not null,
    project_id ${text} not null,
    set_by ${text} not null,
    set_at ${integer} not null,
    primary key (team_id, channel_id)
  )${end}`,
  sql`create table installation (
    team_id ${text} primary key,
    sealed ${text} not null,
    installed_at ${integer} not null
  )${end}`,
  sql`create table oauth_state (hash ${text} primary key, sealed ${text} not null, until ${integer} not null)${end}`,
  sql`create table claim (hash ${text} primary key, until ${integer} not null)${end}`,
  sql`create index claim_until on claim (until)`,
  sql`create table minting (
    team_id ${text} not null,
    at ${integer} not null,
    minting_id ${text} not null,
    jti ${text} not null,
    user_id ${text} not null,
    place_id ${text} not null,
    project_id ${text} not null,
    channel_id ${text},
    role ${text},
    starts_at ${integer},
    ends_at ${integer},
    max_connections ${integer},
    reason ${text},
    primary key (team_id, at, minting_id)
  )${end}`,
  sql`create table bot_setting (name ${text} primary key, value ${text} not null)${end}`,
];

const createWatchTables = ({ text, integer, end }: Dialect): RawBuilder<unknown>[] => [
  sql`create table watch_team (
    team_id ${text} primary key,
    served ${text} not null,
    version ${integer} not null,
    owner ${text},
    until ${integer}
  )${end}`,
  sql`create table watch (
    team_id ${text} not null,
    watch_id ${text} not null,
    project_id ${text} not null,
    kind ${text} not null,
    command ${text} not null,
    time_zone ${text} not null,
    place_id ${text} not null,
    created_by ${text} not null,
    created_at ${integer} not null,
    muted_until ${integer},
    paused ${text},
    target ${text},
    primary key (team_id, watch_id)
  )${end}`,
  sql`create table watch_follower (
    team_id ${text} not null,
    project_id ${text} not null,
    kind ${text} not null,
    cursor ${text},
    state ${text} not null,
    saved_at ${integer} not null,
    primary key (team_id, project_id, kind)
  )${end}`,
  sql`create table watch_incident (
    team_id ${text} not null,
    watch_id ${text} not null,
    began_at ${integer} not null,
    place_id ${text} not null,
    project_id ${text} not null,
    kind ${text} not null,
    incident ${text} not null,
    is_open ${integer} not null,
    message_ts ${text},
    posting_at ${integer},
    shown ${text},
    shown_at ${integer},
    noted ${text},
    taken_by ${text},
    taken_at ${integer},
    sent ${text},
    primary key (team_id, watch_id, began_at)
  )${end}`,
  sql`create index watch_incident_open on watch_incident (team_id) where is_open = 1`,
  sql`create index watch_incident_over on watch_incident (began_at) where is_open = 0`,
  sql`create table digest (
    team_id ${text} not null,
    place_id ${text} not null,
    project_id ${text} not null,
    minute ${integer} not null,
    time_zone ${text} not null,
    created_by ${text} not null,
    next_at ${integer} not null,
    paused ${text},
    primary key (team_id, place_id, project_id)
  )${end}`,
  sql`create table question (
    team_id ${text} not null,
    user_id ${text} not null,
    command ${text} not null,
    asked_at ${integer} not null,
    primary key (team_id, user_id, command)
  )${end}`,
  sql`create index question_asked on question (asked_at)`,
];

const createAuditTables = ({ text, integer, end }: Dialect): RawBuilder<unknown>[] => [
  sql`create table audit (
    team_id ${text} not null,
    at ${integer} not null,
    audit_id ${text} not null,
    user_id ${text} not null,
    action ${text} not null,
    place_id ${text},
    via ${text},
    project_id ${text},
    subject ${text},
    outcome ${text} not null,
    detail ${text},
    primary key (team_id, at, audit_id)
  )${end}`,
  sql`create index audit_at on audit (at)`,
  // The tokens that were made before there was an audit log. Their own records stay.
  sql`insert into audit (team_id, at, audit_id, user_id, action, place_id, project_id, subject, outcome, detail)
    select team_id, at, minting_id, user_id, 'token.mint', nullif(place_id, user_id), project_id, jti, 'done', reason
    from minting`,
  sql`create table token_request (
    team_id ${text} not null,
    request_id ${text} not null,
    served ${text} not null,
    user_id ${text} not null,
    place_id ${text},
    project_id ${text} not null,
    base_url ${text} not null,
    channel_id ${text},
    role ${text} not null,
    lifetime_ms ${integer} not null,
    starts_at ${integer},
    max_connections ${integer},
    jti ${text},
    reason ${text} not null,
    created_at ${integer} not null,
    lapses_at ${integer} not null,
    state ${text} not null,
    decided_by ${text},
    decided_at ${integer},
    messages ${text},
    is_open ${integer} not null,
    primary key (team_id, request_id)
  )${end}`,
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
