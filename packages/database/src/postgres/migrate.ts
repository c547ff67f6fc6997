import { setTimeout } from "node:timers/promises";
import { Kysely, type QueryExecutorProvider, sql } from "kysely";
import type { Pool, PoolClient } from "pg";
import type { OpenOptions } from "../database.js";
import { DatabaseError, hasCode } from "../errors.js";
import { migrate, readTableState } from "../migrate.js";
import type { PostgresAddress } from "../url.js";
import { distributeNewTables } from "./citus.js";
import { PostgresDriver } from "./driver.js";
import { isFromServer, openFault } from "./faults.js";
import { createPool, MIGRATION_LOCK_TIMEOUT_MS, MIGRATION_NAME } from "./pool.js";

// An arbitrary number: every process that changes tables holds this lock.
const MIGRATIONS_LOCK = 7_206_414_915_014;

const MIN_VERSION = 14_00_00;
// The connections of a program that has just ended disappear within this time.
const MAX_LOOKS = 6;
const LOOK_AGAIN_MS = 500;

/** Updates the owner's tables while other starting processes wait. */
export async function migratePostgres(address: PostgresAddress, options: OpenOptions): Promise<void> {
  const pool = createPool(address, "migrations");
  const done = new AbortController();
  try {
    await Promise.race([watchForSilence(pool, done.signal), migrateLocked(pool, options)]);
  } finally {
    done.abort();
    await pool.end();
  }
}

async function migrateLocked(pool: Pool, { owner, migrations, mustExist }: OpenOptions): Promise<void> {
  const query = new Kysely<unknown>({ dialect: new PostgresDriver(pool).dialect });
  const unlock = await lock(pool);
  try {
    if (mustExist) {
      const { kind } = await readTableState({ kind: "postgres", query }, owner, migrations.postgres);
      if (kind === "none") {
        throw new DatabaseError("missing", `The database in PostgreSQL holds no tables of the ${owner} yet.`);
      }
    }
    await migrate(query, owner, migrations.postgres);
    if (migrations.distributed) await distributeNewTables(query, migrations.distributed);
  } finally {
    unlock();
  }
}

const ASK_EVERY_MS = 2000;
const ASK_TIMEOUT_MS = 6000;
// The program itself pauses between two statements for far less than the time of this many checks.
const MAX_IDLE_ANSWERS = 3;

/** Checks whether the server works, as migrations have no timeout: once it is silent, all connections are cut. */
async function watchForSilence(pool: Pool, signal: AbortSignal): Promise<never> {
  const clients = new Set<PoolClient>();
  pool.on("connect", (client) => clients.add(client));
  pool.on("remove", (client) => clients.delete(client));
  let failure: unknown;
  for (let idleAnswers = 0; failure === undefined; ) {
    await setTimeout(ASK_EVERY_MS, undefined, { signal });
    try {
      idleAnswers = (await isWorking(pool)) ? 0 : idleAnswers + 1;
      if (idleAnswers === MAX_IDLE_ANSWERS) failure = new Error("it works on nothing, and gave no answer");
    } catch (error) {
      // A refusal also proves that the server responds.
      if (!isFromServer(error)) failure = error;
    }
  }
  if (!signal.aborted) for (const client of clients) void client.end().catch(() => {});
  throw silentFault(failure);
}

/** Whether PostgreSQL is running a statement of this pool, or has it wait for a lock. */
async function isWorking(pool: Pool): Promise<boolean> {
  const question = {
    text: `select exists(select from pg_stat_activity
      where application_name = $1 and pid <> pg_backend_pid() and state = 'active') as working`,
    values: [MIGRATION_NAME],
    // Documented by pg, but missing in its types.
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

/** Holds the lock until the returned function is called, or its connection ends. */
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

/** Refuses if another process of ours is connected to the database: it would go on writing what it wrote before. */
export async function needAlone(query: QueryExecutorProvider): Promise<void> {
  for (let looks = 1; ; looks++) {
    const { rows } = await sql<{ place: string; connections: number }>`
      select coalesce(host(client_addr), 'this machine') as place, count(*) as connections from pg_stat_activity
      where datname = current_database() and starts_with(application_name, 'media-ops')
        and application_name <> ${MIGRATION_NAME}
      group by client_addr order by place`.execute(query);
    if (rows.length === 0) return;
    if (looks === MAX_LOOKS) {
      const places = rows.map(({ place, connections }) => `${connections} from ${place}`).join(", ");
      throw new DatabaseError(
        "open",
        `Other programs of Media Ops are connected to the database (connections: ${places}). Stop each service and bot that uses it, and run this command again.`,
      );
    }
    await setTimeout(LOOK_AGAIN_MS);
  }
}
