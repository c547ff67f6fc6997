import { createHash } from "node:crypto";
import { Kysely } from "kysely";
import type { Pool } from "pg";
import { DatabaseError, messageOf } from "../errors.js";
import { keyedGroupCommit } from "../keyed-group-commit.js";
import type { Glimpse } from "../look.js";
import { type Migrations, migrate, type OpenOptions } from "../migrate.js";
import type { Database } from "../open.js";
import { readTableState } from "../table-state.js";
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
  const pool = createPool(url, "answers", options.connections);
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
    fingerprint: () => fingerprintOf(pool),
    async backup() {
      throw new DatabaseError(
        "backup",
        "PostgreSQL is backed up with its own tools: pg_dump, or a base backup with its WAL.",
      );
    },
    close() {
      closing ??= end(query, pool);
      return closing;
    },
  };
}

/** Opens a database in PostgreSQL as it is. */
export async function lookAtPostgres<Tables>(
  url: string,
  { owner, migrations, connections }: OpenOptions,
): Promise<Glimpse<Tables>> {
  const pool = createPool(url, "answers", connections);
  const query = new Kysely<Tables>({ dialect: postgresDialect(pool, new StatementNames()) });
  try {
    const tables = await readTableState({ kind: "postgres", query }, owner, migrations.postgres);
    return {
      kind: "postgres",
      file: undefined,
      query,
      tables,
      describe: () => describe(pool),
      fingerprint: () => fingerprintOf(pool),
      close: () => end(query, pool),
    };
  } catch (error) {
    await end(query, pool);
    throw openFault(error);
  }
}

/** The server by the moment it was started, and the database in it. */
async function fingerprintOf(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ at: string; oid: string }>(
    `select extract(epoch from pg_postmaster_start_time())::text as at, oid::text
      from pg_database where datname = current_database()`,
  );
  const { at = "", oid = "" } = rows[0] ?? {};
  return createHash("sha256").update(`postgres ${at} ${oid}`).digest("hex").slice(0, 16);
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
async function migrateAlone(url: string, { owner, migrations, mustExist }: OpenOptions): Promise<void> {
  const pool = createPool(url, "migrations");
  const query = new Kysely<unknown>({ dialect: postgresDialect(pool, new StatementNames()) });
  try {
    const unlock = await lock(pool);
    try {
      if (mustExist) await needTables(query, owner, migrations.postgres);
      await migrate(query, owner, migrations.postgres);
    } finally {
      unlock();
    }
  } finally {
    await end(query, pool);
  }
}

async function needTables(query: Kysely<unknown>, owner: string, migrations: Migrations): Promise<void> {
  const { kind } = await readTableState({ kind: "postgres", query }, owner, migrations);
  if (kind === "none") {
    throw new DatabaseError("missing", `The database in PostgreSQL holds no tables of the ${owner} yet.`);
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
    throw openFault(error);
  }
}

function openFault(error: unknown): DatabaseError {
  if (error instanceof DatabaseError && error.code !== "unavailable") return error;
  const message = `PostgreSQL could not be opened: ${messageOf(error).replace(/\.$/, "")}. Does it run there, and are user, password and database right?`;
  return new DatabaseError("open", message, { cause: error });
}
