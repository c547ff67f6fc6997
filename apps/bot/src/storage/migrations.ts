import type { OpenOptions } from "@media-ops/database";
import { postgresMigrations } from "./postgres-migrations.js";
import { sqliteMigrations } from "./sqlite-migrations.js";

/** Both lead to the tables of `tables.ts`. */
export const migrations: OpenOptions["migrations"] = { sqlite: sqliteMigrations, postgres: postgresMigrations };
