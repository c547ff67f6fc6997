import { createHash } from "node:crypto";
import { Kysely } from "kysely";
import type { Pool } from "pg";
import type { Database, Glimpse, OpenOptions } from "../database.js";
import { DatabaseError } from "../errors.js";
import { keyedGroupCommit } from "../group-commit.js";
import { readTableState } from "../migrate.js";
import { openFault } from "./faults.js";
import { PostgresGuard } from "./guard.js";
import { migratePostgres } from "./migrate.js";
import { createPool } from "./pool.js";
import { postgresDialect, StatementNames, writeAll } from "./statements.js";

/** Opens a database in PostgreSQL, with its owner's tables up to date. */
export async function openPostgres<Tables>(url: string, options: OpenOptions): Promise<Database<Tables>> {
  await migratePostgres(url, options);
  const pool = createPool(url, "queries", options.connections);
  const names = new StatementNames();
  const query = new Kysely<Tables>({ dialect: postgresDialect(pool, names) });
  const guard = await PostgresGuard.open(pool, options.owner, options.watcher).catch(async (error: unknown) => {
    await pool.end();
    throw openFault(error);
  });
  let closing: Promise<void> | undefined;
  return {
    kind: "postgres",
    file: undefined,
    query,
    async writeAll(statements) {
      if (closing) throw new DatabaseError("closed", "The database is closed.");
      if (guard.fault) throw guard.fault;
      return writeAll(pool, names, statements);
    },
    groupCommit: (options) => keyedGroupCommit(options),
    describe: () => describe(pool),
    fingerprint: () => fingerprintOf(pool),
    check: () => guard.look(),
    async backup() {
      throw new DatabaseError(
        "backup",
        "PostgreSQL is backed up with its own tools: pg_dump, or a base backup with its WAL.",
      );
    },
    close() {
      guard.close();
      closing ??= endBoth(query, pool);
      return closing;
    },
  };
}

/** Opens a database in PostgreSQL as it is. */
export async function lookAtPostgres<Tables>(
  url: string,
  { owner, migrations, connections }: OpenOptions,
): Promise<Glimpse<Tables>> {
  const pool = createPool(url, "queries", connections);
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
      close: () => endBoth(query, pool),
    };
  } catch (error) {
    await endBoth(query, pool);
    throw openFault(error);
  }
}

/** Kysely does not close a pool that it never used. */
async function endBoth(query: { destroy(): Promise<void> }, pool: Pool): Promise<void> {
  await query.destroy();
  if (!pool.ending) await pool.end();
}

/** Made from the server's start time and the database's number in it. */
async function fingerprintOf(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ at: string; oid: string }>(
    `select extract(epoch from pg_postmaster_start_time())::text as at, oid::text
      from pg_database where datname = current_database()`,
  );
  const { at = "", oid = "" } = rows[0] ?? {};
  return createHash("sha256").update(`postgres ${at} ${oid}`).digest("hex").slice(0, 16);
}

// Without these, PostgreSQL loses commits when it or its machine crashes.
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
