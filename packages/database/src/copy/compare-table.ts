import type { QueryExecutorProvider } from "kysely";
import type { CopiedTable } from "./copied-table.js";
import { readPieces } from "./read-pieces.js";
import { RowSum } from "./row-sum.js";

/** A table in both databases, read and added up. */
export interface ComparedTable {
  readonly name: string;
  /** How many rows the source has. */
  readonly rows: number;
  /** How many rows the target has. */
  readonly copiedRows: number;
  /** Whether they are the same rows, with the same values. */
  readonly isSame: boolean;
}

/** Reads a table from both sides at once, whole. */
export async function compareTable(
  from: QueryExecutorProvider,
  to: QueryExecutorProvider,
  table: CopiedTable,
  onRows: (rows: number) => void,
): Promise<ComparedTable> {
  const [source, target] = [new RowSum(Object.keys(table.columns)), new RowSum(Object.keys(table.columns))];
  let hasFailed = false;
  const addUp = async (query: QueryExecutorProvider, sum: RowSum): Promise<void> => {
    try {
      for await (const rows of readPieces(query, table)) {
        // What the other side has is of no use any more.
        if (hasFailed) return;
        for (const row of rows) sum.add(row);
        // As far as the slower one has come.
        onRows(Math.min(source.rows, target.rows));
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  // One that fails is told of when the other has ended, too: nobody reads any more then.
  for (const ended of await Promise.allSettled([addUp(from, source), addUp(to, target)])) {
    if (ended.status === "rejected") throw ended.reason;
  }
  return {
    name: table.name,
    rows: source.rows,
    copiedRows: target.rows,
    isSame: source.rows === target.rows && source.value === target.value,
  };
}
