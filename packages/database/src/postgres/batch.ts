import type { Connection, CustomTypesConfig, Submittable } from "pg";
import type { Message } from "./client.js";

/** A column of an answer. */
interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** What one statement answered. */
export interface BatchAnswer {
  /** What was done, such as "COMMIT" or "INSERT 0 1". */
  tag: string;
  /** Undefined for a statement that gives none. */
  rows: Record<string, unknown>[] | undefined;
}

/**
 * Statements that go to PostgreSQL in one packet and are answered in one, as a query of pg. After one that fails, none of
 * the others is run.
 */
export class Batch implements Submittable {
  /** The answers, in the order of the statements. */
  readonly answers: Promise<BatchAnswer[]>;
  /** Set by pg, whose clock for a server that is silent stops when it is called. */
  callback?: (error: Error | null) => void;
  readonly #messages: readonly Message[];
  readonly #types: CustomTypesConfig;
  readonly #done: BatchAnswer[] = [];
  #fields: readonly Field[] | undefined;
  #rows: Record<string, unknown>[] = [];
  #settle: { resolve(answers: BatchAnswer[]): void; reject(error: Error): void } | undefined;
  #stopWatching: () => void = () => {};

  constructor(messages: readonly Message[], types: CustomTypesConfig) {
    this.#messages = messages;
    this.#types = types;
    this.answers = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  submit(connection: Connection): void {
    const parsed = parsedStatementsOf(connection);
    const isNew = new Set<string>();
    const unparsed: Message[] = [];
    connection.stream.cork();
    for (const message of this.#messages) {
      const { name = "", text, values } = message;
      if (name === "" || (parsed[name] === undefined && !isNew.has(name))) {
        connection.parse({ name, text, types: [] }, true);
        isNew.add(name);
        unparsed.push(message);
      }
      connection.bind({ statement: name, values }, true);
      connection.describe({ type: "P" }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
    const onParsed = (): void => {
      const { name, text } = unparsed.shift() ?? {};
      if (name !== undefined && text !== undefined) parsed[name] = text;
    };
    connection.on("parseComplete", onParsed);
    this.#stopWatching = () => void connection.off("parseComplete", onParsed);
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#fields = fields;
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const row: Record<string, unknown> = {};
    this.#fields?.forEach(({ name, dataTypeID }, at) => {
      const text = fields[at] ?? null;
      row[name] = text === null ? null : this.#types.getTypeParser(dataTypeID, "text")(text);
    });
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#done.push({ tag: text, rows: this.#fields && this.#rows });
    this.#fields = undefined;
    this.#rows = [];
  }

  handleReadyForQuery(): void {
    this.#end(null);
  }

  handleError(error: Error): void {
    this.#end(error);
  }

  #end(error: Error | null): void {
    this.#stopWatching();
    this.callback?.(error);
    if (error) this.#settle?.reject(error);
    else this.#settle?.resolve(this.#done);
  }
}

/** The statements that a connection knows, by their names: pg looks there, too. */
function parsedStatementsOf(connection: Connection): Record<string, string> {
  if (!("parsedStatements" in connection)) throw new Error("A connection of pg has no list of its statements.");
  return connection.parsedStatements as Record<string, string>;
}
