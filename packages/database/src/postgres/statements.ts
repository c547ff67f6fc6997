import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import type { Pool, PoolClient, QueryConfig, QueryResult as SentResult } from "pg";
import type { Statement } from "../database.js";
import { toError } from "../errors.js";
import { checkCommitted, isBroken, isConflict, toFault } from "./faults.js";
import { toParameters } from "./parameters.js";

// A process runs the same few dozen statements again and again. Those with a list of values differ each time.
const MAX_NAMES = 500;
const MAX_PARAMETERS = 20;

/** Names for statements, so that a connection parses and plans each only once. */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /**
   * A statement as it is sent.
   *
   * @throws {TypeError} if PostgreSQL cannot keep one of its values.
   */
  toQuery({ sql: text, parameters }: Statement): QueryConfig {
    const name = parameters.length > MAX_PARAMETERS ? undefined : this.#nameOf(text);
    return { text, values: toParameters(parameters), ...(name !== undefined && { name }) };
  }

  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= MAX_NAMES) return known;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}

/** PostgreSQL for Kysely, over a pool of connections; statements are planned once. */
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

  async beginTransaction(connection: PostgresConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin"));
  }

  commitTransaction(connection: PostgresConnection): Promise<void> {
    return connection.commit();
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    // The caller receives the error before. A connection that may still be within a transaction is given up.
    await connection.executeQuery(CompiledQuery.raw("rollback")).catch((error) => connection.giveUp(error));
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.release();
  }

  destroy(): Promise<void> {
    return this.#pool.end();
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

  async executeQuery<Row>(query: Statement): Promise<QueryResult<Row>> {
    const { command, rowCount, rows } = await this.#send(query);
    const isChange = command === "INSERT" || command === "UPDATE" || command === "DELETE" || command === "MERGE";
    return { rows, ...(isChange && { numAffectedRows: BigInt(rowCount ?? 0) }) };
  }

  async commit(): Promise<void> {
    const { command } = await this.#send(COMMIT).catch((error) => {
      this.giveUp(error);
      throw error;
    });
    checkCommitted(command);
  }

  streamQuery(): never {
    throw new Error("PostgreSQL does not stream rows here: read them in pages.");
  }

  giveUp(error: unknown): void {
    this.#broken ??= toError(error);
  }

  release(): void {
    this.#client.release(this.#broken);
  }

  async #send(statement: Statement): Promise<SentResult> {
    try {
      return await this.#client.query(this.#names.toQuery(statement));
    } catch (error) {
      if (isBroken(error)) this.giveUp(error);
      throw toFault(error);
    }
  }
}

async function take(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw toFault(error);
  }
}

// All writers lock in the same order, so that even one conflict is rare.
const MAX_ATTEMPTS = 5;

/** Runs statements in one transaction, all sent at once: one round trip, however many there are. */
export async function writeAll(
  pool: Pool,
  names: StatementNames,
  statements: readonly Statement[],
): Promise<unknown[][]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeOnce(pool, names, statements);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isConflict(error)) throw toFault(error);
    }
  }
}

async function writeOnce(pool: Pool, names: StatementNames, statements: readonly Statement[]): Promise<unknown[][]> {
  // A single statement is a transaction by itself.
  const isOne = statements.length === 1;
  const queries = (isOne ? statements : [BEGIN, ...statements, COMMIT]).map((statement) => names.toQuery(statement));
  const client = await take(pool);
  let broken: Error | undefined;
  try {
    // The pool's connections are in pipeline mode. After a statement that fails, PostgreSQL refuses those behind it.
    const results = await Promise.all(queries.map((query) => client.query(query)));
    if (!isOne) checkCommitted(results.at(-1)?.command);
    return results.flatMap(({ fields, rows }) => (fields.length > 0 ? [rows] : []));
  } catch (error) {
    if (isBroken(error)) broken = toError(error);
    else if (!isOne) await client.query("rollback").catch((second) => (broken = toError(second)));
    throw error;
  } finally {
    client.release(broken);
  }
}

const BEGIN: Statement = { sql: "begin", parameters: [] };
const COMMIT: Statement = { sql: "commit", parameters: [] };
