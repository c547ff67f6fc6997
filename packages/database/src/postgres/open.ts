import { createHash } from "node:crypto";
import { Kysely } from "kysely";
import type { Pool } from "pg";
import type { Database, Glimpse, OpenOptions, Step } from "../database.js";
import { DatabaseError } from "../errors.js";
import { GroupCommit, keyedGroupCommit } from "../group-commit.js";
import { readTableState } from "../migrate.js";
import type { PostgresAddress } from "../url.js";
import { areDistributed } from "./citus.js";
import { PostgresDriver } from "./driver.js";
import { openFault } from "./faults.js";
import { guardPostgres } from "./guard.js";
import { migratePostgres } from "./migrate.js";
import { createPool } from "./pool.js";
import { WorkerWatch } from "./worker-watch.js";

/** Opens a PostgreSQL database, with its owner's tables up to date. */
export async function openPostgres<Tables>(address: PostgresAddress, options: OpenOptions): Promise<Database<Tables>> {
  await migratePostgres(address, options);
  const { pool, driver, opened, watchWorkers } = connect<Tables>(address, options);
  const [guard, isDistributed] = await Promise.all([
    guardPostgres(pool, options.owner, options.watcher),
    watchWorkers(options.watcher !== undefined),
  ]).catch(async (error: unknown) => {
    await opened.close();
    throw openFault(error);
  });
  const writeSteps = async (steps: readonly Step[]): Promise<unknown[][]> => {
    if (guard.fault) throw guard.fault;
    return driver.writeAll(steps);
  };
  return {
    ...opened,
    isDistributed,
    writeAll: writeSteps,
    writeSteps,
    groupCommit(options) {
      const { together } = options;
      if (together === undefined || isDistributed) return keyedGroupCommit(options);
      return new GroupCommit({ ...options, atOnce: together });
    },
    check: () => guard.look(),
    async backup() {
      const tools = isDistributed
        ? "a base backup of every node with its WAL, and restore points made by citus_create_restore_point"
        : "pg_dump, or a base backup with its WAL";
      throw new DatabaseError("backup", `PostgreSQL is backed up with its own tools: ${tools}.`);
    },
    close() {
      guard.close();
      return opened.close();
    },
  };
}

/** Opens a PostgreSQL database without changes. */
export async function lookAtPostgres<Tables>(address: PostgresAddress, options: OpenOptions): Promise<Glimpse<Tables>> {
  const { opened, watchWorkers } = connect<Tables>(address, options);
  try {
    return {
      ...opened,
      isDistributed: await watchWorkers(options.isOpenInProcess === true),
      tables: await readTableState(opened, options.owner, options.migrations.postgres),
    };
  } catch (error) {
    await opened.close();
    throw openFault(error);
  }
}

function connect<Tables>(address: PostgresAddress, { connections, migrations }: OpenOptions) {
  const pool = createPool(address, "queries", connections);
  const driver = new PostgresDriver(pool);
  const query = new Kysely<Tables>({ dialect: driver.dialect });
  const { distributed } = migrations;
  let workers: WorkerWatch | undefined;
  const opened = {
    kind: "postgres" as const,
    file: undefined,
    query,
    describe: async () => describe(pool, await areDistributed(query, distributed)),
    fingerprint: () => fingerprintOf(pool),
    async close() {
      // Kysely's destroy would leave an unused driver open.
      await Promise.all([driver.destroy(), workers?.close()]);
    },
  };
  /** Returns whether the tables are distributed; if they are, and the program runs for long, watches their workers. */
  const watchWorkers = async (isLasting: boolean): Promise<boolean> => {
    const isDistributed = await areDistributed(query, distributed);
    if (isDistributed && isLasting && distributed?.valuesIn !== undefined) {
      const own = new PostgresDriver(createPool(address, "queries", 1));
      workers = new WorkerWatch(new Kysely<unknown>({ dialect: own.dialect }), distributed);
      driver.refuse = workers.refuse;
    }
    return isDistributed;
  };
  return { pool, driver, opened, watchWorkers };
}

/** Based on the server's start time and the database's number in it. */
export async function fingerprintOf(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ at: string; oid: string }>(
    `select extract(epoch from pg_postmaster_start_time())::text as at, oid::text
      from pg_database where datname = current_database()`,
  );
  const { at = "", oid = "" } = rows[0] ?? {};
  return createHash("sha256").update(`postgres ${at} ${oid}`).digest("hex").slice(0, 16);
}

// By these, a server loses commits when it or its machine crashes.
const UNSAFE = `
  select coalesce(string_agg(name || ' = off', ', ' order by name), '') as unsafe from pg_settings
  where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'`;

async function describe(pool: Pool, isDistributed: boolean): Promise<string> {
  const { rows } = await pool.query<{ version: string; name: string; unsafe: string }>(
    `select current_setting('server_version') as version, current_database() as name, (${UNSAFE}) as unsafe`,
  );
  const { version = "", name = "", unsafe = "" } = rows[0] ?? {};
  const found = [...(unsafe === "" ? [] : [unsafe]), ...(isDistributed ? await unsafeWorkers(pool) : [])];
  if (found.length > 0) {
    throw new DatabaseError(
      "unsafe",
      `PostgreSQL is set to lose what was written when it or its machine dies: ${found.join(", ")}. Switch that on.`,
    );
  }
  return `${name} in PostgreSQL ${version}`;
}

async function unsafeWorkers(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ found: string }>(
    `select concat(result, ' on the worker ', nodename, ':', nodeport) as found from run_command_on_workers($1)
      where success and result <> ''`,
    [UNSAFE],
  );
  return rows.map(({ found }) => found);
}
