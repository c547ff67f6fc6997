import { type Database, openDatabase } from "@media-ops/database";
import { postgresUrl } from "@media-ops/test-databases";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { migrations } from "./migrations.js";
import { storeTables } from "./store-tables.js";
import type { Tables } from "./tables.js";

interface Column {
  table_name: string;
  column_name: string;
  type: string;
  /** Where it stands in the primary key, from 1 on. */
  key_at: number | null;
}

const sqliteColumns = sql<Column>`
  select tables.name as table_name, columns.name as column_name, lower(columns.type) as type,
    nullif(columns.pk, 0) as key_at
  from sqlite_schema as tables join pragma_table_info(tables.name) as columns
  where tables.type = 'table' and tables.name not like 'bot\\_migration%' escape '\\'`;

const postgresColumns = sql<Column>`
  select relname as table_name, attname as column_name, format_type(atttypid, null) as type,
    array_position(indkey::int2[], attnum) + 1 as key_at
  from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    left join pg_index on indrelid = pg_class.oid and indisprimary
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    and relname not like 'bot\\_migration%' escape '\\'`;

const typeOf: Readonly<Record<string, string>> = {
  text: "text",
  integer: "integer",
  bigint: "integer",
  blob: "bytes",
  bytea: "bytes",
};

const inOrder = <Table extends { name: string }>(tables: readonly Table[]): Table[] =>
  [...tables].sort((a, b) => (a.name < b.name ? -1 : 1));

/** The tables as the database knows them. */
async function knownTables({ kind, query }: Database<Tables>) {
  const { rows } = await (kind === "sqlite" ? sqliteColumns : postgresColumns).execute(query);
  const names = [...new Set(rows.map(({ table_name }) => table_name))];
  const tables = names.map((name) => {
    const own = rows.filter(({ table_name }) => table_name === name);
    const inKey = own.filter(({ key_at }) => key_at).sort((a, b) => Number(a.key_at) - Number(b.key_at));
    return {
      name,
      columns: Object.fromEntries(own.map(({ column_name, type }) => [column_name, typeOf[type] ?? type])),
      key: inKey.map(({ column_name }) => column_name),
    };
  });
  return inOrder(tables);
}

describe.each(["SQLite", "PostgreSQL"])("the tables that are copied, in %s", (place) => {
  async function openNew(): Promise<Database<Tables>> {
    const url = place === "SQLite" ? "sqlite::memory:" : await postgresUrl();
    const database = await openDatabase<Tables>(url, { owner: "bot", migrations });
    onTestFinished(() => database.close());
    return database;
  }

  it("are all that there are, with all their columns, and are read in the order of their keys", async () => {
    expect(inOrder(storeTables)).toEqual(await knownTables(await openNew()));
  });

  it("are empty at first, and none refers to another", async () => {
    const { kind, query } = await openNew();
    for (const { name } of storeTables) {
      const { rows } = await sql`select 1 from ${sql.id(name)}`.execute(query);
      expect({ name, rows }).toEqual({ name, rows: [] });
    }
    const references =
      kind === "sqlite"
        ? sql`select keys."table" from sqlite_schema as tables join pragma_foreign_key_list(tables.name) as keys`
        : sql`select conrelid from pg_constraint where contype = 'f'`;
    expect((await references.execute(query)).rows).toEqual([]);
  });
});
