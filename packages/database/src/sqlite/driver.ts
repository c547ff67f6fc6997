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
import type { Statement } from "../database.js";
import { DatabaseError, hasCode } from "../errors.js";
import { damageFault, isDamage, toFault } from "./faults.js";
import type { Session, StatementResult } from "./session.js";
import { toBatch, type Writer } from "./writer.js";

/** Why a database cannot be used now, as observed by all of its connections. */
export class Soundness {
  readonly #name: string;
  /** Damage ends all reads and writes: a damaged file may accept writes that no reader finds again. */
  #damage: DatabaseError | undefined;
  fault: DatabaseError | undefined;
  /** Whether reads are refused while there is a fault: the file holds another database. */
  isOverwritten = false;
  /** Called if a commit finds that the file was moved. */
  onMoved: () => void = () => {};

  /** @param name The database's name in errors: its file, or "in memory". */
  constructor(name: string) {
    this.#name = name;
  }

  /** Runs work on a connection. Every error names the database and, if it cannot be used, the next step. */
  async guard<Result>(access: "read" | "write", work: () => Result | Promise<Result>): Promise<Result> {
    if (this.#damage) throw this.#damage;
    if (this.fault && (access === "write" || this.isOverwritten)) throw this.fault;
    let result: Result;
    try {
      result = await work();
    } catch (error) {
      throw this.#noted(error);
    }
    // Another connection may have detected damage during this write.
    if (this.#damage) throw this.#damage;
    return result;
  }

  #noted(error: unknown): unknown {
    if (error instanceof DatabaseError && hasCode(error, "moved")) {
      this.fault ??= error;
      this.onMoved();
    }
    if (isDamage(error)) this.#damage ??= damageFault(this.#name, error);
    return this.#damage ?? toFault(this.#name, error);
  }
}

interface Connections {
  readonly reader: Session;
  /** The same as the reader for a database in memory, or one that is opened for inspection. */
  readonly writer: Session | Writer;
  readonly soundness: Soundness;
  close(): Promise<void>;
}

interface SqliteConnection extends DatabaseConnection {
  /** Ends this writer's turn; undefined outside of a transaction. */
  endTurn: (() => void) | undefined;
}

/** Runs Kysely's statements: reads run in this thread at once; writes and transactions take turns with the writer. */
export class SqliteDriver implements Driver {
  readonly #connections: Connections;
  #lastTurn: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  get dialect(): Dialect {
    return {
      createAdapter: () => new TransactionalAdapter(),
      createDriver: () => this,
      createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    this.#needOpen();
    const connection: SqliteConnection = {
      endTurn: undefined,
      executeQuery: async <Row>(query: CompiledQuery) =>
        toResult<Row>(await (connection.endTurn ? this.#write(query) : this.#runAlone(query))),
      streamQuery() {
        throw new Error("SQLite does not stream rows here: read them in pages.");
      },
    };
    return connection;
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    connection.endTurn = await this.#takeTurn();
    await this.#write({ sql: "begin immediate", parameters: [] });
  }

  async commitTransaction(): Promise<void> {
    await this.#write({ sql: "commit", parameters: [] });
  }

  /** Also ends a transaction that began before the database became unusable. */
  async rollbackTransaction(): Promise<void> {
    try {
      await this.#connections.writer.run({ sql: "rollback", parameters: [] });
    } catch {
      // SQLite has already rolled back, or is closed. The caller receives the original error.
    }
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    connection.endTurn?.();
  }

  readonly writeAll = async (statements: readonly Statement[]): Promise<unknown[][]> => {
    this.#needOpen();
    const { writer, soundness } = this.#connections;
    // A single request to the writer does not need its own turn.
    await this.#lastTurn;
    return soundness.guard("write", () => writer.runAll(toBatch(statements)));
  };

  destroy(): Promise<void> {
    this.#closed ??= this.#takeTurn().then((end) => this.#connections.close().finally(end));
    return this.#closed;
  }

  #needOpen(): void {
    if (this.#closed) throw new DatabaseError("closed", "The database is closed.");
  }

  async #runAlone(query: CompiledQuery): Promise<StatementResult> {
    const { reader, writer, soundness } = this.#connections;
    // In memory there is only one connection, on which a read would see uncommitted changes.
    if (/^\s*select\b/i.test(query.sql) && reader !== writer) {
      return soundness.guard("read", () => reader.run(query));
    }
    const endTurn = await this.#takeTurn();
    return this.#write(query).finally(endTurn);
  }

  #write(statement: Statement): Promise<StatementResult> {
    const { writer, soundness } = this.#connections;
    return soundness.guard("write", () => writer.run(statement));
  }

  async #takeTurn(): Promise<() => void> {
    const before = this.#lastTurn;
    let end: () => void = () => {};
    this.#lastTurn = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    return end;
  }
}

/** Enables transactional migrations for SQLite, which Kysely's adapter disables; the transaction is also their lock. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function toResult<Row>({ rows, changes }: StatementResult): QueryResult<Row> {
  return { rows: rows as Row[], ...(changes !== undefined && { numAffectedRows: BigInt(changes) }) };
}
