import { hash } from "node:crypto";
import { type Generated, type QueryExecutorProvider, type RawBuilder, sql } from "kysely";
import { withoutNul } from "../postgres/parameters.js";

/** A table as a program describes it. */
export interface TableDescription {
  /** Each column as `name type`, separated by commas; with a question mark, one may be null: `reason text?`. */
  readonly columns: readonly string[];
  /** The columns of its primary key, in order, separated by commas; its texts sort by their bytes. */
  readonly key: string;
  /** The columns that the database fills if a new row lacks them. */
  readonly generated?: string;
  readonly counted?: string;
  /** Whether a new database already has rows in it. */
  readonly hasFirstRows?: true;
}

interface ColumnTypes {
  text: string;
  integer: number;
  bytes: Buffer;
}

type Items<Text> = Text extends `${infer One}, ${infer Rest}` ? One | Items<Rest> : Text;
type ColumnsIn<Described> = Described extends { columns: readonly (infer Some)[] } ? Items<Some> : never;
type NameOf<Column> = Column extends `${infer Name} ${string}` ? Name : never;
type TypeOf<Column> = Column extends `${string} ${infer Type}?`
  ? ColumnTypes[Type & keyof ColumnTypes] | null
  : Column extends `${string} ${infer Type}`
    ? ColumnTypes[Type & keyof ColumnTypes]
    : never;
type FilledIn<Described> =
  | (Described extends { generated: infer Names } ? Items<Names> : never)
  | (Described extends { counted: infer Names } ? Items<Names> : never);

/** Kysely's types of described tables. */
export type TablesOf<Described> = {
  [Name in keyof Described]: {
    [Column in ColumnsIn<Described[Name]> as NameOf<Column>]: NameOf<Column> extends FilledIn<Described[Name]>
      ? Generated<TypeOf<Column>>
      : TypeOf<Column>;
  };
};

/** The columns of a described table, in order. */
export const columnsOf = ({ columns }: TableDescription) =>
  columns
    .flatMap((some) => some.split(", "))
    .map((column) => {
      const [name = "", type = ""] = column.split(" ");
      return { name, type: type.replace("?", "") as keyof ColumnTypes, isNullable: type.endsWith("?") };
    });

/** A table that is copied; it has the same names in both databases. */
export interface CopiedTable extends Pick<TableDescription, "counted" | "hasFirstRows"> {
  readonly name: string;
  readonly columns: Readonly<Record<string, keyof ColumnTypes>>;
  readonly key: readonly string[];
}

/** The described tables in their order, to copy them: each comes after those that it references. */
export const copiedTables = (tables: Readonly<Record<string, TableDescription>>): readonly CopiedTable[] =>
  Object.entries(tables).map(([name, description]) => {
    const { columns: _, key, generated: __, ...more } = description;
    const columns = Object.fromEntries(columnsOf(description).map(({ name, type }) => [name, type]));
    return { name, columns, key: key.split(", "), ...more };
  });

/** A row by its columns. */
export type CopiedRow = Readonly<Record<string, unknown>>;

export const keyOf = (row: CopiedRow, { key }: CopiedTable): unknown[] => key.map((column) => row[column] ?? null);

const namesOf = (columns: readonly string[]) => sql.join(columns.map((column) => sql.id(column)));

// Large enough for few round trips, small enough for the memory.
const MAX_ROWS = 2000;
const PAGE_BYTES = 4 * 2 ** 20;
const FIRST_ROWS = 200;

/** Reads a table in the order of its key, in pages of a few megabytes. */
export async function* readPages(
  query: QueryExecutorProvider,
  table: CopiedTable,
  after?: readonly unknown[],
): AsyncGenerator<readonly CopiedRow[]> {
  const columns = namesOf(Object.keys(table.columns));
  const key = namesOf(table.key);
  let lastKey = after;
  for (let limit = FIRST_ROWS; ; ) {
    const where = lastKey === undefined ? sql`` : sql`where (${key}) > (${sql.join(lastKey)})`;
    const select = sql<CopiedRow>`select ${columns} from ${sql.id(table.name)} ${where} order by ${key} limit ${limit}`;
    const { rows } = await select.execute(query);
    const last = rows.at(-1);
    if (last) yield rows;
    if (!last || rows.length < limit) return;
    lastKey = keyOf(last, table);
    const bytes = rows.reduce((sum, row) => sum + sizeOf(row), 0);
    limit = Math.max(1, Math.min(Math.floor((PAGE_BYTES * rows.length) / Math.max(bytes, 1)), MAX_ROWS));
  }
}

const sizeOf = (row: CopiedRow): number =>
  Object.values(row).reduce<number>(
    (size, value) => size + (typeof value === "string" || value instanceof Uint8Array ? value.length : 8),
    0,
  );

/** Inserts rows into PostgreSQL unless they exist. The statement has the same text for any number of rows. */
export function insertRows({ name, columns }: CopiedTable, rows: readonly CopiedRow[]): RawBuilder<unknown> {
  const names = namesOf(Object.keys(columns));
  // One array per column; bytes are passed as hexadecimal texts.
  const lists = Object.entries(columns).map(([column, type]) => {
    const values = rows.map((row) => toHex(row[column]));
    return type === "integer" ? sql`${values}::bigint[]` : sql`${values}::text[]`;
  });
  const values = Object.entries(columns).map(([column, type]) =>
    type === "bytes" ? sql`decode(${sql.id(column)}, 'hex')` : sql.id(column),
  );
  return sql`insert into ${sql.id(name)} (${names}) select ${sql.join(values)} from unnest(${sql.join(lists)}) as given (${names}) on conflict do nothing`;
}

const toHex = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString("hex") : (value ?? null);

/** Sets PostgreSQL's sequence to continue after the largest copied number. */
export function countOn({ name, counted }: CopiedTable): RawBuilder<unknown>[] {
  if (counted === undefined) return [];
  const largest = sql`max(${sql.id(counted)})`;
  return [
    sql`select setval(pg_get_serial_sequence(${`"${name}"`}, ${counted}), ${largest}) from ${sql.id(name)} having ${largest} is not null`,
  ];
}

export async function countRows(query: QueryExecutorProvider, name: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.id(name)}`.execute(query);
  return rows[0]?.n ?? 0;
}

/** Whether a table has no rows. */
export async function isEmpty(query: QueryExecutorProvider, name: string): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.id(name)} limit 1`.execute(query);
  return rows.length === 0;
}

const MODULUS = 2n ** 64n;

/** The number of rows in a table and their checksum, which does not depend on their order. */
export async function sumUp(
  query: QueryExecutorProvider,
  table: CopiedTable,
  onRows: (rows: number) => void,
): Promise<{ rows: number; sum: bigint }> {
  let [count, sum] = [0, 0n];
  for await (const rows of readPages(query, table)) {
    for (const row of rows) sum = (sum + hashOf(row, table)) % MODULUS;
    count += rows.length;
    onRows(count);
  }
  return { rows: count, sum };
}

/** A hash of all values of a row. PostgreSQL stores NUL as its symbol, and both have the same hash. */
export function hashOf(row: CopiedRow, { columns }: Pick<CopiedTable, "columns">): bigint {
  const values = Object.keys(columns).map((column) => {
    const value = row[column];
    if (value instanceof Uint8Array) return { bytes: toHex(value) };
    return typeof value === "string" ? withoutNul(value) : (value ?? null);
  });
  return hash("sha256", JSON.stringify(values), "buffer").readBigUInt64BE();
}
