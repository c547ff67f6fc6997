import { type Database, openDatabase } from "@media-ops/database";
import { postgresMigrations } from "./postgres-migrations.js";
import { sqliteMigrations } from "./sqlite-migrations.js";
import type { Tables } from "./tables.js";

export type Storage = Database<Tables>;

/** Opens the service's database, its tables up to date. */
export function openStorage(url: string): Promise<Storage> {
  return openDatabase<Tables>(url, {
    owner: "service",
    migrations: { sqlite: sqliteMigrations, postgres: postgresMigrations },
  });
}
