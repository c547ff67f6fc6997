import { Kysely } from "kysely";
import type { Pool } from "pg";
import { DatabaseError, messageOf } from "../errors.js";
import { keyedGroupCommit } from "../keyed-group-commit.js";
import { migrate, type OpenOptions } from "../migrate.js";
import type { Database } from "../open.js";
import { StatementNames } from "./client.js";
import { postgresDialect } from "./dialect.js";
import { createPool } from "./pool.js";
import { writeAll } from "./write-all.js";

// Of our own making: whoever changes tables holds this lock, whichever program it is.
const MIGRATIONS_LOCK = 7_206_414_915_014;

const MIN_VERSION = 14_00_00;

/** Opens a database in PostgreSQL, its owner's tables up to date. */
export async function openPostgres<Tables>(url: string, options: OpenOptions): Promise<Database<Tables>> {
  await migrateAlone(url, options);
  const pool = createPool(url, "answers");
  const names = new StatementNames();
  const query = new Kysely<Tables>({ dialect: postgresDialect(pool, names) });
  let closing: Promise<void> | undefined;
  return {
    kind: "postgres",
    file: undefined,
    query,
    async writeAll(statements) {
      if (closing) throw new DatabaseError("closed", "The database is closed.");
      return writeAll(pool, names, statements);
    },
    groupCommit: (commit) => keyedGroupCommit(commit),
    describe: () => describe(pool),
    async backup() {
      throw new DatabaseError(
        "backup",
        "PostgreSQL is backed up by its own means: pg_dump, or a base backup with its WAL.",
      );
    },
    close() {
      closing ??= end(query, pool);
      return closing;
    },
  };
}

// One that loses what was committed keeps no promise of ours.
const SAFE = ["fsync", "full_page_writes", "synchronous_commit"];

async function describe(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ version: string; name: string; unsafe: string[] }>(
    `select current_setting('server_version') as version, current_database() as name,
      array(select name from pg_settings where name = any($1) and setting = 'off') as unsafe`,
    [SAFE],
  );
  const { version = "", name = "", unsafe = [] } = rows[0] ?? {};
  if (unsafe.length > 0) {
    const settings = unsafe.map((setting) => `${setting} = off`).join(", ");
    throw new DatabaseError(
      "unsafe",
      `PostgreSQL is set to lose what was written when it or its machine dies: ${settings}. Switch that on.`,
    );
  }
  return `${name} in PostgreSQL ${version}`;
}

/** Brings the tables up to date while everyone else who starts waits. */
async function migrateAlone(url: string, { owner, migrations }: OpenOptions): Promise<void> {
  const pool = createPool(url, "migrations");
  const query = new Kysely<unknown>({ dialect: postgresDialect(pool, new StatementNames()) });
  try {
    const unlock = await lock(pool);
    try {
      await migrate(query, owner, migrations.postgres);
    } finally {
      unlock();
    }
  } finally {
    await end(query, pool);
  }
}

/** Kysely does not close what it was never asked to use. */
async function end(query: { destroy(): Promise<void> }, pool: Pool): Promise<void> {
  await query.destroy();
  if (!pool.ending) await pool.end();
}

/** Holds the lock until it is told to let go, or its connection ends. */
async function lock(pool: Pool): Promise<() => void> {
  try {
    const client = await pool.connect();
    try {
      const { rows } = await client.query<{ version: number }>(
        "select current_setting('server_version_num')::integer as version",
      );
      if ((rows[0]?.version ?? 0) < MIN_VERSION) throw new Error("it is older than PostgreSQL 14");
      await client.query(`select pg_advisory_lock(${MIGRATIONS_LOCK})`);
    } catch (error) {
      client.release(true);
      throw error;
    }
    return () => client.release(true);
  } catch (error) {
    const message = `PostgreSQL could not be opened: ${messageOf(error)}. Does it run there, and are user, password and database right?`;
    throw new DatabaseError("open", message, { cause: error });
  }
}
