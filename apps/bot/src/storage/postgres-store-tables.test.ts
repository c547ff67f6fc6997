import { type Database, openDatabase } from "@media-ops/database";
import { postgresUrl } from "@media-ops/testing";
import { knownTables } from "@media-ops/testing/known-tables";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { migrations } from "./migrations.js";
import { storeTables, type Tables } from "./tables.js";

const inOrder = <Table extends { name: string }>(tables: readonly Table[]): Table[] =>
  [...tables].sort((a, b) => (a.name < b.name ? -1 : 1));

describe.each(["SQLite", "PostgreSQL"])("the tables to copy, in %s", (place) => {
  async function openNew(): Promise<Database<Tables>> {
    const url = place === "SQLite" ? "sqlite::memory:" : await postgresUrl();
    const database = await openDatabase<Tables>(url, { owner: "bot", migrations });
    onTestFinished(() => database.close());
    return database;
  }

  it("are complete, with all columns, and are read in the order of their keys", async () => {
    expect(inOrder(storeTables)).toEqual(await knownTables(await openNew()));
  });

  it("are empty at first, and do not reference each other", async () => {
    const { kind, query } = await openNew();
    for (const { name } of storeTables) {
      const { rows } = await sql`select 1 from ${sql.id(name)}`.execute(query);
      expect({ name, rows }).toEqual({ name, rows: [] });
    }
    const references =
      kind === "sqlite"
        ? sql`select keys."table" from sqlite_schema as tables join pragma_foreign_key_list(tables.name) as keys`
        : sql`select conrelid from pg_constraint where contype = 'f' and connamespace = to_regnamespace(current_schema())`;
    expect((await references.execute(query)).rows).toEqual([]);
  });
});
