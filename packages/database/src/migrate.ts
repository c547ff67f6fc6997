import { type Kysely, type Migration, Migrator } from "kysely";
import { DatabaseError, messageOf } from "./errors.js";
import type { DatabaseWatcher } from "./watcher.js";

/** Options of `openDatabase`. */
export interface OpenOptions {
  /** Whose tables they are. Several programs may keep theirs in one database. */
  owner: string;
  /** The owner's migrations for each kind of database. */
  migrations: { readonly sqlite: Migrations; readonly postgres: Migrations };
  /**
   * Refuses a database that is not there, with the code "missing", instead of creating it or its first tables.
   *
   * @default false
   */
  mustExist?: boolean;
  /** For a program that runs for long: the database is checked, watched and, if it is deleted, saved. */
  watcher?: DatabaseWatcher;
  /**
   * Whether another thread of this process has the database open, and watches it.
   *
   * @default false
   */
  isOpenInProcess?: boolean;
  /**
   * How many connections to PostgreSQL there may be at most: for a program that shares those of the URL out.
   *
   * @default as many as the URL says
   */
  connections?: number;
}

/** Migrations by name; they run in the order of their names. */
export type Migrations = Readonly<Record<string, Migration>>;

/** Runs the migrations that have not run yet, all or none, while everyone else who starts waits. */
export async function migrate<Tables>(query: Kysely<Tables>, owner: string, migrations: Migrations): Promise<void> {
  const migrator = new Migrator({
    db: query,
    provider: { getMigrations: async () => ({ ...migrations }) },
    migrationTableName: `${owner}_migrations`,
    migrationLockTableName: `${owner}_migrations_lock`,
  });
  const { error } = await migrator.migrateToLatest();
  if (!error) return;
  const reason = messageOf(error).replace(/\.$/, "");
  const message = /corrupted migrations|previously executed migration/i.test(reason)
    ? `The database's tables are those of another version than this program's: ${reason}. Start the newer version.`
    : `The database's tables could not be brought up to date: ${reason}. Nothing was changed.`;
  throw new DatabaseError("migrate", message, { cause: error });
}
