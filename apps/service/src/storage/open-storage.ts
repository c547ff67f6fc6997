import { stat } from "node:fs/promises";
import { type Database, type OpenOptions, openDatabase } from "@media-ops/database";
import { type Kysely, sql } from "kysely";
import { migrations } from "./migrations.js";
import type { Tables } from "./tables.js";

/** The service's database. */
export type Storage = Database<Tables>;

/** Opens the service's database, its tables up to date. */
export function openStorage(
  url: string,
  options: Pick<OpenOptions, "mustExist" | "watcher" | "connections"> = {},
): Promise<Storage> {
  return openDatabase<Tables>(url, { owner: "service", migrations, ...options });
}

/** Increments a counter. Its row stays locked until the transaction ends, so versions become visible in order. */
export async function nextVersion(transaction: Kysely<Tables>, counter: string): Promise<number> {
  return (await counting(transaction, counter).returning("value").executeTakeFirstOrThrow()).value;
}

/** What `nextVersion` does in a transaction of statements: the one to run first, and the value for those after it. */
export function nextVersionStatement(query: Kysely<Tables>, counter: string) {
  const version = query.selectFrom("counter").select("value").where("name", "=", counter).$asScalar();
  return { count: counting(query, counter).compile(), version };
}

const counting = (query: Kysely<Tables>, counter: string) =>
  query
    .insertInto("counter")
    .values({ name: counter, value: 1 })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value: sql`counter.value + 1` }));

/** The size of an SQLite file's write-ahead log, in bytes; 0 if there is none. */
export async function walBytes(file: string): Promise<number> {
  const wal = await stat(`${file}-wal`).catch(() => undefined);
  return wal?.size ?? 0;
}
