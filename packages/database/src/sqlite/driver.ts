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
import { type Session, type StatementResult, toBatch } from "./session.js";
import type { Writer } from "./writer.js";

/** Why a database may not be used now, as far as any of its connections has seen. */
export class Soundness {
  readonly #name: string;
  /** Damage ends all reading and writing: a damaged file may accept writes that no reader finds again. */
  #damage: DatabaseError | undefined;
  /** Why nothing may be written now. */
  fault: DatabaseError | undefined;
  /** Whether nothing may be read as long as there is a fault: the file holds another database. */
  isOverwritten = false;
  /** Called when a commit finds that the file is not where it was. */
  onMoved: () => void = () => {};

  /** @param name How errors name the database: its file, or "in memory". */
  constructor(name: string) {
    this.#name = name;
  }

  /** Does work on a connection. Every error names the database and, if it cannot be used, what to do. */
  async guard<Result>(access: "read" | "write", work: () => Result | Promise<Result>): Promise<Result> {
    if (this.#damage) throw this.#damage;
    if (this.fault && (access === "write" || this.isOverwritten)) throw this.fault;
    let result: Result;
    try {
      result = await work();
    } catch (error) {
      throw this.#noted(error);
    }
    // Another connection may have seen damage while this one wrote.
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

/** The connections that statements run on. */
interface Connections {
  readonly reader: Session;
  /** The reader itself for a database in memory, or one that is only looked at. */
  readonly writer: Session | Writer;
  readonly soundness: Soundness;
  close(): Promise<void>;
}

/** A connection for Kysely. */
interface SqliteConnection extends DatabaseConnection {
  /** Lets the next writer begin; undefined outside of a transaction. */
  endTurn: (() => void) | undefined;
}

/** Runs Kysely's statements: reads run in this thread at once; writes and transactions take turns at the writer. */
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

  /** Also ends a transaction that began before the database could not be used any more. */
  async rollbackTransaction(): Promise<void> {
    try {
      await this.#connections.writer.run({ sql: "rollback", parameters: [] });
    } catch {
      // SQLite has rolled back by itself, or is gone. The caller receives the error before.
    }
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    connection.endTurn?.();
  }

  /** Runs statements in one transaction, all or none. */
  async writeAll(statements: readonly Statement[]): Promise<unknown[][]> {
    this.#needOpen();
    const { writer, soundness } = this.#connections;
    // One request to the writer needs no turn of its own.
    await this.#lastTurn;
    return soundness.guard("write", () => writer.runAll(toBatch(statements)));
  }

  /** Closes the connections once what has begun is done. */
  destroy(): Promise<void> {
    this.#closed ??= this.#takeTurn().then((end) => this.#connections.close().finally(end));
    return this.#closed;
  }

  #needOpen(): void {
    if (this.#closed) throw new DatabaseError("closed", "The database is closed.");
  }

  async #runAlone(query: CompiledQuery): Promise<StatementResult> {
    const { reader, writer, soundness } = this.#connections;
    // In memory there is only one connection, on which a read would see what a transaction has not committed.
    if (query.query.kind === "SelectQueryNode" && reader !== writer) {
      return soundness.guard("read", () => reader.run(query));
    }
    const endTurn = await this.#takeTurn();
    return this.#write(query).finally(endTurn);
  }

  #write(statement: Statement): Promise<StatementResult> {
    const { writer, soundness } = this.#connections;
    return soundness.guard("write", () => writer.run(statement));
  }

  /** Waits until all earlier turns have ended; returns a function that ends this one. */
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

/** Kysely does not run SQLite's migrations within a transaction, though SQLite could; it is also their lock. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function toResult<Row>({ rows, changes }: StatementResult): QueryResult<Row> {
  return { rows: rows as Row[], ...(changes !== undefined && { numAffectedRows: BigInt(changes) }) };
}
