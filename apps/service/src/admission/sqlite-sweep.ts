import { setImmediate } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import type { Storage } from "../storage/open-storage.js";

/** A table whose rows expire at `until`. */
interface Sweeping {
  readonly table: "seat" | "ended";
  /** The columns of its primary key, all texts. */
  readonly key: readonly string[];
  /** In ms since 1970. */
  readonly time: number;
  readonly signal: AbortSignal;
}

const READ_LIMIT = 1000;

/**
 * Deletes the rows that have expired. It reads the whole table, which is rarely needed; an index by time would cost an
 * update with every row.
 */
export async function sweepTable({ query, writeAll }: Storage, { table, key, time, signal }: Sweeping): Promise<void> {
  const columns = key.join(", ");
  const marks = key.map(() => "?").join(", ");
  const next = `select ${columns}, until from ${table} where (${columns}) > (${marks}) order by ${columns} limit ?`;
  const forget = `delete from ${table} where (${columns}) = (${marks}) and until <= ?`;
  let from: readonly unknown[] = key.map(() => "");
  while (!signal.aborted) {
    const { rows } = await query.executeQuery<Record<string, unknown>>({
      ...CompiledQuery.raw(next, [...from, READ_LIMIT]),
      // Recognized as a query, so that it runs on the connection that only reads.
      query: query.selectFrom(table).toOperationNode(),
    });
    const keyOf = (row: Record<string, unknown>): unknown[] => key.map((column) => row[column]);
    const old = rows.filter(({ until }) => Number(until) <= time);
    if (old.length > 0) await writeAll(old.map((row) => ({ sql: forget, parameters: [...keyOf(row), time] })));
    const last = rows.at(-1);
    if (!last || rows.length < READ_LIMIT) return;
    from = keyOf(last);
    await setImmediate();
  }
}
