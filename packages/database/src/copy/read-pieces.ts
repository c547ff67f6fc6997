import { type QueryExecutorProvider, sql } from "kysely";
import { type CopiedRow, type CopiedTable, valuesOf } from "./copied-table.js";

// So many make the way there and back count for little; so few bytes are at hand without a thought.
const MAX_ROWS = 2000;
const BYTES = 4 * 2 ** 20;
const FIRST_ROWS = 200;
// Large rows may follow small ones.
const GROWTH = 4;

/** Reads a table in the order of its key, in pieces of a few megabytes; the next is read while one is worked with. */
export async function* readPieces(
  query: QueryExecutorProvider,
  table: CopiedTable,
  after?: readonly unknown[],
): AsyncGenerator<readonly CopiedRow[]> {
  let limit = FIRST_ROWS;
  let next = readAfter(query, table, after, limit);
  try {
    for (;;) {
      const rows = await next;
      const last = rows.at(-1);
      if (!last) return;
      const isLast = rows.length < limit;
      limit = nextLimit(rows, limit);
      next = isLast ? Promise.resolve([]) : readAfter(query, table, valuesOf(last, table.key), limit);
      // Told of when it is waited for.
      next.catch(() => {});
      yield rows;
    }
  } finally {
    await next.catch(() => {});
  }
}

async function readAfter(
  query: QueryExecutorProvider,
  table: CopiedTable,
  after: readonly unknown[] | undefined,
  limit: number,
): Promise<readonly CopiedRow[]> {
  const columns = sql.join(Object.keys(table.columns).map((column) => sql.id(column)));
  const key = sql.join(table.key.map((column) => sql.id(column)));
  const where = after === undefined ? sql`` : sql`where (${key}) > (${sql.join(after)})`;
  const select = sql<CopiedRow>`select ${columns} from ${sql.id(table.name)} ${where} order by ${key} limit ${limit}`;
  return (await select.execute(query)).rows;
}

function nextLimit(rows: readonly CopiedRow[], limit: number): number {
  const bytes = rows.reduce((sum, row) => sum + sizeOf(row), 0);
  const fitting = Math.floor((BYTES * rows.length) / Math.max(bytes, 1));
  return Math.max(1, Math.min(fitting, limit * GROWTH, MAX_ROWS));
}

function sizeOf(row: CopiedRow): number {
  let size = 0;
  for (const value of Object.values(row)) {
    size += typeof value === "string" || value instanceof Uint8Array ? value.length : 8;
  }
  return size;
}
