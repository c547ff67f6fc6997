import { columnsOf, type DistributedTables, type Migrations, type OpenOptions } from "@media-ops/database";
import { type Kysely, type Migration, type RawBuilder, sql } from "kysely";
import { type Tables, tables } from "./tables.js";

/** A database's column types, and the end of its table definitions. */
interface Dialect {
  readonly text: RawBuilder<unknown>;
  readonly integer: RawBuilder<unknown>;
  readonly bytes: RawBuilder<unknown>;
  readonly end: RawBuilder<unknown>;
}

const sqlite: Dialect = { text: sql`text`, integer: sql`integer`, bytes: sql`blob`, end: sql` without rowid` };
// Compared by bytes, as in SQLite, so that keys sort the same everywhere.
const postgres: Dialect = { text: sql`text collate "C"`, integer: sql`bigint`, bytes: sql`bytea`, end: sql`` };

function create(dialect: Dialect, table: keyof Tables): RawBuilder<unknown> {
  const columns = columnsOf(tables[table]).map(
    ({ name, type, isNullable }) => sql`${sql.raw(name)} ${dialect[type]}${isNullable ? sql`` : sql` not null`}`,
  );
  return sql`create table ${sql.raw(table)} (${sql.join(columns)}, primary key (${sql.raw(tables[table].key)}))${dialect.end}`;
}

const createTables = (dialect: Dialect): RawBuilder<unknown>[] => [
  ...(["connection", "connection_default", "installation", "oauth_state", "claim"] as const).map((table) =>
    create(dialect, table),
  ),
  sql`create index claim_until on claim (until)`,
  create(dialect, "minting"),
  create(dialect, "bot_setting"),
];

const createWatchTables = (dialect: Dialect): RawBuilder<unknown>[] => [
  ...(["watch_team", "watch", "watch_follower", "watch_incident"] as const).map((table) => create(dialect, table)),
  sql`create index watch_incident_open on watch_incident (team_id) where is_open = 1`,
  sql`create index watch_incident_over on watch_incident (began_at) where is_open = 0`,
  create(dialect, "digest"),
  create(dialect, "question"),
  sql`create index question_asked on question (asked_at)`,
];

const createAuditTables = (dialect: Dialect): RawBuilder<unknown>[] => [
  create(dialect, "audit"),
  sql`create index audit_at on audit (at)`,
  // The tokens that were made before there was an audit log. Their own records stay.
  sql`insert into audit (team_id, at, audit_id, user_id, action, place_id, project_id, subject, outcome, detail)
    select team_id, at, minting_id, user_id, 'token.mint', nullif(place_id, user_id), project_id, jti, 'done', reason
    from minting`,
  create(dialect, "token_request"),
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
 * The tables that grow with a workspace's use. Three others with its rows stay on the coordinator: each bot looks through
 * `watch_team` and `token_request` for all workspaces every few seconds, which must not fail while one worker is down;
 * and `installation` has one row for a workspace or an organization. Claims and states belong to no workspace.
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
