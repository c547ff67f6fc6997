import { setImmediate } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import type { Storage } from "./open-storage.js";

/** What is swept: rows whose `until` has come. */
interface Sweeping {
  readonly table: "seat" | "ended";
  /** The columns of its primary key, all of them texts. */
  readonly key: readonly string[];
  /** In ms since 1970. */
  readonly time: number;
  readonly signal: AbortSignal;
}

const LOOKED_AT_AT_ONCE = 1000;

/**
 * Forgets rows whose time has come. It walks through the whole table now and then: an index by time would have to be kept
 * up to date with every row.
 */
export async function sweepTable({ query, writeAll }: Storage, { table, key, time, signal }: Sweeping): Promise<void> {
  const columns = key.join(", ");
  const marks = key.map(() => "?").join(", ");
  const next = `select ${columns}, until from ${table} where (${columns}) > (${marks}) order by ${columns} limit ?`;
  const forget = `delete from ${table} where (${columns}) = (${marks}) and until <= ?`;
  let from: readonly unknown[] = key.map(() => "");
  while (!signal.aborted) {
    const { rows } = await query.executeQuery<Record<string, unknown>>({
      ...CompiledQuery.raw(next, [...from, LOOKED_AT_AT_ONCE]),
      // Only what is seen to read is asked of the connection that only reads.
      query: query.selectFrom(table).toOperationNode(),
    });
    const keyOf = (row: Record<string, unknown>): unknown[] => key.map((column) => row[column]);
    const old = rows.filter(({ until }) => Number(until) <= time);
    if (old.length > 0) await writeAll(old.map((row) => ({ sql: forget, parameters: [...keyOf(row), time] })));
    const last = rows.at(-1);
    if (!last || rows.length < LOOKED_AT_AT_ONCE) return;
    from = keyOf(last);
    await setImmediate();
  }
}
