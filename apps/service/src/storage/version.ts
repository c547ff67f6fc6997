import { type Kysely, sql } from "kysely";
import type { Tables } from "./tables.js";

/**
 * The next number of a counter. Rows that bear it when they change can be read again by whoever knows those before: the
 * counter's row is held until the transaction's end, so that numbers are seen in their order.
 */
export async function nextVersion(transaction: Kysely<Tables>, counter: string): Promise<number> {
  const { value } = await transaction
    .insertInto("counter")
    .values({ name: counter, value: 1 })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value: sql`counter.value + 1` }))
    .returning("value")
    .executeTakeFirstOrThrow();
  return value;
}
