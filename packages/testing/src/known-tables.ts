import { type QueryExecutorProvider, sql } from "kysely";

/** A table as described by its database. */
export interface KnownTable {
  readonly name: string;
  readonly columns: Readonly<Record<string, string>>;
  /** The columns of its primary key, in order. */
  readonly key: readonly string[];
}

interface Column {
  table_name: string;
  column_name: string;
  type: string;
  /** Its position in the primary key, from 1. */
  key_at: number | null;
}

const sqliteColumns = sql<Column>`
  select tables.name as table_name, columns.name as column_name, lower(columns.type) as type, columns.pk as key_at
  from sqlite_schema as tables join pragma_table_info(tables.name) as columns
  where tables.type = 'table' and tables.name not like 'sqlite_%'`;

// Partitions belong to their tables.
const postgresColumns = sql<Column>`
  select relname as table_name, attname as column_name, format_type(atttypid, null) as type,
    array_position(indkey::int2[], attnum) + 1 as key_at
  from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    left join pg_index on indrelid = pg_class.oid and indisprimary
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`;

const typeOf: Readonly<Record<string, string>> = { bigint: "integer", blob: "bytes", bytea: "bytes" };

/** The tables of a database, without those of the migrations. */
export async function knownTables(database: {
  readonly kind: "sqlite" | "postgres";
  readonly query: QueryExecutorProvider;
}): Promise<KnownTable[]> {
  const { rows } = await (database.kind === "sqlite" ? sqliteColumns : postgresColumns).execute(database.query);
  const names = [...new Set(rows.map(({ table_name }) => table_name))].filter((name) => !/_migrations/.test(name));
  return names.sort().map((name) => {
    const own = rows.filter(({ table_name }) => table_name === name);
    const inKey = own.filter(({ key_at }) => key_at).sort((a, b) => Number(a.key_at) - Number(b.key_at));
    return {
      name,
      columns: Object.fromEntries(own.map(({ column_name, type }) => [column_name, typeOf[type] ?? type])),
      key: inKey.map(({ column_name }) => column_name),
    };
  });
}
