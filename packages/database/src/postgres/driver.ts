import { type Dialect, PostgresDialect, type PostgresPoolClient } from "kysely";
import type { Pool, PoolClient, QueryConfig, QueryResult as SentResult } from "pg";
import type { Statement, Step } from "../database.js";
import { DatabaseError, toError } from "../errors.js";
import { checkCommitted, isBroken, isConflict, toFault } from "./faults.js";
import { toParameters } from "./parameters.js";

// A process runs the same few dozen statements repeatedly. Statements with a list of values differ each time.
const MAX_NAMES = 500;
const MAX_PARAMETERS = 20;
// All writers lock in the same order, so that conflicts are rare.
const MAX_ATTEMPTS = 5;

// An index is rebuilt for as long as that takes, as its caller has also allowed by `statement_timeout`.
const LONG = /^\s*reindex /i;
const LONG_MS = 24 * 60 * 60 * 1000;

const BEGIN: Statement = { sql: "begin", parameters: [] };
const COMMIT: Statement = { sql: "commit", parameters: [] };

/** Runs Kysely's statements over a pool of connections; each connection parses and plans a statement only once. */
export class PostgresDriver {
  readonly #pool: Pool;
  /** Throws if a statement with these values can't be answered now. */
  refuse: (values: readonly unknown[]) => void = () => {};
  readonly #names = new Map<string, string>();
  #ended: Promise<void> | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  get dialect(): Dialect {
    return new PostgresDialect({ pool: { connect: () => this.#connect(), end: () => this.destroy() } });
  }

  /** A connection for Kysely; a broken one is not used again. */
  async #connect(): Promise<PostgresPoolClient> {
    const client = await this.#takeClient();
    let broken: Error | undefined;
    const query = async (
      sql: string,
      parameters: readonly unknown[],
    ): Promise<Pick<SentResult, "command" | "rowCount" | "rows">> => {
      try {
        const result = await client.query(this.#toQuery({ sql, parameters }));
        if (sql === "commit") checkCommitted(result.command);
        return result;
      } catch (error) {
        // After a failed commit or rollback, it may still be within a transaction.
        if (isBroken(error) || sql === "commit" || sql === "rollback") broken ??= toError(error);
        // The caller of a transaction receives the error for which it is rolled back.
        if (sql === "rollback") return { command: "ROLLBACK", rowCount: 0, rows: [] };
        throw toFault(error);
      }
    };
    // Without cursors: rows are read in pages.
    return { query: query as PostgresPoolClient["query"], release: () => client.release(broken) };
  }

  destroy(): Promise<void> {
    this.#ended ??= this.#pool.end();
    return this.#ended;
  }

  /** Runs steps in one transaction: one round trip for any number of statements, and one more for each exchange. */
  async writeAll(steps: readonly Step[]): Promise<unknown[][]> {
    if (this.#ended) throw new DatabaseError("closed", "The database is closed.");
    // Before it takes a connection.
    for (const step of steps) for (const { parameters } of "ask" in step ? step.ask : [step]) this.refuse(parameters);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#writeOnce(steps);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isConflict(error)) throw toFault(error);
      }
    }
  }

  async #writeOnce(steps: readonly Step[]): Promise<unknown[][]> {
    const [first] = steps;
    // A single statement is its own transaction.
    const isOne = steps.length === 1 && first !== undefined && !("ask" in first);
    const client = await this.#takeClient();
    let broken: Error | undefined;
    const sent: Promise<SentResult>[] = [];
    // The pool's connections are in pipeline mode. After a failed statement, PostgreSQL refuses the following ones.
    const send = (statement: Statement): Promise<SentResult> => {
      const result = client.query(this.#toQuery(statement));
      sent.push(result);
      return result;
    };
    const run = async (some: readonly Step[]): Promise<Promise<SentResult>[]> => {
      const results: Promise<SentResult>[] = [];
      for (const step of some) {
        if ("ask" in step) {
          const asked = step.ask.map(send);
          // The first of them that fails is the one that explains why.
          await Promise.all(sent);
          const rows = (await Promise.all(asked)).map((result) => result.rows);
          results.push(...(await run(step.next(rows))));
        } else results.push(send(step));
      }
      return results;
    };
    try {
      if (!isOne) send(BEGIN);
      const results = await run(steps);
      const committed = isOne ? undefined : send(COMMIT);
      await Promise.all(sent);
      if (committed) checkCommitted((await committed).command);
      return (await Promise.all(results)).flatMap(({ fields, rows }) => (fields.length > 0 ? [rows] : []));
    } catch (error) {
      // Those that were sent after it fail, too.
      for (const result of sent) result.catch(() => {});
      if (isBroken(error)) broken = toError(error);
      else if (!isOne) await client.query("rollback").catch((second) => (broken = toError(second)));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async #takeClient(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw toFault(error);
    }
  }

  /** @throws {TypeError | DatabaseError} if PostgreSQL can't keep one of the values, or can't answer now. */
  #toQuery({ sql: text, parameters }: Statement): QueryConfig {
    this.refuse(parameters);
    // Documented by pg, but missing in its types.
    const query = { text, values: toParameters(parameters), ...(LONG.test(text) && { query_timeout: LONG_MS }) };
    if (parameters.length > MAX_PARAMETERS) return query;
    const known = this.#names.get(text);
    if (known === undefined && this.#names.size >= MAX_NAMES) return query;
    const name = known ?? `s${this.#names.size}`;
    this.#names.set(text, name);
    return { ...query, name };
  }
}
