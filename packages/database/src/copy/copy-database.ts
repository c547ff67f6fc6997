import { type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from "kysely";
import type { Database } from "../database.js";
import { DatabaseError } from "../errors.js";
import { type CopiedTable, countOn, countRows, insertRows, isEmpty, keyOf, readPages, sumUp } from "./tables.js";

/** A database whose tables are copied. */
export interface CopySource<Tables> extends Pick<Database<Tables>, "fingerprint" | "close"> {
  readonly query: Kysely<Tables>;
  /** Blocks writes by other processes until the transaction ends, unless each transaction does. */
  hold?(transaction: Kysely<Tables>): Promise<void>;
}

/** Options of {@link copyDatabase}. */
export interface CopyOptions<Tables> {
  readonly from: CopySource<Tables>;
  readonly to: Database<Tables>;
  readonly owner: string;
  /** Identifies the source, so that two sources are never mixed. */
  readonly source: string;
  readonly tables: readonly CopiedTable[];
  /** Prepares the target beyond the migrations, after it was checked. */
  prepare?(target: Database<Tables>): Promise<unknown>;
  onStep(step: CopyStep): void;
}

/** The progress of a copy. */
export interface CopyStep {
  readonly work: "copy" | "check";
  readonly table: string;
  readonly rows: number;
  readonly total: number;
  readonly before: number;
  readonly isDone: boolean;
}

/** The result of a copy. */
export interface CopyResult {
  /** Each table with its rows in the source and in the target, and whether both have the same rows and values. */
  readonly tables: readonly { name: string; rows: number; copiedRows: number; isSame: boolean }[];
  readonly wasThere: boolean;
}

/** Copies tables into an empty PostgreSQL database, and compares all rows; goes on if it was interrupted. */
export async function copyDatabase<Tables>(options: CopyOptions<Tables>): Promise<CopyResult> {
  const { from, to, tables, prepare, onStep } = options;
  const progress = await beginProgress(options);
  await prepare?.(to);
  // All pages are read from the same state: nothing else writes until the transaction ends.
  return from.query.transaction().execute(async (source) => {
    await from.hold?.(source);
    const compared: CopyResult["tables"][number][] = [];
    for (const table of tables) {
      const { name } = table;
      const begun = progress.get(name) ?? { rows: 0, isDone: false };
      const total = await countRows(source, name);
      if (!begun.isDone) {
        await copyTable(source, options, table, begun, (rows, isDone) =>
          onStep({ work: "copy", table: name, rows, total, before: begun.rows, isDone }),
        );
      }
      const report = (rows: number, isDone = false): void =>
        onStep({ work: "check", table: name, rows, total, before: 0, isDone });
      const wanted = await sumUp(source, table, () => report(0));
      const found = await sumUp(to.query, table, report);
      report(found.rows, true);
      const isSame = wanted.rows === found.rows && wanted.sum === found.sum;
      compared.push({ name, rows: wanted.rows, copiedRows: found.rows, isSame });
    }
    return { tables: compared, wasThere: tables.every(({ name }) => progress.get(name)?.isDone) };
  });
}

async function copyTable<Tables>(
  source: QueryExecutorProvider,
  { to, owner }: CopyOptions<Tables>,
  table: CopiedTable,
  begun: TableProgress,
  report: (rows: number, isDone: boolean) => void,
): Promise<void> {
  let { rows, lastKey } = begun;
  const writeAndNote = async (statements: readonly RawBuilder<unknown>[], isDone: boolean): Promise<void> => {
    const note = sql`update ${progressTable(owner)}
      set last_key = ${lastKey === undefined ? null : JSON.stringify(lastKey)}, row_count = ${rows}, is_done = ${isDone ? 1 : 0}
      where table_name = ${table.name}`;
    await to.writeAll([...statements.map((one) => one.compile(to.query)), note.compile(to.query)]);
    report(rows, isDone);
  };
  report(rows, false);
  for await (const page of readPages(source, table, lastKey)) {
    const last = page.at(-1);
    if (last) lastKey = keyOf(last, table);
    rows += page.length;
    await writeAndNote([insertRows(table, page)], false);
  }
  await writeAndNote(countOn(table), true);
}

/** The progress of a table's copy. It is stored in the target, in the same transactions as the rows. */
interface TableProgress {
  readonly lastKey?: readonly unknown[] | undefined;
  readonly rows: number;
  readonly isDone: boolean;
}

const progressTable = (owner: string) => sql.id(`${owner}_copy`);

async function beginProgress<Tables>(options: CopyOptions<Tables>): Promise<ReadonlyMap<string, TableProgress>> {
  const { to, owner, source, tables } = options;
  const table = progressTable(owner);
  await sql`create table if not exists ${table} (table_name text primary key, source text not null, last_key text, row_count bigint not null, is_done integer not null)`.execute(
    to.query,
  );
  const select = sql<{
    table_name: string;
    source: string;
    last_key: string | null;
    row_count: number;
    is_done: number;
  }>`select * from ${table} order by source`;
  if ((await select.execute(to.query)).rows.length === 0) {
    await needEmpty(options);
    const first = tables.flatMap(({ name, hasFirstRows }) => [
      ...(hasFirstRows ? [sql`delete from ${sql.id(name)}`] : []),
      sql`insert into ${table} (table_name, source, row_count, is_done) values (${name}, ${source}, 0, 0) on conflict do nothing`,
    ]);
    await to.writeAll(first.map((one) => one.compile(to.query)));
  }
  const { rows } = await select.execute(to.query);
  const other = rows.find((row) => row.source !== source);
  if (other) {
    const message = `The target was begun as a copy of another store (${other.source}), and this is ${source}. Copy into a new, empty database.`;
    throw new DatabaseError("copy", message);
  }
  return new Map(
    rows.map(({ table_name, last_key, row_count, is_done }) => [
      table_name,
      { lastKey: last_key === null ? undefined : readKey(last_key), rows: row_count, isDone: is_done === 1 },
    ]),
  );
}

async function needEmpty<Tables>({ to, tables }: CopyOptions<Tables>): Promise<void> {
  const filled: string[] = [];
  for (const { name, hasFirstRows } of tables) {
    if (!hasFirstRows && !(await isEmpty(to.query, name))) filled.push(name);
  }
  if (filled.length === 0) return;
  const message = `The target is not empty: there are rows in ${filled.join(", ")}. Copy into a new, empty database.`;
  throw new DatabaseError("copy", message);
}

function readKey(text: string): readonly unknown[] {
  const key: unknown = JSON.parse(text);
  if (!Array.isArray(key)) throw new Error(`The key of the last copied row must be a list, but is ${text}.`);
  return key;
}
