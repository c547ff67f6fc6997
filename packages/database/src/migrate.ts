import { type Kysely, Migrator, sql } from "kysely";
import type { Migrations, TableState } from "./database.js";
import { DatabaseError, messageOf } from "./errors.js";

/** Runs the pending migrations, all or none, while other starting processes wait. */
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

/** Returns the version of the owner's tables in a database, and changes nothing. */
export async function readTableState<Tables>(
  { kind, query }: { readonly kind: "sqlite" | "postgres"; readonly query: Kysely<Tables> },
  owner: string,
  migrations: Migrations,
): Promise<TableState> {
  const table = `${owner}_migrations`;
  const found =
    kind === "sqlite"
      ? await sql`select 1 from sqlite_schema where type = 'table' and name = ${table}`.execute(query)
      : await sql`select 1 where to_regclass(${table}) is not null`.execute(query);
  if (found.rows.length === 0) return { kind: "none" };
  const { rows } = await sql<{ name: string }>`select name from ${sql.id(table)} order by name`.execute(query);
  const unknown = rows.find(({ name }) => !Object.hasOwn(migrations, name));
  if (unknown) return { kind: "newer", migration: unknown.name };
  if (rows.length === 0) return { kind: "none" };
  return { kind: rows.length < Object.keys(migrations).length ? "older" : "current" };
}
