import type { Statement } from "../statement.js";

/**
 * Statements that run one after another in one transaction, as they go to another thread: each text once, and the values
 * in one row, since many small arrays take longer on the way.
 */
export interface Batch {
  readonly texts: readonly Text[];
  /** For each statement which text it has. */
  readonly order: readonly number[];
  readonly values: readonly unknown[];
}

interface Text {
  readonly sql: string;
  /** How many values it takes. */
  readonly count: number;
}

export function toBatch(statements: readonly Statement[]): Batch {
  const texts: Text[] = [];
  const known = new Map<string, number>();
  const order: number[] = [];
  const values: unknown[] = [];
  for (const { sql, parameters } of statements) {
    let text = known.get(sql);
    if (text === undefined) {
      text = texts.length;
      known.set(sql, text);
      texts.push({ sql, count: parameters.length });
    }
    order.push(text);
    for (const value of parameters) values.push(value);
  }
  return { texts, order, values };
}
