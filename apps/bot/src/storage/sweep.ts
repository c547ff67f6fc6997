import type { Database } from "@media-ops/database";
import { sql } from "kysely";
import type { Tables } from "./tables.js";

/** What is over at some time, and then of no more use. */
type Passing = "claim" | "oauth_state";

// Nobody waits long for what is deleted at once.
const AT_ONCE = 1000;

/**
 * Deletes what is over, and no more than is quickly done; gives whether there may be more.
 *
 * Several processes may do so at once. In SQLite they take turns. In PostgreSQL each leaves out what another deletes or
 * takes over in that moment: nobody waits while he holds something, so that no two ever wait for each other.
 */
export async function sweep({ kind, query }: Database<Tables>, table: Passing, now: number): Promise<boolean> {
  const over = query.selectFrom(table).select("hash").where("until", "<=", now).orderBy("until").limit(AT_ONCE);
  const { numDeletedRows } = await query
    .deleteFrom(table)
    .where((row) =>
      kind === "postgres"
        ? // As an array, it is chosen once: as a table, it might be chosen and locked anew for each row.
          row("hash", "=", sql<string>`any(array(${over.forUpdate().skipLocked()}))`)
        : row("hash", "in", over),
    )
    .executeTakeFirstOrThrow();
  return numDeletedRows === BigInt(AT_ONCE);
}
