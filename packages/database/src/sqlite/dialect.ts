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
import type { Outcome, Runner } from "./session.js";
import type { Turns } from "./turns.js";

/**
 * SQLite for Kysely, with two connections: what only reads is answered in this thread at once; what writes, and all of
 * a transaction, takes its turn at the writer.
 */
export function sqliteDialect({ reader, writer, turns, close }: SqliteRunners): Dialect {
  return {
    createAdapter: () => new TransactionalAdapter(),
    createDriver: () => new SqliteDriver({ reader, writer, turns, close }),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** What the statements run on. */
export interface SqliteRunners {
  readonly reader: Runner;
  readonly writer: Runner;
  /** Whoever writes, or does more than one thing, takes a turn. */
  readonly turns: Turns;
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
  readonly #reader: Runner;
  readonly #writer: Runner;
  readonly #turns: Turns;
  readonly #close: () => Promise<void>;

  constructor({ reader, writer, turns, close }: SqliteRunners) {
    this.#reader = reader;
    this.#writer = writer;
    this.#turns = turns;
    this.#close = close;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#reader, this.#writer, this.#turns);
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
    // Whoever has a turn ends it first; nobody gets one any more.
    await this.#turns.take();
    await this.#close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #reader: Runner;
  readonly #writer: Runner;
  readonly #turns: Turns;
  #endTurn: (() => void) | undefined;
  /** Whether the writer is in the transaction. */
  #hasBegun = false;

  constructor(reader: Runner, writer: Runner, turns: Turns) {
    this.#reader = reader;
    this.#writer = writer;
    this.#turns = turns;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#endTurn) return toResult(await this.#runWithin(query));
    // In memory there is one connection only, and what a transaction has not committed is not for others to see.
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
    throw new Error("Nothing is streamed from SQLite: ask for the rows in pieces.");
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
      // SQLite has rolled back by itself, or is gone. What went wrong before is what the caller is told.
    }
    this.release();
  }

  release(): void {
    this.#endTurn?.();
    this.#endTurn = undefined;
    this.#hasBegun = false;
  }

  /** A transaction begins with its first statement: to wait for the writer by itself would take it half as long again. */
  async #runWithin(query: CompiledQuery): Promise<Outcome> {
    if (this.#hasBegun) return this.#writer.run(query);
    const outcome = await this.#writer.begin(query);
    this.#hasBegun = true;
    return outcome;
  }
}

function toResult<Row>({ rows, changes }: Outcome): QueryResult<Row> {
  return { rows: rows as Row[], ...(changes !== undefined && { numAffectedRows: BigInt(changes) }) };
}
