import { realpath, stat } from "node:fs/promises";
import { Kysely, sql } from "kysely";
import type { OpenOptions } from "../database.js";
import { DatabaseError, messageOf } from "../errors.js";
import { PostgresDriver } from "../postgres/driver.js";
import { openFault } from "../postgres/faults.js";
import { migratePostgres, needAlone } from "../postgres/migrate.js";
import { fingerprintOf, openPostgres } from "../postgres/open.js";
import { createPool } from "../postgres/pool.js";
import { isInUse } from "../sqlite/files.js";
import { openSqlite } from "../sqlite/open.js";
import { type PostgresAddress, parseDatabaseUrl } from "../url.js";
import { type CopyOptions, type CopyResult, type CopySource, copyDatabase } from "./copy-database.js";

/** Options of {@link migrateStore}. */
export interface MigrateStoreOptions<Tables>
  extends OpenOptions,
    Pick<CopyOptions<Tables>, "tables" | "prepare" | "onStep"> {
  /** The URL of an SQLite file, or of a database in PostgreSQL, that no process uses. */
  readonly from: string;
  /** The URL of another database in PostgreSQL: new and empty, or begun by the same copy. */
  readonly to: string;
}

/** The result of a copy, with names for source and target that hold no secret. */
export interface MigratedStore extends CopyResult {
  readonly from: string;
  readonly to: string;
}

const refusal = (message: string, options?: ErrorOptions) => new DatabaseError("copy", message, options);

/** Copies a program's store to PostgreSQL, and compares the two; goes on if it was interrupted. */
export async function migrateStore<Tables>(options: MigrateStoreOptions<Tables>): Promise<MigratedStore> {
  const address = parseDatabaseUrl(options.from);
  const from = address.kind === "postgres" ? nameOf(address) : await findFile(address.file);
  const target = parseDatabaseUrl(options.to);
  if (target.kind !== "postgres") {
    throw refusal("The target must be PostgreSQL, as in postgres://user@host:5432/name.");
  }
  try {
    const source =
      address.kind === "postgres" ? await openPostgresSource(address, options) : await openFile(from, options);
    return { ...(await copyStore(from, source, target, options)), from, to: nameOf(target) };
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== "unavailable") throw error;
    const message = `${error.message} The copied rows stay: run the same command again to go on.`;
    throw new DatabaseError("unavailable", message, { cause: error });
  }
}

async function copyStore<Tables>(
  name: string,
  from: CopySource<Tables>,
  target: PostgresAddress,
  options: MigrateStoreOptions<Tables>,
): Promise<CopyResult> {
  try {
    const to = await openPostgres<Tables>(target, options);
    try {
      if ((await from.fingerprint()) === (await to.fingerprint())) {
        throw refusal("The source and the target are the same database.");
      }
      const source = `${name}, made ${await createdAt(from, options.owner)}`;
      return await copyDatabase({ ...options, from, to, source });
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function openPostgresSource<Tables>(
  address: PostgresAddress,
  options: MigrateStoreOptions<Tables>,
): Promise<CopySource<Tables>> {
  // Their statements have no timeout: counting the rows of a large table takes long.
  const pool = createPool(address, "migrations");
  const driver = new PostgresDriver(pool);
  const query = new Kysely<Tables>({ dialect: driver.dialect });
  const close = () => driver.destroy();
  try {
    await needAlone(query);
    await migratePostgres(address, { ...options, mustExist: true });
  } catch (error) {
    await close();
    throw openFault(error);
  }
  return {
    query,
    fingerprint: () => fingerprintOf(pool),
    async hold(transaction) {
      // A program that starts meanwhile could write into tables that have been copied: it has to wait.
      const names = options.tables.map(({ name }) => sql.table(name));
      await sql`lock table ${sql.join(names)} in share mode`.execute(transaction);
      // It is idle while rows are written to the target.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction);
      // Pages are read in the order of the key, for which each table has an index.
      await sql`set local enable_sort = off`.execute(transaction);
    },
    close,
  };
}

async function openFile<Tables>(file: string, options: MigrateStoreOptions<Tables>): Promise<CopySource<Tables>> {
  if (isInUse(file)) {
    throw refusal(
      `${file} is in use. Stop the program that uses it first: what it writes during the copy would be lost.`,
    );
  }
  return openSqlite<Tables>(file, options);
}

/** The full path of a file. It must exist: opening it would create it. */
async function findFile(path: string | undefined): Promise<string> {
  if (path === undefined) throw refusal("A store in memory cannot be copied.");
  try {
    const file = await realpath(path);
    if ((await stat(file)).isFile()) return file;
  } catch (cause) {
    throw refusal(`There is no store at ${path}: ${messageOf(cause)}.`, { cause });
  }
  throw refusal(`There is no store at ${path}: it is not a file.`);
}

/** The server and name of a database, without secrets. */
function nameOf({ url }: PostgresAddress): string {
  // Opening the database reports an invalid URL.
  if (!URL.canParse(url)) return "PostgreSQL";
  const { host, pathname } = new URL(url);
  return `${pathname.slice(1) || "the user's database"} at ${host || "this machine"}`;
}

/** When a store was created, to distinguish two files that had the same name. */
async function createdAt<Tables>({ query }: CopySource<Tables>, owner: string): Promise<string> {
  const table = sql.id(`${owner}_migrations`);
  const { rows } = await sql<{ timestamp: string }>`select timestamp from ${table} order by name limit 1`.execute(
    query,
  );
  return rows[0]?.timestamp ?? "never";
}
