import assert from "node:assert/strict";
import type { Database } from "@media-ops/database";
import { sql } from "kysely";
import { kindNumbers, type Tables } from "./open.js";

/**
 * Throws unless as many entries stand in the logs of connections as must be there, each once, and numbered without a gap.
 */
export async function checkConnectionLogs({ query }: Database<Tables>, entries: number, whose: string): Promise<void> {
  const { rows } = await sql<{ entries: number; numbers: number; last: number }>`
    select count(*) as entries, count(distinct project_id || ' ' || seq) as numbers,
      (select cast(sum(seq) as bigint) from log_head where kind = ${sql.lit(kindNumbers.connections)}) as last
    from log_entry where kind = ${sql.lit(kindNumbers.connections)}`.execute(query);
  const all = { entries, numbers: entries, last: entries };
  assert.deepEqual(rows[0], all, `${whose}: what was taken in, and what is there`);
}
