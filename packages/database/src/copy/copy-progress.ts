import { type RawBuilder, sql } from "kysely";
import type { Database } from "../open.js";
import type { Statement } from "../statement.js";
import type { CopiedTable } from "./copied-table.js";
import { CopyError } from "./copy-error.js";

/** How far a table has been copied. */
export interface TableProgress {
  /** The key of the last row that has been copied; undefined before the first. */
  readonly lastKey: readonly unknown[] | undefined;
  readonly rows: number;
  readonly isDone: boolean;
}

interface Options<Tables> {
  readonly to: Database<Tables>;
  /** Whose tables they are. */
  readonly owner: string;
  /** Which database is copied. */
  readonly source: string;
  readonly tables: readonly CopiedTable[];
}

const BEGINNING: TableProgress = { lastKey: undefined, rows: 0, isDone: false };

/**
 * How far a copy has come, kept in the target with what has been copied, and in the same transactions. So a copy may end
 * at any moment, and be gone on with.
 */
export class CopyProgress<Tables> {
  readonly #options: Options<Tables>;
  readonly #table: RawBuilder<unknown>;

  private constructor(options: Options<Tables>) {
    this.#options = options;
    this.#table = sql`${sql.id(`${options.owner}_copy`)}`;
  }

  /**
   * Begins a copy, or goes on with one.
   *
   * @throws {CopyError} where the target holds anything else.
   */
  static async begin<Tables>(options: Options<Tables>): Promise<CopyProgress<Tables>> {
    const progress = new CopyProgress(options);
    await sql`create table if not exists ${progress.#table} (table_name text primary key, source text not null, last_key text, row_count ${sql.raw(options.to.kind === "postgres" ? "bigint" : "integer")} not null, is_done integer not null)`.execute(
      options.to.query,
    );
    if ((await progress.#sources()).length === 0) await progress.#checkEmpty();
    await progress.#begin();
    const other = (await progress.#sources()).find((source) => source !== options.source);
    if (other !== undefined) {
      const message = `The target was begun as a copy of another store (${other}), and this is ${options.source}. Copy into a new, empty database.`;
      throw new CopyError("another-source", message);
    }
    return progress;
  }

  /** How far each table has come. */
  async read(): Promise<ReadonlyMap<string, TableProgress>> {
    interface Row {
      table_name: string;
      last_key: string | null;
      row_count: number;
      is_done: number;
    }
    const { rows } = await sql<Row>`select * from ${this.#table}`.execute(this.#options.to.query);
    const found = new Map(
      rows.map(({ table_name, last_key, row_count, is_done }) => [
        table_name,
        {
          lastKey: last_key === null ? undefined : readKey(last_key),
          rows: row_count,
          isDone: is_done === 1,
        },
      ]),
    );
    return new Map(this.#options.tables.map(({ name }) => [name, found.get(name) ?? BEGINNING]));
  }

  /** Notes how far a table has come; to be run with what brings it there. */
  note(table: CopiedTable, { lastKey, rows, isDone }: TableProgress): Statement {
    const key = lastKey === undefined ? null : JSON.stringify(lastKey);
    return sql`update ${this.#table} set last_key = ${key}, row_count = ${rows}, is_done = ${isDone ? 1 : 0} where table_name = ${table.name}`.compile(
      this.#options.to.query,
    );
  }

  async #sources(): Promise<string[]> {
    const found = sql<{ source: string }>`select distinct source from ${this.#table} order by source`;
    return (await found.execute(this.#options.to.query)).rows.map(({ source }) => source);
  }

  async #checkEmpty(): Promise<void> {
    const { to, tables } = this.#options;
    const filled: string[] = [];
    for (const { name, hasFirstRows } of tables) {
      const { rows } = await sql`select 1 from ${sql.id(name)} limit 1`.execute(to.query);
      if (rows.length > 0 && !hasFirstRows) filled.push(name);
    }
    if (filled.length === 0) return;
    const message = `The target is not empty: there are rows in ${filled.join(", ")}. Copy into a new, empty database.`;
    throw new CopyError("not-empty", message);
  }

  async #begin(): Promise<void> {
    const { to, source, tables } = this.#options;
    const isNew = (await this.#sources()).length === 0;
    const emptied = isNew ? tables.filter(({ hasFirstRows }) => hasFirstRows) : [];
    await to.writeAll([
      ...emptied.map(({ name }) => sql`delete from ${sql.id(name)}`.compile(to.query)),
      ...tables.map(({ name }) =>
        sql`insert into ${this.#table} (table_name, source, row_count, is_done) values (${name}, ${source}, 0, 0) on conflict do nothing`.compile(
          to.query,
        ),
      ),
    ]);
  }
}

function readKey(text: string): readonly unknown[] {
  const key: unknown = JSON.parse(text);
  if (!Array.isArray(key)) throw new Error("The key of the last row that has been copied is a list.");
  return key;
}
