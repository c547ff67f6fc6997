import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import type { Pool, PoolClient } from "pg";
import { toError } from "../errors.js";
import { type StatementNames, toMessage } from "./client.js";
import { checkCommitted, isBroken, toFault } from "./faults.js";

/** PostgreSQL for Kysely, over a pool of connections whose statements are planned once. */
export function postgresDialect(pool: Pool, names: StatementNames): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(pool, names),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class PostgresDriver implements Driver {
  readonly #pool: Pool;
  readonly #names: StatementNames;

  constructor(pool: Pool, names: StatementNames) {
    this.#pool = pool;
    this.#names = names;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    return new PostgresConnection(await take(this.#pool), this.#names);
  }

  beginTransaction(connection: PostgresConnection): Promise<void> {
    return connection.run("begin");
  }

  commitTransaction(connection: PostgresConnection): Promise<void> {
    return connection.run("commit");
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    // What went wrong before is what the caller is told. A connection that may still be within a transaction is given up.
    await connection.run("rollback").catch((error) => connection.giveUp(error));
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.release();
  }

  destroy(): Promise<void> {
    return this.#pool.end();
  }
}

/** A connection that is somebody's own until it is released. */
export async function take(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw toFault(error);
  }
}

class PostgresConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #names: StatementNames;
  #broken: Error | undefined;

  constructor(client: PoolClient, names: StatementNames) {
    this.#client = client;
    this.#names = names;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const { command, rowCount, rows } = await this.#client.query(toMessage(this.#names, query));
      const isChange = command === "INSERT" || command === "UPDATE" || command === "DELETE" || command === "MERGE";
      return { rows, ...(isChange && { numAffectedRows: BigInt(rowCount ?? 0) }) };
    } catch (error) {
      if (isBroken(error)) this.giveUp(error);
      throw toFault(error);
    }
  }

  streamQuery(): never {
    throw new Error("Nothing is streamed from PostgreSQL: ask for the rows in pieces.");
  }

  async run(sql: "begin" | "commit" | "rollback"): Promise<void> {
    const { command } = await this.#client.query(sql).catch((error) => {
      this.giveUp(error);
      throw toFault(error);
    });
    if (sql === "commit") checkCommitted(command);
  }

  giveUp(error: unknown): void {
    this.#broken ??= toError(error);
  }

  release(): void {
    this.#client.release(this.#broken);
  }
}
