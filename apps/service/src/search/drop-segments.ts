import { setImmediate } from "node:timers/promises";
import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import { headsAfter, type LogName, sortKey } from "../logs/log-store.js";
import type { Storage } from "../storage/open-storage.js";
import { deleteParts, SegmentStore } from "./segment-store.js";

const LOGS = 100;
// Their parts are a few megabytes, so that other writers are not blocked for long.
const SEGMENTS = 8;

/** Deletes the segments whose entries were all created before a day, in ms since 1970, and late entries before it. */
export async function dropSegments(storage: Storage, day: number, signal: AbortSignal): Promise<void> {
  const store = new SegmentStore(storage);
  const before = sortKey(new Date(day).toISOString());
  let heads = await headsAfter(storage.query, ["", 0], LOGS);
  for (let last = heads.at(-1); last && !signal.aborted; last = heads.at(-1)) {
    for (const { project_id, kind } of heads) {
      while (!signal.aborted && (await dropFirst(storage, store, [project_id, kind], before))) await setImmediate();
    }
    await setImmediate();
    heads = await headsAfter(storage.query, [last.project_id, last.kind], LOGS);
  }
}

/** Deletes a log's first segments. Returns whether there may be more. */
async function dropFirst(storage: Storage, store: SegmentStore, log: LogName, before: string): Promise<boolean> {
  const first = await store.segments(log, { from: "", until: before }, "oldest", SEGMENTS);
  const old = first.filter(({ lastAt }) => lastAt < before);
  const last = old.at(-1);
  if (!last) return false;
  const own = sql`project_id = ${log[0]} and kind = ${log[1]}`;
  await write(storage, [
    // First, since it locks the log's row until the end. A build that has begun is not written any more.
    sql`update log_head set build = build + 1 where ${own}`,
    sql`delete from log_segment where ${own} and until_at <= ${last.untilAt}`,
    // Late entries of the time before it belong to the first segment.
    sql`update log_segment set from_at = '' where ${own} and until_at =
      (select min(until_at) from log_segment where ${own})`,
    sql`delete from log_late where ${own} and at < ${before}`,
    ...old.map(({ build }) => deleteParts(log, build)),
  ]);
  return old.length === SEGMENTS;
}

async function write(storage: Storage, statements: readonly RawBuilder<unknown>[]): Promise<void> {
  await storage.writeAll(statements.map((statement): CompiledQuery => statement.compile(storage.query)));
}
