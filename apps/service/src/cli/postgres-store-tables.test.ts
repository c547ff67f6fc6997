import { postgresUrl } from "@media-ops/testing";
import { type KnownTable, knownTables } from "@media-ops/testing/known-tables";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { openStorage } from "../storage/open-storage.js";
import { openStores } from "../stores.js";
import { storeTables } from "./databases.js";

// What the service builds again, and what SQLite does not need: the writers of the copied store have ended.
const notCopied = ["log_late", "log_segment", "log_part", "last_batch"];
const builtAgain = ["sealed_at", "indexed", "build"];

const withoutBuilt = ({ name, columns, key }: KnownTable): KnownTable => ({
  name,
  columns: Object.fromEntries(
    Object.entries(columns).filter(([column]) => name !== "log_head" || !builtAgain.includes(column)),
  ),
  key,
});

it("the copied tables are all tables of PostgreSQL with all their columns and keys, each after those that it references", async () => {
  const storage = await openStorage(await postgresUrl());
  onTestFinished(() => storage.close());
  await openStores(storage, { owner: "test", now: Date.now });
  const byName = [...storeTables].sort((a, b) => (a.name < b.name ? -1 : 1));
  const known = await knownTables(storage);
  const wanted = known.filter(({ name }) => !notCopied.includes(name)).map(withoutBuilt);
  expect(known.length - wanted.length).toBe(notCopied.length);
  expect(byName.map(({ name, columns, key }) => ({ name, columns, key }))).toEqual(wanted);

  const { rows: references } = await sql<{ from: string; to: string }>`
    select conrelid::regclass::text as "from", confrelid::regclass::text as "to"
    from pg_constraint where contype = 'f' and connamespace = to_regnamespace(current_schema())`.execute(storage.query);
  expect(references.length).toBeGreaterThan(1);
  const names = storeTables.map(({ name }) => name);
  for (const { from, to } of references) expect(names.indexOf(to)).toBeLessThan(names.indexOf(from));

  const { rows: counting } = await sql<{ name: string; counted: string }>`
    select table_name as name, column_name as counted from information_schema.columns
    where table_schema = current_schema() and (is_identity = 'YES' or column_default like 'nextval%')`.execute(
    storage.query,
  );
  expect(storeTables.flatMap(({ name, counted }) => (counted === undefined ? [] : [{ name, counted }]))).toEqual(
    counting,
  );
  expect(storeTables.filter(({ hasFirstRows }) => hasFirstRows).map(({ name }) => name)).toEqual(["counter"]);
});
