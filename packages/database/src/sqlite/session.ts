import type { Database, Statement as PreparedStatement } from "better-sqlite3";
import type { Statement } from "../statement.js";
import type { Batch } from "./batch.js";
import { Sqlite } from "./load-sqlite.js";

/** What a statement gave. */
export interface Outcome {
  rows: unknown[];
  /** How many rows were changed; undefined for a statement that reads. */
  changes?: number;
}

/** Whoever runs statements one after another: a connection in this thread, or one in another. */
export interface Runner {
  run(statement: Statement): Outcome | Promise<Outcome>;
  /** Begins a transaction with its first statement, or does neither. */
  begin(first: Statement): Outcome | Promise<Outcome>;
  /** Runs all statements in one transaction, or none. Gives the rows of those that give rows, in their order. */
  runAll(batch: Batch): unknown[][] | Promise<unknown[][]>;
  close(): void | Promise<void>;
}

// A process asks the same few dozen statements over and over; the bound is for those who build them by hand.
const MAX_STATEMENTS = 500;
const BUSY_TIMEOUT_MS = 10_000;

/** A connection of this thread to an SQLite file, or to a database in memory. */
export class Session implements Runner {
  readonly #db: Database;
  readonly #statements = new Map<string, PreparedStatement>();

  /** @param mode "look" opens a file as it is, and writes nothing; "read" is for a file that this process writes, too. */
  constructor(file: string | undefined, mode: "read" | "write" | "look") {
    this.#db = new Sqlite(file ?? ":memory:", {
      readonly: mode === "read",
      // A file is created before it is opened, so that nobody else can read it.
      fileMustExist: file !== undefined,
      timeout: BUSY_TIMEOUT_MS,
    });
    try {
      this.#prepare(mode);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  #prepare(mode: "read" | "write" | "look"): void {
    this.#db.pragma("cache_size = -16000");
    if (mode === "read") return;
    if (mode === "look") {
      // Not opened for reading alone: that would leave a log and its index behind.
      this.#db.pragma("query_only = ON");
      return;
    }
    this.#db.pragma("journal_mode = WAL");
    // With less, a commit that was told done could be gone after the power failed.
    this.#db.pragma("synchronous = FULL");
    this.#db.pragma("foreign_keys = ON");
    // A page that many commits change is written back once, and not after each thousand pages of the log.
    this.#db.pragma("wal_autocheckpoint = 4000");
    // A burst leaves a large log behind; it is cut at the next checkpoint.
    this.#db.pragma("journal_size_limit = 67108864");
  }

  /** Whether a transaction has begun and not ended. */
  get inTransaction(): boolean {
    return this.#db.inTransaction;
  }

  /** What a pragma gives. */
  pragma(text: string): unknown {
    return this.#db.pragma(text, { simple: true });
  }

  run({ sql, parameters }: Statement): Outcome {
    const statement = this.#prepared(sql);
    if (statement.reader) return { rows: statement.all(...parameters) };
    return { rows: [], changes: statement.run(...parameters).changes };
  }

  begin(first: Statement): Outcome {
    return this.#within(() => this.run(first));
  }

  runAll({ texts, order, values }: Batch): unknown[][] {
    const prepared = texts.map(({ sql, count }) => ({ statement: this.#prepared(sql), count }));
    return this.#within(() => {
      const rows: unknown[][] = [];
      let at = 0;
      for (const text of order) {
        const { statement, count } = prepared[text] ?? missing();
        const parameters = values.slice(at, at + count);
        at += count;
        if (statement.reader) rows.push(statement.all(parameters));
        else statement.run(parameters);
      }
      this.run({ sql: "commit", parameters: [] });
      return rows;
    });
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  /** Begins a transaction, and takes it back where what is done in it fails. */
  #within<Result>(work: () => Result): Result {
    // Takes the lock at once: a transaction that reads first and then finds the file changed could only fail.
    this.run({ sql: "begin immediate", parameters: [] });
    try {
      return work();
    } catch (error) {
      if (this.#db.inTransaction) this.run({ sql: "rollback", parameters: [] });
      throw error;
    }
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
