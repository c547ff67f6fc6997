import type { MigratedStore, MigrateStoreOptions } from "./copy/migrate-store.js";
import type { Database, Glimpse, OpenOptions } from "./database.js";
import type { DistributedDatabase, DistributeOptions } from "./postgres/distribute.js";
import { lookAtSqlite, openSqlite } from "./sqlite/open.js";
import { parseDatabaseUrl } from "./url.js";

// PostgreSQL's client is imported on demand: a program on SQLite starts without it.
const postgres = () => import("./postgres/open.js");

/** Opens a database, and updates the owner's tables; a missing SQLite file is created. @throws {DatabaseError} */
export async function openDatabase<Tables>(url: string, options: OpenOptions): Promise<Database<Tables>> {
  const address = parseDatabaseUrl(url);
  if (address.kind === "postgres") return (await postgres()).openPostgres(address, options);
  return openSqlite(address.file, options);
}

/** Opens a database without changes. @throws {DatabaseError} with the code "missing" if there is no database. */
export async function lookAtDatabase<Tables>(url: string, options: OpenOptions): Promise<Glimpse<Tables>> {
  const address = parseDatabaseUrl(url);
  if (address.kind === "postgres") return (await postgres()).lookAtPostgres(address, options);
  return lookAtSqlite(address.file, options);
}

/** See `migrateStore` in `copy/migrate-store.ts`. */
export const migrateStore = async <Tables>(options: MigrateStoreOptions<Tables>): Promise<MigratedStore> =>
  (await import("./copy/migrate-store.js")).migrateStore(options);

/** See `distributeDatabase` in `postgres/distribute.ts`. */
export const distributeDatabase = async (url: string, options: DistributeOptions): Promise<DistributedDatabase> =>
  (await import("./postgres/distribute.js")).distributeDatabase(url, options);
