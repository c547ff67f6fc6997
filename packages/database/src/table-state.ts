import { type Kysely, sql } from "kysely";
import type { Migrations } from "./migrate.js";

/** Whose tables a database holds, as far as an owner can tell. */
export type TableState =
  /** None of the owner's. */
  | { readonly kind: "none" }
  /** The owner's, as this version leaves them. */
  | { readonly kind: "current" }
  /** The owner's, from an older version. */
  | { readonly kind: "older" }
  /** The owner's, from a newer version: `migration` is one that this version does not know. */
  | { readonly kind: "newer"; readonly migration: string };

/** Finds out which version of the owner's tables a database holds, and changes nothing. */
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
