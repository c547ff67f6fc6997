import { ClockGuard } from "@media-ops/database";
import { type Kysely, sql } from "kysely";
import type { Surroundings } from "../config/surroundings.js";
import type { Storage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import { sortKey } from "./log-store.js";

const LOGS_LOOKED_AT = 1000;

/** What an operator can do if a clock that is in doubt is right. */
export const CONFIRM = "If it is right: media-ops retention confirm.";

/** Decides the time up to which the service may delete data. */
export const createClockGuard = ({
  storage: { query },
  log,
  now,
}: Pick<Surroundings, "log" | "now"> & { readonly storage: Storage }): ClockGuard =>
  new ClockGuard({ query, table: "setting", log, now, newest: () => newestEntry(query), confirm: CONFIRM });

/** Counts the entries before a day, in ms since 1970. It reads all of them: only for an operator's request. */
export async function countExpired(query: Kysely<Tables>, day: number) {
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

/** When the newest entry of any log was created, in ms since 1970. Reads the newest entry of the 1000 longest logs. */
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
