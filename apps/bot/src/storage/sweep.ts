import { ClockGuard, type Database } from "@media-ops/database";
import { sql } from "kysely";
import type { Logger } from "pino";
import type { Tables } from "./tables.js";

/** Tables of rows that expire. */
const passing = ["claim", "oauth_state"] as const;

type Passing = (typeof passing)[number];

// Small enough that other writers don't wait long.
const AT_ONCE = 1000;

/**
 * Deletes one batch of expired rows; returns whether there may be more. Several processes may do so at once: in SQLite
 * they take turns; in PostgreSQL each skips rows that another has locked, to avoid deadlocks.
 */
export async function sweep({ kind, query }: Database<Tables>, table: Passing, time: number): Promise<boolean> {
  const over = query.selectFrom(table).select("hash").where("until", "<=", time).orderBy("until").limit(AT_ONCE);
  const { numDeletedRows } = await query
    .deleteFrom(table)
    .where((row) =>
      kind === "postgres"
        ? // As an array it is evaluated once; as a table it might be evaluated and locked for each row.
          row("hash", "=", sql<string>`any(array(${over.forUpdate().skipLocked()}))`)
        : row("hash", "in", over),
    )
    .executeTakeFirstOrThrow();
  return numDeletedRows === BigInt(AT_ONCE);
}

const DAY_MS = 24 * 60 * 60_000;
// Few people remember what they asked so long ago, and services keep no entry of an incident for longer.
const KEPT_MS = 30 * DAY_MS;
// Auditors look back over a year.
const AUDIT_KEPT_MS = 366 * DAY_MS;

/**
 * Deletes all rows that expired by a time, in ms since 1970, and questions, incidents, decided requests and the audit
 * log from long before it.
 */
export async function sweepAll(database: Database<Tables>, time: number): Promise<void> {
  for (const table of passing) {
    while (await sweep(database, table, time));
  }
  await database.query
    .deleteFrom("question")
    .where("asked_at", "<=", time - KEPT_MS)
    .execute();
  await database.query
    .deleteFrom("watch_incident")
    .where("is_open", "=", 0)
    .where("began_at", "<=", time - KEPT_MS)
    .execute();
  await database.query
    .deleteFrom("token_request")
    .where("is_open", "=", 0)
    .where("created_at", "<=", time - KEPT_MS)
    .execute();
  await database.query
    .deleteFrom("audit")
    .where("at", "<=", time - AUDIT_KEPT_MS)
    .execute();
}

/**
 * Creates the guard of the time by which the bot may delete data. It needs no second clock: the bot deletes only data
 * that expires within hours, or that is long out of use, so a clock that ran steadily for a day is trusted.
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
