import type { Database, Glimpse, OpenOptions } from "./database.js";
import { parseDatabaseUrl } from "./url.js";

// Each kind is imported on demand: a program on PostgreSQL does not need SQLite, and vice versa.
const postgres = () => import("./postgres/open.js");
const sqlite = () => import("./sqlite/open.js");

/**
 * Opens a database, and updates the owner's tables. A missing SQLite file is created, readable only by its owner; a
 * PostgreSQL database must exist.
 *
 * @throws {DatabaseError} which explains the problem and the next step.
 * @example
 * const database = await openDatabase<Tables>("sqlite:./data/media.db", { owner: "service", migrations });
 * await database.query.selectFrom("projects").selectAll().execute();
 * await database.close();
 */
export async function openDatabase<Tables>(url: string, options: OpenOptions): Promise<Database<Tables>> {
  const address = parseDatabaseUrl(url);
  if (address.kind === "postgres") return (await postgres()).openPostgres(address, options);
  return (await sqlite()).openSqlite(address.file, options);
}

/**
 * Opens a database without changes: creates nothing, and runs no migrations.
 *
 * @throws {DatabaseError} which explains the problem; with the code "missing" if there is no database.
 */
export async function lookAtDatabase<Tables>(url: string, options: OpenOptions): Promise<Glimpse<Tables>> {
  const address = parseDatabaseUrl(url);
  if (address.kind === "postgres") return (await postgres()).lookAtPostgres(address, options);
  return (await sqlite()).lookAtSqlite(address.file, options);
}
