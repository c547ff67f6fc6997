import type { Migrations, OpenOptions } from "@media-ops/database";
import { type Kysely, type Migration, sql } from "kysely";

const firstSqlite: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const statements = [
      sql`create table connection (
        team_id text not null,
        project_id text not null,
        base_url text not null,
        sealed text not null,
        connected_by text not null,
        connected_at integer not null,
        primary key (team_id, project_id)
      ) without rowid`,
      sql`create table connection_default (
        team_id text not null,
        channel_id text not null,
        project_id text not null,
        set_by text not null,
        set_at integer not null,
        primary key (team_id, channel_id)
      ) without rowid`,
      sql`create table installation (
        team_id text primary key,
        sealed text not null,
        installed_at integer not null
      ) without rowid`,
      sql`create table oauth_state (hash text primary key, sealed text not null, until integer not null) without rowid`,
      sql`create table claim (hash text primary key, until integer not null) without rowid`,
      sql`create index claim_until on claim (until)`,
      sql`create table minting (
        team_id text not null,
        at integer not null,
        minting_id text not null,
        jti text not null,
        user_id text not null,
        place_id text not null,
        project_id text not null,
        channel_id text,
        role text,
        starts_at integer,
        ends_at integer,
        max_connections integer,
        reason text,
        primary key (team_id, at, minting_id)
      ) without rowid`,
      sql`create index minting_user on minting (team_id, user_id, at)`,
      sql`create table bot_setting (name text primary key, value text not null) without rowid`,
    ];
    for (const statement of statements) await statement.execute(db);
  },
};

const findWhatIsOver: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create index oauth_state_until on oauth_state (until)`.execute(db);
  },
};

/** What has been released is never changed. */
const sqliteMigrations: Migrations = { "001-firstSqlite": firstSqlite, "002-find-what-is-over": findWhatIsOver };

// By their bytes, as in SQLite: keys sort the same everywhere, and need no language's rules.
const text = sql.raw(`text collate "C"`);

const firstPostgres: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const statements = [
      sql`create table connection (
        team_id ${text} not null,
        project_id ${text} not null,
        base_url ${text} not null,
        sealed ${text} not null,
        connected_by ${text} not null,
        connected_at bigint not null,
        primary key (team_id, project_id)
      )`,
      sql`create table connection_default (
        team_id ${text} not null,
        channel_id ${text} not null,
        project_id ${text} not null,
        set_by ${text} not null,
        set_at bigint not null,
        primary key (team_id, channel_id)
      )`,
      sql`create table installation (
        team_id ${text} primary key,
        sealed ${text} not null,
        installed_at bigint not null
      )`,
      sql`create table oauth_state (hash ${text} primary key, sealed ${text} not null, until bigint not null)`,
      sql`create index oauth_state_until on oauth_state (until)`,
      sql`create table claim (hash ${text} primary key, until bigint not null)`,
      sql`create index claim_until on claim (until)`,
      sql`create table minting (
        team_id ${text} not null,
        at bigint not null,
        minting_id ${text} not null,
        jti ${text} not null,
        user_id ${text} not null,
        place_id ${text} not null,
        project_id ${text} not null,
        channel_id ${text},
        role ${text},
        starts_at bigint,
        ends_at bigint,
        max_connections bigint,
        reason ${text},
        primary key (team_id, at, minting_id)
      )`,
      sql`create index minting_user on minting (team_id, user_id, at, minting_id)`,
      sql`create table bot_setting (name ${text} primary key, value ${text} not null)`,
    ];
    for (const statement of statements) await statement.execute(db);
  },
};

/** What has been released is never changed. */
const postgresMigrations: Migrations = { "001-firstPostgres": firstPostgres };

/** Both lead to the tables of `tables.ts`. */
export const migrations: OpenOptions["migrations"] = { sqlite: sqliteMigrations, postgres: postgresMigrations };
