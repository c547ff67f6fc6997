import type { DistributedTables, Migrations, OpenOptions } from "@media-ops/database";
import { type Kysely, type Migration, type RawBuilder, sql } from "kysely";
import {
  actTables,
  endedTable,
  entryTable,
  eventTables,
  intakeTables,
  keyAndLogTables,
  postgres,
  segmentTables,
  sqlite,
  tokenBatches,
} from "./table-definitions.js";

const migration = (...statements: RawBuilder<unknown>[]): Migration => ({
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await statement.execute(db);
  },
});

const listIndexes = [
  // With all that is read at the start, which would otherwise look up each row.
  sql`drop index token_revocation_version`,
  sql`create index token_revocation_version on token_revocation (version, project_id, subject, until)`,
  sql`create index token_revocation_until on token_revocation (until) where until is not null`,
  sql`create index token_revocation_time on token_revocation (project_id, revoked_at, subject)`,
  // Of all projects, for the command line, and for deleting old ones.
  sql`create index audit_entry_time on audit_entry (audit_id)`,
];

// A released migration is never changed: databases that ran it would differ from new ones.
const sqliteMigrations: Migrations = {
  "001-first": migration(
    sql`create table project (project_id text primary key, created_at text not null) without rowid`,
    ...keyAndLogTables(sqlite),
    entryTable(sqlite, sqlite.end),
  ),
  "002-intake": migration(
    sql`alter table project add column allow_anonymous integer not null default 0`,
    sql`alter table project add column version integer not null default 0`,
    // Each project gets a distinct version, so that projects can be read in batches.
    sql`update project set version = (select count(*) from project as other where other.project_id <= project.project_id)`,
    sql`insert into counter (name, value) select 'project', count(*) from project`,
    ...intakeTables(sqlite),
    endedTable(sqlite, sql`project_id, id, event_id`, sqlite.end),
  ),
  "003-segments": migration(
    ...segmentTables(sqlite),
    // However an entry is written: statements of their own would cost each commit more.
    sql`create trigger log_entry_late after insert on log_entry
      when new.at < (select sealed_at from log_head where project_id = new.project_id and kind = new.kind)
      begin
        insert into log_late (project_id, kind, at, seq) values (new.project_id, new.kind, new.at, new.seq);
      end`,
  ),
  "004-events": migration(...eventTables(sqlite)),
  "005-acts": migration(...actTables(sqlite)),
  // Merged with an empty object, an object loses the members that are null.
  "006-token-batches": migration(...tokenBatches(sqlite, (members) => sql`json_patch('{}', json_object(${members}))`)),
  "007-list-indexes": migration(...listIndexes),
};

const { text, long, roomy } = postgres;

const postgresMigrations: Migrations = {
  "001-first": migration(
    sql`create table project (
      project_id ${text} primary key,
      created_at ${text} not null,
      allow_anonymous integer not null default 0,
      version ${long} not null
    )${roomy}`,
    ...keyAndLogTables(postgres),
    sql`create index api_key_id on api_key (key_id)`,
    // The partitions of its days are created when the logs are opened: see DayPartitions.
    entryTable(postgres, sql` partition by range (at)`),
    sql`create table log_entry_late partition of log_entry for values from (minvalue) to (maxvalue)`,
    ...intakeTables(postgres),
    endedTable(postgres, sql`project_id, id, event_id, until`, sql` partition by range (until)`),
    sql`create table ended_late partition of ended for values from (minvalue) to (maxvalue)`,
  ),
  "002-last-batch": migration(sql`create table last_batch (
    project_id ${text} not null,
    writer ${text} not null,
    number bigint not null,
    at timestamptz not null default now(),
    primary key (project_id, writer)
  )${roomy}`),
  "003-segments": migration(
    ...segmentTables(postgres),
    // The parts are compressed already.
    sql`alter table log_part alter column data set storage external`,
  ),
  "004-events": migration(...eventTables(postgres)),
  "005-acts": migration(...actTables(postgres)),
  "006-token-batches": migration(
    ...tokenBatches(postgres, (members) => sql`json_strip_nulls(json_build_object(${members}))`),
  ),
  "007-list-indexes": migration(...listIndexes),
};

/** The tables that grow with a project's traffic. The others are small, and stay where they are read and locked together. */
const distributed: DistributedTables = {
  column: "project_id",
  names: [
    ...["log_head", "log_entry", "log_late", "log_segment", "log_part", "last_batch"],
    ...["seat", "ended", "refused_client", "delivery", "token_batch"],
  ],
  valuesIn: "project",
};

/** Creates the tables of `tables.ts`. */
export const migrations: OpenOptions["migrations"] = {
  sqlite: sqliteMigrations,
  postgres: postgresMigrations,
  distributed,
};
