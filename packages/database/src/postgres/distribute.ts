import { DatabaseError } from "../errors.js";
import { parseDatabaseUrl } from "../url.js";
import type { DistributedDatabase, DistributeOptions } from "./distribute-tables.js";

/**
 * Distributes the tables of a filled PostgreSQL database with Citus, in place. Each table or partition moves in one
 * transaction, which compares the number of rows. After an interruption, the next call goes on.
 *
 * @throws {DatabaseError} which explains why the tables are not distributed, and the next step.
 */
export async function distributeDatabase(url: string, options: DistributeOptions): Promise<DistributedDatabase> {
  const address = parseDatabaseUrl(url);
  if (address.kind !== "postgres") {
    throw new DatabaseError(
      "open",
      `The database is in SQLite, which cannot be distributed. Move it to a PostgreSQL with Citus first: ${options.program} migrate-store`,
    );
  }
  // Imported on demand: a program on SQLite does not need PostgreSQL's client.
  const { distributeTables } = await import("./distribute-tables.js");
  return distributeTables(address, options);
}

/** The result of a distribution for operators: each table, and the next step. */
export function describeDistributed({ tables, column, wasThere }: DistributedDatabase, owner: string): string {
  const counted = (count: number): string => count.toLocaleString("en-US");
  const width = Math.max(...tables.map(({ name }) => name.length));
  const lines = [{ name: "table", rows: "rows" }, ...tables.map(({ name, rows }) => ({ name, rows: counted(rows) }))];
  const total = tables.reduce((sum, { rows }) => sum + rows, 0);
  return [
    ...lines.map(({ name, rows }) => `${name.padEnd(width)}  ${rows}`),
    "",
    wasThere
      ? `All ${tables.length} tables are distributed by ${column} already.`
      : `All ${counted(total)} rows are distributed by ${column}. Start the ${owner} again.`,
  ].join("\n");
}
