import { Kysely, sql } from "kysely";
import type { CopySource } from "../copy/copy-database.js";
import type { CopiedTable } from "../copy/tables.js";
import type { OpenOptions } from "../database.js";
import type { PostgresAddress } from "../url.js";
import { PostgresDriver } from "./driver.js";
import { openFault } from "./faults.js";
import { migratePostgres, needAlone } from "./migrate.js";
import { fingerprintOf } from "./open.js";
import { createPool } from "./pool.js";

/**
 * Opens a PostgreSQL database to copy its tables to another one.
 *
 * @throws {DatabaseError} if a program of ours is connected to it.
 */
export async function openPostgresSource<Tables>(
  address: PostgresAddress,
  options: OpenOptions & { readonly tables: readonly CopiedTable[] },
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
