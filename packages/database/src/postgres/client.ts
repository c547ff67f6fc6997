import type { QueryConfig } from "pg";
import type { Statement } from "../statement.js";
import { type Parameter, toParameters } from "./parameters.js";

// A process asks the same few dozen statements over and over. Those with a list of values in them are different each time.
const MAX_NAMES = 500;
const MAX_PARAMETERS = 20;

/** Names for statements, so that a connection reads and plans each only once. */
export class StatementNames {
  readonly #names = new Map<string, string>();

  nameOf({ sql, parameters }: Statement): string | undefined {
    if (parameters.length > MAX_PARAMETERS) return undefined;
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= MAX_NAMES) return known;
    const name = `s${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }
}

/** A statement as it is sent. */
export interface Message extends QueryConfig<Parameter[]> {
  readonly values: Parameter[];
}

/**
 * A statement, ready to be sent. Nothing of it is left to be converted when those before it are already on their way.
 *
 * @throws {TypeError} where PostgreSQL cannot keep one of its values.
 */
export function toMessage(names: StatementNames, statement: Statement): Message {
  const { sql: text, parameters } = statement;
  const name = names.nameOf(statement);
  return { text, values: toParameters(parameters), ...(name !== undefined && { name }) };
}
