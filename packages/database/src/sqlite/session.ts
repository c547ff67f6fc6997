import type { Database, Statement as PreparedStatement } from "better-sqlite3";
import type { Statement } from "../database.js";
import { Sqlite } from "./load-sqlite.js";

/** The result of a statement. */
export interface StatementResult {
  rows: unknown[];
  /** How many rows were changed; undefined for a statement that reads. */
  changes?: number;
}

// A process runs the same few dozen statements repeatedly; the limit is for statements that are built dynamically.
const MAX_STATEMENTS = 500;
const BUSY_TIMEOUT_MS = 10_000;
const MIB = 2 ** 20;
// Enough for a small container.
const CACHE_BYTES = 16 * MIB;

/** A connection of this thread to an SQLite file, or to a database in memory. */
export class Session {
  readonly #db: Database;
  readonly #statements = new Map<string, PreparedStatement>();

  /** "look" opens a file without changes, and writes nothing; "read" is for a file that this process also writes. */
  constructor(file: string | undefined, mode: "read" | "write" | "look") {
    this.#db = new Sqlite(file ?? ":memory:", {
      readonly: mode === "read",
      // A file is created before it is opened, so that no other user can read it.
      fileMustExist: file !== undefined,
      timeout: BUSY_TIMEOUT_MS,
    });
    try {
      // A negative size is in KiB.
      this.#db.pragma(`cache_size = ${-CACHE_BYTES / 1024}`);
      // Not opened read-only: SQLite would not remove the log and its index.
      if (mode === "look") this.#db.pragma("query_only = ON");
      if (mode === "write") this.#prepareToWrite();
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  #prepareToWrite(): void {
    this.#db.pragma("journal_mode = WAL");
    // With less, an acknowledged commit could be lost in a power failure.
    this.#db.pragma("synchronous = FULL");
    this.#db.pragma("foreign_keys = ON");
    // A page that many commits change is written back once, instead of after every thousand pages of the log.
    this.#db.pragma("wal_autocheckpoint = 4000");
    // A burst creates a large log; it is truncated at the next checkpoint.
    this.#db.pragma("journal_size_limit = 67108864");
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction;
  }

  pragma(text: string): unknown {
    return this.#db.pragma(text, { simple: true });
  }

  run({ sql, parameters }: Statement): StatementResult {
    const statement = this.#prepared(sql);
    if (statement.reader) return { rows: statement.all(...parameters) };
    return { rows: [], changes: statement.run(...parameters).changes };
  }

  runAll({ texts, order, values }: StatementBatch): unknown[][] {
    const prepared = texts.map(({ sql, count }) => ({ statement: this.#prepared(sql), count }));
    return this.transaction(() => {
      const rows: unknown[][] = [];
      let at = 0;
      for (const text of order) {
        const { statement, count } = prepared[text] ?? missing();
        const parameters = values.slice(at, at + count);
        at += count;
        if (statement.reader) rows.push(statement.all(parameters));
        else statement.run(parameters);
      }
      return rows;
    });
  }

  /** Runs work in a transaction, which is rolled back if it throws. */
  transaction<Result>(work: () => Result): Result {
    // Locks at once: a transaction that reads first would fail if the file has changed when it writes.
    return this.#db.transaction(work).immediate();
  }

  close(): void {
    this.#db.close();
  }

  #prepared(sql: string): PreparedStatement {
    const known = this.#statements.get(sql);
    if (known) return known;
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function missing(): never {
  throw new Error("A batch names a statement that it does not have.");
}

/** Statements of a transaction: each text once, and all values in one array, as small ones are slower to send. */
export interface StatementBatch {
  readonly texts: readonly { readonly sql: string; readonly count: number }[];
  readonly order: readonly number[];
  readonly values: readonly unknown[];
}
