import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Runner, StatementResult } from "./session.js";

/**
 * SQLite for Kysely, with two connections: reads run in this thread at once; writes and transactions wait for their turn
 * at the writer.
 */
export function sqliteDialect(runners: SqliteRunners): Dialect {
  return {
    createAdapter: () => new TransactionalAdapter(),
    createDriver: () => new SqliteDriver(runners),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** The connections that statements run on. */
export interface SqliteRunners {
  readonly reader: Runner;
  readonly writer: Runner;
  /** A write, and a transaction, takes a turn. */
  readonly turns: WriterTurns;
  /** Closes both. */
  close(): Promise<void>;
}

/** Kysely does not run SQLite's migrations within a transaction, though SQLite could; it is also their lock. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class SqliteDriver implements Driver {
  readonly #runners: SqliteRunners;

  constructor(runners: SqliteRunners) {
    this.#runners = runners;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#runners);
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    await connection.rollback();
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    // Running work ends first; no more begins.
    await this.#runners.turns.take();
    await this.#runners.close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #reader: Runner;
  readonly #writer: Runner;
  readonly #turns: WriterTurns;
  #endTurn: (() => void) | undefined;
  /** Whether the writer is in the transaction. */
  #hasBegun = false;

  constructor({ reader, writer, turns }: SqliteRunners) {
    this.#reader = reader;
    this.#writer = writer;
    this.#turns = turns;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#endTurn) return toResult(await this.#runWithin(query));
    // In memory there is only one connection, on which a read would see what a transaction has not committed.
    if (query.query.kind === "SelectQueryNode" && this.#reader !== this.#writer) {
      return toResult(await this.#reader.run(query));
    }
    const endTurn = await this.#turns.take();
    try {
      return toResult(await this.#writer.run(query));
    } finally {
      endTurn();
    }
  }

  streamQuery(): never {
    throw new Error("SQLite does not stream rows here: read them in pages.");
  }

  async begin(): Promise<void> {
    this.#endTurn = await this.#turns.take();
  }

  async commit(): Promise<void> {
    if (this.#hasBegun) await this.#writer.run({ sql: "commit", parameters: [] });
    this.release();
  }

  async rollback(): Promise<void> {
    try {
      if (this.#hasBegun) await this.#writer.run({ sql: "rollback", parameters: [] });
    } catch {
      // SQLite has rolled back by itself, or is gone. The caller receives the error before.
    }
    this.release();
  }

  release(): void {
    this.#endTurn?.();
    this.#endTurn = undefined;
    this.#hasBegun = false;
  }

  /** A transaction begins with its first statement: a separate "begin" would take it half as long again. */
  async #runWithin(query: CompiledQuery): Promise<StatementResult> {
    if (this.#hasBegun) return this.#writer.run(query);
    const outcome = await this.#writer.begin(query);
    this.#hasBegun = true;
    return outcome;
  }
}

function toResult<Row>({ rows, changes }: StatementResult): QueryResult<Row> {
  return { rows: rows as Row[], ...(changes !== undefined && { numAffectedRows: BigInt(changes) }) };
}

/** Gives callers that need the writer for more than one statement their turns, in order. */
export class WriterTurns {
  #last: Promise<void> = Promise.resolve();

  /** Waits for a turn; returns a function that ends it. */
  async take(): Promise<() => void> {
    const before = this.#last;
    let end: () => void = () => {};
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    return end;
  }

  /** Waits until all earlier turns have ended. A single write that follows needs no turn of its own. */
  pass(): Promise<void> {
    return this.#last;
  }
}
