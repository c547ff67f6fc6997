import { type QueryExecutorProvider, sql } from "kysely";
import type { Database } from "../open.js";
import { type ComparedTable, compareTable } from "./compare-table.js";
import { type CopiedTable, valuesOf } from "./copied-table.js";
import { CopyProgress, type TableProgress } from "./copy-progress.js";
import { countOn, insertRows } from "./insert-rows.js";
import { readPieces } from "./read-pieces.js";

/** Options of {@link copyDatabase}. */
export interface CopyOptions<Tables> {
  readonly from: Database<Tables>;
  readonly to: Database<Tables>;
  /** Whose tables they are. */
  readonly owner: string;
  /** Names the database that is copied, so that no other is mixed with it. */
  readonly source: string;
  /** What is copied, one after another: a table behind those that it refers to. */
  readonly tables: readonly CopiedTable[];
  /** Makes the target ready, once it is known that it may be written. */
  prepare?(): Promise<unknown>;
  /** Told again and again how far it is. */
  onStep(step: CopyStep): void;
}

/** How far a copy is. */
export interface CopyStep {
  readonly work: "copy" | "check";
  readonly table: string;
  readonly rows: number;
  /** How many rows there are to be. */
  readonly total: number;
  /** How many of them were there before. */
  readonly before: number;
  readonly isDone: boolean;
}

/** What a copy has come to. */
export interface CopyResult {
  readonly tables: readonly ComparedTable[];
  /** Whether there was nothing left to copy. */
  readonly wasThere: boolean;
}

/**
 * Copies tables into a database that has them and is empty, and then compares all rows. It may be interrupted at any
 * moment, and goes on there when it is called again.
 *
 * @throws {CopyError} where the target holds anything else.
 */
export async function copyDatabase<Tables>(options: CopyOptions<Tables>): Promise<CopyResult> {
  const { from, to, tables, prepare, onStep } = options;
  const progress = await CopyProgress.begin(options);
  await prepare?.();
  return readInPeace(from, async (source) => {
    const before = await progress.read();
    const totals = new Map<CopiedTable, number>();
    for (const table of tables) totals.set(table, await countRows(source, table));
    const tell = (work: CopyStep["work"], table: CopiedTable, rows: number, from: number, isDone: boolean): void =>
      onStep({ work, table: table.name, rows, total: totals.get(table) ?? 0, before: from, isDone });
    for (const table of tables) {
      const begun = before.get(table.name);
      if (!begun || begun.isDone) continue;
      const noted = (rows: number, isDone: boolean): void => tell("copy", table, rows, begun.rows, isDone);
      await copyTable({ source, to, table, begun, progress, noted });
    }
    const compared: ComparedTable[] = [];
    for (const table of tables) {
      const found = await compareTable(source, to.query, table, (rows) => tell("check", table, rows, 0, false));
      tell("check", table, found.copiedRows, 0, true);
      compared.push(found);
    }
    return { tables: compared, wasThere: [...before.values()].every(({ isDone }) => isDone) };
  });
}

interface TableCopy<Tables> {
  readonly source: QueryExecutorProvider;
  readonly to: Database<Tables>;
  readonly table: CopiedTable;
  readonly begun: TableProgress;
  readonly progress: CopyProgress<Tables>;
  noted(rows: number, isDone: boolean): void;
}

async function copyTable<Tables>({ source, to, table, begun, progress, noted }: TableCopy<Tables>): Promise<void> {
  let { rows, lastKey } = begun;
  noted(rows, false);
  for await (const piece of readPieces(source, table, lastKey)) {
    const last = piece.at(-1);
    if (last) lastKey = valuesOf(last, table.key);
    rows += piece.length;
    await to.writeAll([...insertRows(to.kind, table, piece), progress.note(table, { lastKey, rows, isDone: false })]);
    noted(rows, false);
  }
  await to.writeAll([...countOn(to.kind, table), progress.note(table, { lastKey, rows, isDone: true })]);
  noted(rows, true);
}

async function countRows(source: QueryExecutorProvider, { name }: CopiedTable): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.id(name)}`.execute(source);
  return rows[0]?.n ?? 0;
}

/** Reads all as of one moment. An SQLite file is not written by anyone until that is done. */
async function readInPeace<Tables, Result>(
  { kind, query }: Database<Tables>,
  work: (source: QueryExecutorProvider) => Promise<Result>,
): Promise<Result> {
  return query.transaction().execute(async (transaction) => {
    if (kind === "postgres") {
      const settings = [
        "transaction isolation level repeatable read, read only",
        "local statement_timeout = 0",
        "local idle_in_transaction_session_timeout = 0",
      ];
      for (const setting of settings) await sql.raw(`set ${setting}`).execute(transaction);
    }
    return work(transaction);
  });
}
