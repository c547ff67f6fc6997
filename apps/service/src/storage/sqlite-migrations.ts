import type { Migrations } from "@media-ops/database";
import { type Kysely, type Migration, sql } from "kysely";

const first: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const statements = [
      sql`create table project (project_id text primary key, created_at text not null) without rowid`,
      sql`create table api_key (
        project_id text not null references project,
        key_id text not null unique,
        hash blob not null,
        sealed text not null,
        created_at text not null,
        revoked_at text,
        version integer not null,
        primary key (project_id, key_id)
      ) without rowid`,
      sql`create index api_key_version on api_key (version)`,
      sql`create table intake_key (
        key_id text primary key,
        label text not null,
        hash blob not null,
        created_at text not null,
        revoked_at text
      ) without rowid`,
      sql`create table log_head (
        project_id text not null,
        kind integer not null,
        seq integer not null,
        primary key (project_id, kind)
      ) without rowid`,
      sql`create table log_entry (
        project_id text not null,
        kind integer not null,
        at text not null,
        seq integer not null,
        entry text not null,
        primary key (project_id, kind, at, seq)
      ) without rowid`,
      sql`create table counter (name text primary key, value integer not null) without rowid`,
      sql`create table setting (name text primary key, value text not null) without rowid`,
    ];
    for (const statement of statements) await statement.execute(db);
  },
};

const intake: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const statements = [
      sql`alter table project add column allow_anonymous integer not null default 0`,
      sql`alter table project add column version integer not null default 0`,
      // Each project gets its own version, so that projects can be read in pieces.
      sql`update project set version = (select count(*) from project as other where other.project_id <= project.project_id)`,
      sql`insert into counter (name, value) select 'project', count(*) from project`,
      sql`create index project_version on project (version)`,
      sql`create table webhook (
        project_id text not null references project,
        kind text not null,
        url text not null,
        secret text not null,
        old_secret text,
        old_secret_until integer,
        set_at text not null,
        off_at text,
        off_reason text,
        primary key (project_id, kind)
      ) without rowid`,
      sql`create table ended (
        project_id text not null,
        id text not null,
        event_id text not null,
        until integer not null,
        primary key (project_id, id, event_id)
      ) without rowid`,
      sql`create table seat (
        project_id text not null,
        channel_id text not null,
        connection_id text not null,
        node_name text not null,
        session_id text,
        connected integer not null,
        at text not null,
        until integer not null,
        primary key (project_id, channel_id, connection_id)
      ) without rowid`,
      sql`create index seat_connection on seat (connection_id)`,
      sql`create index seat_node on seat (node_name)`,
      sql`create table quarantine (
        id integer primary key autoincrement,
        at text not null,
        path text not null,
        key_id text not null,
        reason text not null,
        body text not null
      )`,
      sql`create table delivery (
        project_id text not null,
        delivery_id text not null,
        event_id text not null,
        type text not null,
        lane text not null,
        body text not null,
        state text not null,
        tries integer not null,
        created_at integer not null,
        next_at integer,
        ended_at integer,
        last_status integer,
        last_fault text,
        primary key (project_id, delivery_id)
      ) without rowid`,
      sql`create unique index delivery_event on delivery (project_id, event_id)`,
      sql`create index delivery_next on delivery (project_id, next_at, delivery_id) where next_at is not null`,
      sql`create index delivery_ended on delivery (state, ended_at) where ended_at is not null`,
      sql`create table delivery_queue (
        project_id text primary key,
        due_at integer,
        owner text not null,
        owned_until integer not null
      ) without rowid`,
      sql`create index delivery_queue_due on delivery_queue (due_at) where due_at is not null`,
    ];
    for (const statement of statements) await statement.execute(db);
  },
};

/** Run once each, in the order of their names. A released migration is never changed. */
export const sqliteMigrations: Migrations = { "001-first": first, "002-intake": intake };
