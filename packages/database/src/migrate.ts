import { type Kysely, Migrator } from "kysely";
import { DatabaseError, messageOf } from "./errors.js";
import type { OpenOptions } from "./open.js";

/** Runs the migrations that have not run yet, all or none, while everyone else who starts waits. */
export async function migrate<Tables>(query: Kysely<Tables>, { owner, migrations }: OpenOptions): Promise<void> {
  const migrator = new Migrator({
    db: query,
    provider: { getMigrations: async () => ({ ...migrations }) },
    migrationTableName: `${owner}_migrations`,
    migrationLockTableName: `${owner}_migrations_lock`,
  });
  const { error } = await migrator.migrateToLatest();
  if (!error) return;
  const message = /corrupted migrations|previously executed migration/i.test(messageOf(error))
    ? `The database's tables are those of another version than this program's: ${messageOf(error)}. Start the newer version.`
    : `The database's tables could not be brought up to date: ${messageOf(error)}. Nothing was changed.`;
  throw new DatabaseError("migrate", message, { cause: error });
}
