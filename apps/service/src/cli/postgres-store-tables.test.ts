import { postgresUrl } from "@media-ops/testing";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { type KnownTable, knownTables } from "@media-ops/testing/known-tables";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openStorage, type Storage } from "../storage/open-storage.js";
import { openStores } from "../stores.js";
import { derived, storeTables } from "./migrate-store.js";

async function open(url: string): Promise<Storage> {
  const storage = await openStorage(url);
  afterAll(() => storage.close());
  await openStores(storage, { owner: "test", now: Date.now });
  return storage;
}

/** The tables of a database, without what is built again. */
async function tablesIn(storage: Storage): Promise<Map<string, KnownTable>> {
  const known = new Map((await knownTables(storage)).map((table) => [table.name, table]));
  for (const table of derived.tables) expect(known.delete(table)).toBe(true);
  for (const column of derived.columns) expect(known.get("log_head")?.columns).toHaveProperty(column);
  const head = known.get("log_head");
  if (head)
    known.set("log_head", {
      ...head,
      columns: Object.fromEntries(Object.entries(head.columns).filter(([name]) => !isDerived(name))),
    });
  return known;
}

const isDerived = (column: string): boolean => derived.columns.some((name) => name === column);

describe.each(["SQLite", "PostgreSQL"])("the copied tables, in %s", (place) => {
  let storage: Storage;

  const atEnd = closeAfterAll();
  beforeAll(async () => {
    storage = await open(place === "SQLite" ? "sqlite::memory:" : await postgresUrl({ atEnd }));
  });

  it("are all tables of the database, with all their columns", async () => {
    const known = await tablesIn(storage);
    // Tables that SQLite does not need are not copied: the writers of the copied store have ended.
    if (place === "PostgreSQL") expect(known.delete("last_batch")).toBe(true);
    expect(storeTables.map(({ name }) => name).sort()).toEqual([...known.keys()].sort());
    for (const { name, columns } of storeTables)
      expect({ name, columns }).toEqual({ name, columns: known.get(name)?.columns });
  });

  it("are read in the order of their primary keys", async () => {
    const known = await tablesIn(storage);
    for (const { name, key } of storeTables) {
      // In PostgreSQL, the key of the table `ended` also contains the time by which it is partitioned.
      const extra = name === "ended" && place === "SQLite" ? ["until"] : [];
      expect({ name, key }).toEqual({ name, key: [...(known.get(name)?.key ?? []), ...extra] });
    }
  });

  it("come after the tables that they reference", async () => {
    const found =
      place === "SQLite"
        ? sql<{ from: string; to: string }>`select tables.name as "from", keys."table" as "to"
            from sqlite_schema as tables join pragma_foreign_key_list(tables.name) as keys where tables.type = 'table'`
        : sql<{ from: string; to: string }>`select conrelid::regclass::text as "from", confrelid::regclass::text as "to"
            from pg_constraint where contype = 'f' and connamespace = to_regnamespace(current_schema())`;
    const { rows } = await found.execute(storage.query);
    expect(rows.length).toBeGreaterThan(1);
    const names = storeTables.map(({ name }) => name);
    for (const { from, to } of rows) expect(names.indexOf(to)).toBeLessThan(names.indexOf(from));
  });

  it("continue counters if the database has them", async () => {
    const found =
      place === "SQLite"
        ? sql<{ name: string }>`select name from sqlite_schema where sql like '%autoincrement%'`
        : sql<{ name: string }>`select distinct table_name as name from information_schema.columns
            where table_schema = current_schema() and (is_identity = 'YES' or column_default like 'nextval%')`;
    const counting = (await found.execute(storage.query)).rows.map(({ name }) => name);
    expect(storeTables.flatMap(({ name, counted }) => (counted === undefined ? [] : [name]))).toEqual(counting);
  });
});

it("a new SQLite store has initial rows only in the tables that declare them", async () => {
  const { query, close } = await openStorage("sqlite::memory:");
  onTestFinished(close);
  for (const { name, hasFirstRows = false } of storeTables) {
    const { rows } = await sql`select 1 from ${sql.id(name)}`.execute(query);
    expect({ name, hasFirstRows: rows.length > 0 }).toEqual({ name, hasFirstRows });
  }
});
