import { ClockGuard, type Database } from "@media-ops/database";
import { sql } from "kysely";
import type { Logger } from "pino";
import type { Tables } from "./tables.js";

/** What is over at some time, and then of no more use. */
const passing = ["claim", "oauth_state"] as const;

type Passing = (typeof passing)[number];

// Nobody waits long for what is deleted at once.
const AT_ONCE = 1000;

/**
 * Deletes what is over, and no more than is quickly done; gives whether there may be more.
 *
 * Several processes may do so at once. In SQLite they take turns. In PostgreSQL each leaves out what another deletes or
 * takes over in that moment: nobody waits while he holds something, so that no two ever wait for each other.
 */
export async function sweep({ kind, query }: Database<Tables>, table: Passing, time: number): Promise<boolean> {
  const over = query.selectFrom(table).select("hash").where("until", "<=", time).orderBy("until").limit(AT_ONCE);
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

/** Deletes all that is over at a time, in ms since 1970. */
export async function sweepAll(database: Database<Tables>, time: number): Promise<void> {
  for (const table of passing) {
    while (await sweep(database, table, time));
  }
}

/**
 * Decides by what time the bot may delete data. Nobody is asked about the clock: what the bot deletes is over within hours,
 * so a day in which the clock goes on steadily will do.
 */
export const createClockGuard = ({ query }: Database<Tables>, log: Logger, now: () => number): ClockGuard =>
  new ClockGuard({
    query,
    table: "bot_setting",
    now,
    log,
    hasWitnesses: false,
    program: "bot",
    goesOn: "once the clock has gone on steadily for a day",
    async newest() {
      const newest = query.selectFrom("claim").select("until").orderBy("until", "desc").limit(1);
      return (await newest.executeTakeFirst())?.until;
    },
  });
