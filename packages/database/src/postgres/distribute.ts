import { Kysely, sql } from "kysely";
import type { CopyStep } from "../copy/copy-database.js";
import { countRows } from "../copy/tables.js";
import type { DistributedTables, OpenOptions } from "../database.js";
import { DatabaseError, hasCode, messageOf } from "../errors.js";
import { parseDatabaseUrl } from "../url.js";
import { detachedTable, distributeTable, hasCitus, isUnfinished, statesOf, type TableState } from "./citus.js";
import { PostgresDriver } from "./driver.js";
import { migratePostgres, needAlone } from "./migrate.js";
import { createPool } from "./pool.js";

/** Options of {@link distributeDatabase}. */
export interface DistributeOptions {
  readonly owner: string;
  readonly migrations: OpenOptions["migrations"];
  /** The program's command line, such as "media-ops", for messages. */
  readonly program: string;
  /** Statements that remove what would get in the way of moving a table; they run at each start. */
  readonly prepare?: readonly string[];
  onStep(step: CopyStep): void;
}

/** The tables that are distributed now. */
export interface DistributedDatabase {
  readonly column: string;
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly wasThere: boolean;
}

type Session = Kysely<unknown>;

// An arbitrary number: only one process at a time distributes tables.
const DISTRIBUTION_LOCK = 7_206_414_915_015;
const LOCK_NOT_AVAILABLE = "55P03";
// The server ends the work of a killed process within this time, before the next one stops waiting for its lock.
const CHECK_CLIENT_MS = 1000;

/** Distributes a filled database with Citus, each table or partition in one transaction; goes on if interrupted. */
export async function distributeDatabase(url: string, options: DistributeOptions): Promise<DistributedDatabase> {
  const address = parseDatabaseUrl(url);
  const { owner, migrations, program } = options;
  if (address.kind !== "postgres") {
    throw new DatabaseError(
      "open",
      `The database is in SQLite, which cannot be distributed. Move it to a PostgreSQL with Citus first: ${program} migrate-store`,
    );
  }
  const { sqlite, postgres, distributed } = migrations;
  if (distributed === undefined) throw new TypeError("The migrations must list the tables to distribute.");
  await migratePostgres(address, { owner, migrations: { sqlite, postgres }, mustExist: true });
  const pool = createPool(address, "migrations");
  const query = new Kysely<unknown>({ dialect: new PostgresDriver(pool).dialect });
  try {
    return await query.connection().execute((session) => distributeAll(session, distributed, options));
  } finally {
    await pool.end();
  }
}

async function distributeAll(
  session: Session,
  tables: DistributedTables,
  options: DistributeOptions,
): Promise<DistributedDatabase> {
  const { program, prepare = [], onStep } = options;
  await lock(session, program);
  await needCitus(session);
  const states = await statesOf(session, tables);
  const wasThere = states.every(({ is_distributed }) => is_distributed) && !(await isUnfinished(session, tables));
  if (!wasThere) {
    await needWorker(session);
    await needAlone(session);
    for (const statement of prepare) await sql.raw(statement).execute(session);
    for (const state of states) {
      await moveTable(session, tables, state, options).catch((error: unknown) => {
        throw moveFault(error, state.name, program);
      });
    }
    await sql`drop table ${sql.table(detachedTable(tables))}`.execute(session);
  }
  const counted: { name: string; rows: number }[] = [];
  for (const { name } of states) {
    const rows = await countRows(session, name);
    counted.push({ name, rows });
    onStep({ work: "check", table: name, rows, total: rows, before: 0, isDone: true });
  }
  return { column: tables.column, tables: counted, wasThere };
}

/** Lets only one process distribute the tables, and a killed one end its work. */
async function lock(session: Session, program: string): Promise<void> {
  await sql`select set_config('client_connection_check_interval', ${`${CHECK_CLIENT_MS}`}, false)`.execute(session);
  await sql`select pg_advisory_lock(${sql.lit(DISTRIBUTION_LOCK)})`.execute(session).catch((error: unknown) => {
    if (!(error instanceof Error && hasCode(error.cause, LOCK_NOT_AVAILABLE))) throw error;
    throw new DatabaseError("open", `Another ${program} distribute is running. Wait until it has ended.`, {
      cause: error,
    });
  });
}

async function needCitus(session: Session): Promise<void> {
  if (await hasCitus(session)) return;
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(session);
  throw new DatabaseError(
    "open",
    `The database ${rows[0]?.name} has no Citus. Install Citus on every node. Create a database with that name on each worker. Run "create extension citus" in it on every node. ${HOW_TO_ADD}`,
  );
}

const HOW_TO_ADD =
  "Then run \"select citus_set_coordinator_host('<host>', <port>)\" here with this node's address, and \"select citus_add_node('<host>', <port>)\" for each worker.";

async function needWorker(session: Session): Promise<void> {
  const { rows } = await sql`
    select from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary' limit 1`.execute(session);
  if (rows.length === 0) throw new DatabaseError("open", `Citus has no worker yet. ${HOW_TO_ADD}`);
}

/** A table, or one partition of it, that is not distributed yet. */
interface Part {
  readonly name: string;
  readonly rows: number;
  move(transaction: Session): Promise<unknown>;
}

/** Distributes a table. A partitioned one is distributed while it is empty; its partitions then move one by one. */
async function moveTable(
  session: Session,
  tables: DistributedTables,
  state: TableState,
  { onStep }: DistributeOptions,
): Promise<void> {
  const { name, is_distributed, is_partitioned } = state;
  if (is_partitioned && !is_distributed) {
    await change(session, tables, async (transaction) => {
      await detachPartitions(transaction, tables, name);
      await distributeTable(transaction, tables, name);
    });
  }
  const parts = is_partitioned ? await detachedParts(session, tables, name) : await wholeTable(session, tables, state);
  if (parts.length === 0) return;
  const total = parts.reduce((sum, part) => sum + part.rows, 0);
  const report = (rows: number, isDone: boolean): void =>
    onStep({ work: "copy", table: name, rows, total, before: 0, isDone });
  let moved = 0;
  report(moved, false);
  for (const [at, part] of parts.entries()) {
    // A process that has started meanwhile would fail, and its writes could get lost.
    await needAlone(session);
    await change(session, tables, (transaction) => movePart(transaction, part));
    moved += part.rows;
    report(moved, at === parts.length - 1);
  }
}

/** Changes tables in one transaction. From the first such change on, no service starts. */
const change = (session: Session, tables: DistributedTables, work: (transaction: Session) => Promise<unknown>) =>
  session.transaction().execute(async (transaction) => {
    await sql`
      create table if not exists ${sql.table(detachedTable(tables))}
        (name text primary key, parent text not null, bounds text not null)`.execute(transaction);
    await work(transaction);
  });

async function movePart(transaction: Session, { name, rows, move }: Part): Promise<void> {
  await move(transaction);
  const found = await countRows(transaction, name);
  if (found !== rows) throw new Error(`${name} had ${rows} rows before, and ${found} after it was moved`);
  // Citus leaves the old rows on the coordinator's disk, where no query sees them.
  await sql`select truncate_local_data_after_distributing_table(${name}::regclass)`.execute(transaction);
}

function moveFault(cause: unknown, name: string, program: string): DatabaseError {
  if (cause instanceof DatabaseError && cause.code === "open") return cause;
  const reason = messageOf(cause).replace(/\.$/, "");
  const message = `${name} could not be distributed: ${reason}. What has been moved stays: run ${program} distribute again to go on.`;
  return new DatabaseError("open", message, { cause });
}

async function wholeTable(
  session: Session,
  tables: DistributedTables,
  { name, is_distributed }: TableState,
): Promise<Part[]> {
  if (is_distributed) return [];
  const rows = await countRows(session, name);
  return [{ name, rows, move: (transaction) => distributeTable(transaction, tables, name) }];
}

async function detachPartitions(transaction: Session, tables: DistributedTables, parent: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    insert into ${sql.table(detachedTable(tables))} (name, parent, bounds)
    select relname, ${parent}, pg_get_expr(relpartbound, pg_class.oid)
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = to_regclass(${parent})
    returning name`.execute(transaction);
  for (const { name } of rows) {
    await sql`alter table ${sql.table(parent)} detach partition ${sql.table(name)}`.execute(transaction);
  }
}

/** Citus distributes each detached partition, with its rows, as it is attached. */
async function detachedParts(session: Session, tables: DistributedTables, parent: string): Promise<Part[]> {
  const list = sql.table(detachedTable(tables));
  const { rows } = await sql<{ name: string; bounds: string }>`
    select name, bounds from ${list} where parent = ${parent} order by name`.execute(session);
  const parts: Part[] = [];
  for (const { name, bounds } of rows) {
    parts.push({
      name,
      rows: await countRows(session, name),
      async move(transaction) {
        await sql`alter table ${sql.table(parent)} attach partition ${sql.table(name)} ${sql.raw(bounds)}`.execute(
          transaction,
        );
        await sql`delete from ${list} where name = ${name}`.execute(transaction);
      },
    });
  }
  return parts;
}
