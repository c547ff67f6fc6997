import type { Kysely, Migration } from "kysely";
import { sql } from "kysely";

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

/** They run in the order of their names, each once; what has been released is never changed. */
export const migrations: Readonly<Record<string, Migration>> = { "001-first": first };
