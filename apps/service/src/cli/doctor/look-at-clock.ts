import type { Kysely } from "kysely";
import type { Tables } from "../../storage/tables.js";
import { ask } from "./ask.js";
import type { Seen } from "./finding.js";

const TOLERANCE_MS = 5000;
const LOGS_LOOKED_AT = 1000;
/** No clock that is right shows a time before this was written. */
const PAST = Date.parse("2026-01-01T00:00:00Z");

/** What the clock can be compared with. */
export interface ClockWitnesses {
  /** Undefined if the logs cannot be read. */
  readonly query: Kysely<Tables> | undefined;
  readonly upstreamUrl: string | undefined;
}

/** Compares the clock with the newest log entries and with the media server's. */
export async function lookAtClock(now: () => number, { query, upstreamUrl }: ClockWitnesses): Promise<Seen> {
  const time = now();
  const shown = new Date(time).toISOString();
  if (time < PAST) throw new Error(`it shows ${shown}, which is long past; set it, and let NTP keep it`);
  const newest = query && (await newestEntry(query));
  if (newest !== undefined && newest > time + TOLERANCE_MS) {
    const entry = new Date(newest).toISOString();
    throw new Error(`it shows ${shown}, but there is a log entry of ${entry}; set it, and let NTP keep it`);
  }
  const theirs = upstreamUrl === undefined ? undefined : await dateAt(upstreamUrl);
  if (theirs !== undefined && Math.abs(theirs - time) > TOLERANCE_MS) {
    const other = new Date(theirs).toISOString();
    throw new Error(
      `it shows ${shown}, but the media server's shows ${other}; tokens would begin and end at the wrong time`,
    );
  }
  const witnesses = [
    ...(newest === undefined ? [] : ["not behind the log"]),
    ...(theirs === undefined ? [] : ["the same as the media server's"]),
  ];
  return `${shown}, ${witnesses.length === 0 ? "with nothing to compare it with" : witnesses.join(", ")}`;
}

/** When the newest entry of any log was made, in ms. */
async function newestEntry(query: Kysely<Tables>): Promise<number | undefined> {
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
    .limit(LOGS_LOOKED_AT)
    .execute();
  const times = rows.map(({ at }) => Date.parse(`${at}Z`)).filter((at) => !Number.isNaN(at));
  return times.length === 0 ? undefined : Math.max(...times);
}

async function dateAt(url: string): Promise<number | undefined> {
  const answer = await ask(url);
  return answer.kind === "answered" ? answer.date : undefined;
}
