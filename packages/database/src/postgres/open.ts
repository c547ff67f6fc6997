import { createHash } from "node:crypto";
import { Kysely } from "kysely";
import type { Pool, PoolClient } from "pg";
import { DatabaseError, hasCode, messageOf } from "../errors.js";
import { keyedGroupCommit } from "../keyed-group-commit.js";
import type { Glimpse } from "../look.js";
import { type Migrations, migrate, type OpenOptions } from "../migrate.js";
import type { Database } from "../open.js";
import { readTableState } from "../table-state.js";
import { StatementNames } from "./client.js";
import { postgresDialect } from "./dialect.js";
import { isSaidByServer } from "./faults.js";
import { PostgresGuard } from "./guard.js";
import { createPool, MIGRATION_LOCK_TIMEOUT_MS, START_NAME } from "./pool.js";
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
  const guard = await PostgresGuard.open(pool, options.owner, options.watcher).catch(async (error: unknown) => {
    await end(query, pool);
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
    groupCommit: (commit) => keyedGroupCommit(commit),
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
async function migrateAlone(url: string, options: OpenOptions): Promise<void> {
  const pool = createPool(url, "migrations");
  const query = new Kysely<unknown>({ dialect: postgresDialect(pool, new StatementNames()) });
  const watch = watchForSilence(pool);
  try {
    await Promise.race([migrateLocked(pool, query, options), watch.silence]);
  } finally {
    watch.stop();
    await end(query, pool);
  }
}

async function migrateLocked(
  pool: Pool,
  query: Kysely<unknown>,
  { owner, migrations, mustExist }: OpenOptions,
): Promise<void> {
  const unlock = await lock(pool);
  try {
    if (mustExist) await needTables(query, owner, migrations.postgres);
    await migrate(query, owner, migrations.postgres);
  } finally {
    unlock();
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

const ASK_EVERY_MS = 2000;
const ASK_TIMEOUT_MS = 6000;
// Between two statements a start itself takes far less than the time of so many questions.
const MAX_IDLE_ANSWERS = 3;

/**
 * Asks on another connection whether the server works on anything of ours, since statements that change tables have no
 * timeout. Once it is silent, or does nothing while an answer is missing, `silence` rejects and all connections are cut.
 */
function watchForSilence(pool: Pool): { readonly silence: Promise<never>; stop(): void } {
  const clients = new Set<PoolClient>();
  pool.on("connect", (client) => clients.add(client));
  pool.on("remove", (client) => clients.delete(client));
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const silence = new Promise<never>((_, reject) => {
    let idleAnswers = 0;
    const ask = async (): Promise<void> => {
      const failure = await isWorking(pool).then(
        (working) => {
          idleAnswers = working ? 0 : idleAnswers + 1;
          return idleAnswers < MAX_IDLE_ANSWERS ? undefined : new Error("it works on nothing, and gave no answer");
        },
        // What the server refuses, it has answered.
        (error) => (isSaidByServer(error) ? undefined : error),
      );
      if (isStopped) return;
      if (failure === undefined) return askSoon();
      reject(silentFault(failure));
      for (const client of clients) void client.end().catch(() => {});
    };
    const askSoon = (): void => {
      timer = setTimeout(ask, ASK_EVERY_MS);
    };
    askSoon();
  });
  return {
    silence,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Whether PostgreSQL works on a statement of this pool, or lets it wait for a lock. */
async function isWorking(pool: Pool): Promise<boolean> {
  const question = {
    text: `select exists(select from pg_stat_activity
      where application_name = $1 and pid <> pg_backend_pid() and state = 'active') as working`,
    values: [START_NAME],
    // Read by pg, whose types do not know it.
    query_timeout: ASK_TIMEOUT_MS,
  };
  const { rows } = await pool.query<{ working: boolean }>(question);
  return rows[0]?.working ?? false;
}

function silentFault(cause: unknown): DatabaseError {
  const message =
    "PostgreSQL fell silent while its tables were brought up to date. Check the server and the network to it, and start again.";
  return new DatabaseError("open", message, { cause });
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
      await client.query(`select pg_advisory_lock(${MIGRATIONS_LOCK})`).catch((error) => {
        throw hasCode(error, "55P03") ? lockedFault(error) : error;
      });
    } catch (error) {
      client.release(true);
      throw error;
    }
    return () => client.release(true);
  } catch (error) {
    throw openFault(error);
  }
}

function lockedFault(cause: unknown): DatabaseError {
  const seconds = MIGRATION_LOCK_TIMEOUT_MS / 1000;
  return new DatabaseError(
    "migrate",
    `Another process is changing the tables in PostgreSQL, and was not done within ${seconds} s. Start again when it is; if none does, end the session that holds the advisory lock, which pg_locks shows.`,
    { cause },
  );
}

function openFault(error: unknown): DatabaseError {
  if (error instanceof DatabaseError && error.code !== "unavailable") return error;
  const message = `PostgreSQL could not be opened: ${messageOf(error).replace(/\.$/, "")}. Does it run there, and are user, password and database right?`;
  return new DatabaseError("open", message, { cause: error });
}
