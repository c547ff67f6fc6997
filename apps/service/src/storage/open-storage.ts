import { type Database, type OpenOptions, openDatabase } from "@media-ops/database";
import { postgresMigrations } from "./postgres-migrations.js";
import { sqliteMigrations } from "./sqlite-migrations.js";
import type { Tables } from "./tables.js";

export type Storage = Database<Tables>;

/** Both lead to the tables of `tables.ts`. */
export const migrations: OpenOptions["migrations"] = { sqlite: sqliteMigrations, postgres: postgresMigrations };

/** Opens the service's database, its tables up to date. */
export function openStorage(
  url: string,
  options: Pick<OpenOptions, "mustExist" | "watcher" | "connections"> = {},
): Promise<Storage> {
  return openDatabase<Tables>(url, { owner: "service", migrations, ...options });
}
