import { describePause, EARLIEST, readClock } from "@media-ops/database";
import type { Kysely } from "kysely";
import { newestEntry, pauseWords } from "../../logs/retention.js";
import type { Tables } from "../../storage/tables.js";
import { ask } from "./ask.js";
import type { Seen } from "./finding.js";

const TOLERANCE_MS = 5000;

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
  if (time < EARLIEST) throw new Error(`it shows ${shown}, which is long past; set it, and let NTP keep it`);
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
  const record = query && (await readClock(query, "setting"));
  const pause = record && describePause(record, pauseWords);
  if (pause !== undefined) throw new Error(pause);
  const witnesses = [
    ...(newest === undefined ? [] : ["not behind the log"]),
    ...(theirs === undefined ? [] : ["the same as the media server's"]),
  ];
  return `${shown}, ${witnesses.length === 0 ? "with nothing to compare it with" : witnesses.join(", ")}`;
}

async function dateAt(url: string): Promise<number | undefined> {
  const answer = await ask(url);
  return answer.kind === "answered" ? answer.date : undefined;
}
