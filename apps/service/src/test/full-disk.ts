import { sql } from "kysely";
import type { Storage } from "../storage/open-storage.js";

const sqlite = sql`create trigger full before update on delivery begin select raise(abort, 'the disk is full'); end`;
const postgres = [
  sql`create function fail() returns trigger language plpgsql as 'begin raise exception ''the disk is full''; end'`,
  sql`create trigger "full" before update on delivery for each row execute function fail()`,
];

/** Prevents changes to deliveries, as a full disk does. Returns a function that allows them again. */
export async function fillDisk({ query, kind }: Storage): Promise<() => Promise<void>> {
  const isPostgres = kind === "postgres";
  for (const statement of isPostgres ? postgres : [sqlite]) await statement.execute(query);
  return async () => {
    await (isPostgres ? sql`drop trigger "full" on delivery` : sql`drop trigger full`).execute(query);
  };
}
