import assert from "node:assert/strict";
import { Sqlite } from "@media-ops/database/load-sqlite";
import type { Database, Statement, Transaction } from "better-sqlite3";
import { type EndRow, makeEndRow, sqliteEnd } from "../databases/end-rows.js";
import type { Rate } from "../load/load.js";
import { openFeeder } from "../service/feeder.js";

// So many make a commit of the service's when many come at once.
const BATCH = 64;

/** The rows that the ends of connections leave behind, written as durably as by the service, with nothing around it. */
export class RawRows {
  readonly #database: Database;
  readonly #writeBatch: Transaction<(rows: readonly EndRow[]) => void>;
  #written = 0;

  private constructor(database: Database) {
    this.#database = database;
    database.pragma("synchronous = full");
    database.pragma("wal_autocheckpoint = 4000");
    const statements = Object.values(sqliteEnd).map(({ sql, parameters }): [Statement, typeof parameters] => [
      database.prepare(sql),
      parameters,
    ]);
    this.#writeBatch = database.transaction((rows: readonly EndRow[]) => {
      for (const row of rows) for (const [statement, parameters] of statements) statement.run(parameters(row));
    });
  }

  static async open(file: string): Promise<RawRows> {
    // The service makes its tables.
    await (await openFeeder(`sqlite:${file}`)).close();
    return new RawRows(new Sqlite(file));
  }

  /** Writes as many ends as there are requests. */
  async rate(lines: Iterable<readonly Buffer[]>): Promise<Rate> {
    const rows = [...lines].flat().map((_, at) => makeEndRow(this.#written + at + 1));
    const started = performance.now();
    for (let from = 0; from < rows.length; from += BATCH) this.#writeBatch.immediate(rows.slice(from, from + BATCH));
    const ms = performance.now() - started;
    this.#written += rows.length;
    return { perSecond: (rows.length / ms) * 1000, count: rows.length, bytes: 0, times: [] };
  }

  /** Throws unless all is there, as durably as it is to be. */
  check(): void {
    const one = (sql: string): unknown => this.#database.prepare(sql).pluck().get();
    assert.equal(one("select count(*) from log_entry"), this.#written);
    assert.equal(one("select count(*) from ended"), this.#written);
    assert.deepEqual([one("pragma journal_mode"), one("pragma synchronous")], ["wal", 2]);
  }

  close(): void {
    this.#database.close();
  }
}
