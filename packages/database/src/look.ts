import type { Kysely } from "kysely";
import type { OpenOptions } from "./migrate.js";
import type { Database } from "./open.js";
import type { TableState } from "./table-state.js";
import { parseDatabaseUrl } from "./url.js";

/** A database that is open to be looked at. */
export interface Glimpse<Tables>
  extends Pick<Database<Tables>, "kind" | "file" | "describe" | "fingerprint" | "close"> {
  /** Where it is asked; what would write is refused or must not be asked. */
  readonly query: Kysely<Tables>;
  /** Whether the tables are the owner's. Unless they are "current", a query may miss tables and columns. */
  readonly tables: TableState;
}

/**
 * Opens a database as it is: creates nothing, and leaves its tables as they are.
 *
 * @throws {DatabaseError} which says what was wrong; with the code "missing" if there is no database.
 */
export async function lookAtDatabase<Tables>(url: string, options: OpenOptions): Promise<Glimpse<Tables>> {
  const address = parseDatabaseUrl(url);
  if (address.kind === "postgres") return (await import("./postgres/open.js")).lookAtPostgres(address.url, options);
  return (await import("./sqlite/look.js")).lookAtSqlite(address.file, options);
}
