import { ClockGuard, type Database } from "@media-ops/database";
import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Logger } from "pino";
import type { Tables } from "./tables.js";

const passing = ["claim", "oauth_state"] as const;

type Passing = (typeof passing)[number];

// Small enough that other writers don't wait long.
const AT_ONCE = 1000;

/** Deletes a batch of expired rows, but those that another bot has locked; returns whether there may be more. */
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

/** Deletes all rows that expired by a time, and questions, incidents, requests and the audit log from long before. */
export async function sweepAll(database: Database<Tables>, time: number): Promise<void> {
  for (const table of passing) {
    while (await sweep(database, table, time));
  }
  const { query } = database;
  await query
    .deleteFrom("token_request")
    // Written into the statement: PostgreSQL doesn't use the index of these for a parameter.
    .where("is_open", "=", sql.lit(0))
    .where("created_at", "<=", time - KEPT_MS)
    .execute();
  await sweepTeams(query, "question", sql`asked_at <= ${time - KEPT_MS}`);
  await sweepTeams(query, "watch_incident", sql`is_open = 0 and began_at <= ${time - KEPT_MS}`);
  await sweepTeams(query, "audit", sql`at <= ${time - AUDIT_KEPT_MS}`);
}

/** Deletes one workspace's old rows after another's: two bots could lock those of all in different orders. */
async function sweepTeams(
  query: Kysely<Tables>,
  table: "question" | "watch_incident" | "audit",
  isOld: RawBuilder<SqlBool>,
): Promise<void> {
  const teams = await query.selectFrom(table).select("team_id").distinct().where(isOld).execute();
  for (const { team_id } of teams) {
    await query.deleteFrom(table).where("team_id", "=", team_id).where(isOld).execute();
  }
}

/** Decides the time up to which the bot may delete data. */
export const createClockGuard = (
  { query }: Database<Tables>,
  log: Logger,
  clocks: { now(): number; elapsed?(): number },
): ClockGuard =>
  new ClockGuard({
    ...clocks,
    query,
    table: "bot_setting",
    log,
    async newest() {
      const newest = query.selectFrom("claim").select("until").orderBy("until", "desc").limit(1);
      return (await newest.executeTakeFirst())?.until;
    },
  });
