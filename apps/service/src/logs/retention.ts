import { type Kysely, sql } from "kysely";
import { startOfDay } from "../storage/day-partitions.js";
import type { Tables } from "../storage/tables.js";
import { WINDOW_MS } from "./log-store.js";
import { sortKey } from "./sort-key.js";

const LOGS_LOOKED_AT = 1000;

/**
 * Before which day entries are deleted at a time, both in ms since 1970. Whole days only: within a day, what is old lies
 * beside what is still shown.
 */
export const expiredBefore = (time: number): number => startOfDay(time) - WINDOW_MS;

/** Entries that would be deleted. */
export interface ExpiredEntries {
  readonly entries: number;
  /** On how many days they were made. */
  readonly days: number;
  /** The time of the first one, in UTC; undefined if there is none. */
  readonly first: string | undefined;
}

/** Counts the entries before a day, in ms since 1970. Reads all of them: for an operator's question alone. */
export async function countExpired(query: Kysely<Tables>, day: number): Promise<ExpiredEntries> {
  const { entries, days, first } = await query
    .selectFrom("log_entry")
    .select(({ fn }) => [
      fn.countAll<number>().as("entries"),
      sql<number>`count(distinct substr(at, 1, 10))`.as("days"),
      fn.min("at").as("first"),
    ])
    .where("at", "<", sortKey(new Date(day).toISOString()))
    .executeTakeFirstOrThrow();
  return { entries: Number(entries), days: Number(days), first: entries > 0 ? `${first}Z` : undefined };
}

/** When the newest entry of any log was made, in ms since 1970. Reads the newest of the 1000 longest logs. */
export async function newestEntry(query: Kysely<Tables>): Promise<number | undefined> {
  const rows = await query
    .selectFrom("log_head as head")
    .select(({ selectFrom }) =>
      selectFrom("log_entry")
        .select("at")
        .whereRef("log_entry.project_id", "=", "head.project_id")
        .whereRef("log_entry.kind", "=", "head.kind")
        .orderBy("at", "desc")
        .limit(1)
        .as("at"),
    )
    .orderBy("head.seq", "desc")
    .limit(LOGS_LOOKED_AT)
    .execute();
  const times = rows.map(({ at }) => Date.parse(`${at}Z`)).filter((at) => !Number.isNaN(at));
  return times.length === 0 ? undefined : Math.max(...times);
}
