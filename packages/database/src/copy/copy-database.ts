import { type QueryExecutorProvider, sql } from "kysely";
import type { Database, Statement } from "../database.js";
import { type CopiedTable, countOn, insertRows, keyOf, readPages, sumUp } from "./tables.js";

/** Why a database is not copied. */
export type CopyErrorCode =
  /** The source does not exist, or is not an SQLite file. */
  | "source"
  /** The target is not PostgreSQL. */
  | "target"
  /** A process has the source open, and might write to it. */
  | "in-use"
  /** The target holds rows that were not copied there. */
  | "not-empty"
  /** The target was begun as a copy of another database. */
  | "another-source";

/** A database that is not copied: the message says why and what to do, and holds no URL. */
export class CopyError extends Error {
  override readonly name = "CopyError";
  readonly code: CopyErrorCode;

  constructor(code: CopyErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Options of {@link copyDatabase}. */
export interface CopyOptions<Tables> {
  /** In SQLite. */
  readonly from: Database<Tables>;
  /** In PostgreSQL, with the same tables. */
  readonly to: Database<Tables>;
  /** The owner of the tables. */
  readonly owner: string;
  /** Identifies the source, so that two are never mixed. */
  readonly source: string;
  /** All tables; one that refers to another stands after it. */
  readonly tables: readonly CopiedTable[];
  /** Prepares the target, after it was checked. */
  prepare?(): Promise<unknown>;
  /** Called repeatedly with the progress. */
  onStep(step: CopyStep): void;
}

/** The progress of a copy. */
export interface CopyStep {
  readonly work: "copy" | "check";
  readonly table: string;
  readonly rows: number;
  /** How many rows the source has. */
  readonly total: number;
  /** How many rows an earlier run had copied. */
  readonly before: number;
  readonly isDone: boolean;
}

/** A table after both databases were read. */
interface ComparedTable {
  readonly name: string;
  /** How many rows the source has. */
  readonly rows: number;
  /** How many rows the target has. */
  readonly copiedRows: number;
  /** Whether they are the same rows, with the same values. */
  readonly isSame: boolean;
}

/** The result of a copy. */
export interface CopyResult {
  readonly tables: readonly ComparedTable[];
  /** Whether there was nothing left to copy. */
  readonly wasThere: boolean;
}

/**
 * Copies tables from SQLite into a database in PostgreSQL that has them and is empty, and then compares all rows. After an
 * interruption, the next call resumes the copy.
 *
 * @throws {CopyError} if the target holds anything else.
 */
export async function copyDatabase<Tables>(options: CopyOptions<Tables>): Promise<CopyResult> {
  const { from, to, tables, prepare, onStep } = options;
  const progress = await beginProgress(options);
  await prepare?.();
  // The transaction shows one state of the file, and lets no other process write to it.
  return from.query.transaction().execute(async (source) => {
    const compared: ComparedTable[] = [];
    const totals = new Map<string, number>();
    for (const { name } of tables) totals.set(name, await countRows(source, name));
    const reporter = (work: CopyStep["work"], table: string, before: number) => (rows: number, isDone: boolean) =>
      onStep({ work, table, rows, total: totals.get(table) ?? 0, before, isDone });
    for (const table of tables) {
      const begun = progress.get(table.name) ?? { rows: 0, isDone: false };
      if (!begun.isDone) await copyTable(source, options, table, begun, reporter("copy", table.name, begun.rows));
    }
    for (const table of tables) {
      const report = reporter("check", table.name, 0);
      const wanted = await sumUp(source, table, () => report(0, false));
      const found = await sumUp(to.query, table, (rows) => report(rows, false));
      report(found.rows, true);
      const isSame = wanted.rows === found.rows && wanted.sum === found.sum;
      compared.push({ name: table.name, rows: wanted.rows, copiedRows: found.rows, isSame });
    }
    return { tables: compared, wasThere: tables.every(({ name }) => progress.get(name)?.isDone) };
  });
}

async function copyTable<Tables>(
  source: QueryExecutorProvider,
  { to, owner, source: name }: CopyOptions<Tables>,
  table: CopiedTable,
  begun: TableProgress,
  report: (rows: number, isDone: boolean) => void,
): Promise<void> {
  let { rows, lastKey } = begun;
  const note = (isDone: boolean): Statement => ({
    sql: `insert into ${progressTable(owner)} (table_name, source, last_key, row_count, is_done) values ($1, $2, $3, $4, $5)
      on conflict (table_name) do update set last_key = excluded.last_key, row_count = excluded.row_count, is_done = excluded.is_done`,
    parameters: [table.name, name, lastKey === undefined ? null : JSON.stringify(lastKey), rows, isDone ? 1 : 0],
  });
  report(rows, false);
  for await (const page of readPages(source, table, lastKey)) {
    const last = page.at(-1);
    if (last) lastKey = keyOf(last, table);
    rows += page.length;
    await to.writeAll([insertRows(table, page), note(false)]);
    report(rows, false);
  }
  await to.writeAll([...countOn(table), note(true)]);
  report(rows, true);
}

async function countRows(source: QueryExecutorProvider, name: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.id(name)}`.execute(source);
  return rows[0]?.n ?? 0;
}

/** How far a table was copied. It is stored in the target, in the same transactions as the rows. */
interface TableProgress {
  /** The key of the last row that was copied; undefined before the first. */
  readonly lastKey?: readonly unknown[] | undefined;
  readonly rows: number;
  readonly isDone: boolean;
}

const progressTable = (owner: string): string => `"${owner}_copy"`;

/** Begins a copy, or resumes one: returns the progress of each table. */
async function beginProgress<Tables>(options: CopyOptions<Tables>): Promise<ReadonlyMap<string, TableProgress>> {
  const { to, owner, source, tables } = options;
  const table = sql.raw(progressTable(owner));
  await sql`create table if not exists ${table} (table_name text primary key, source text not null, last_key text, row_count bigint not null, is_done integer not null)`.execute(
    to.query,
  );
  interface Row {
    table_name: string;
    source: string;
    last_key: string | null;
    row_count: number;
    is_done: number;
  }
  const read = () => sql<Row>`select * from ${table} order by source`.execute(to.query);
  if ((await read()).rows.length === 0) {
    await refuseRows(options);
    const emptied = tables.filter(({ hasFirstRows }) => hasFirstRows);
    await to.writeAll([
      ...emptied.map(({ name }) => sql`delete from ${sql.id(name)}`.compile(to.query)),
      ...tables.map(({ name }) =>
        sql`insert into ${table} (table_name, source, row_count, is_done) values (${name}, ${source}, 0, 0) on conflict do nothing`.compile(
          to.query,
        ),
      ),
    ]);
  }
  const { rows } = await read();
  const other = rows.find((row) => row.source !== source);
  if (other) {
    const message = `The target was begun as a copy of another store (${other.source}), and this is ${source}. Copy into a new, empty database.`;
    throw new CopyError("another-source", message);
  }
  return new Map(
    rows.map(({ table_name, last_key, row_count, is_done }) => [
      table_name,
      { lastKey: last_key === null ? undefined : readKey(last_key), rows: row_count, isDone: is_done === 1 },
    ]),
  );
}

async function refuseRows<Tables>({ to, tables }: CopyOptions<Tables>): Promise<void> {
  const filled: string[] = [];
  for (const { name, hasFirstRows } of tables) {
    const { rows } = await sql`select 1 from ${sql.id(name)} limit 1`.execute(to.query);
    if (rows.length > 0 && !hasFirstRows) filled.push(name);
  }
  if (filled.length === 0) return;
  const message = `The target is not empty: there are rows in ${filled.join(", ")}. Copy into a new, empty database.`;
  throw new CopyError("not-empty", message);
}

function readKey(text: string): readonly unknown[] {
  const key: unknown = JSON.parse(text);
  if (!Array.isArray(key)) throw new Error(`The key of the last copied row must be a list, but is ${text}.`);
  return key;
}
