import type { Database } from "../open.js";
import type { Statement } from "../statement.js";
import { type ColumnType, type CopiedRow, type CopiedTable, valuesOf } from "./copied-table.js";

type Kind = Database<unknown>["kind"];

const idOf = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Statements that add rows, but for those whose keys are there. */
export function insertRows(kind: Kind, table: CopiedTable, rows: readonly CopiedRow[]): Statement[] {
  return kind === "postgres" ? [insertIntoPostgres(table, rows)] : insertIntoSqlite(table, rows);
}

/** All rows by one statement, whose text is always the same: a list for each column. */
function insertIntoPostgres({ name, columns }: CopiedTable, rows: readonly CopiedRow[]): Statement {
  const all = Object.entries(columns);
  const names = all.map(([column]) => idOf(column)).join(", ");
  const lists = all.map(([_, type], at) => `$${at + 1}::${type === "integer" ? "bigint" : "text"}[]`);
  // Bytes go in a list as texts.
  const values = all.map(([column, type]) => (type === "bytes" ? `decode(${idOf(column)}, 'hex')` : idOf(column)));
  return {
    sql: `insert into ${idOf(name)} (${names}) select ${values.join(", ")} from unnest(${lists.join(", ")}) as given (${names}) on conflict do nothing`,
    parameters: all.map(([column, type]) => rows.map((row) => listed(row[column], type))),
  };
}

function listed(value: unknown, type: ColumnType): unknown {
  if (type !== "bytes" || !(value instanceof Uint8Array)) return value ?? null;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex");
}

function insertIntoSqlite({ name, columns }: CopiedTable, rows: readonly CopiedRow[]): Statement[] {
  const names = Object.keys(columns);
  const marks = names.map(() => "?").join(", ");
  const sql = `insert into ${idOf(name)} (${names.map(idOf).join(", ")}) values (${marks}) on conflict do nothing`;
  return rows.map((row) => ({ sql, parameters: valuesOf(row, names) }));
}

/** What lets the database count on behind the largest number that has been copied. */
export function countOn(kind: Kind, { name, counted }: CopiedTable): Statement[] {
  // SQLite has seen the numbers by itself.
  if (counted === undefined || kind === "sqlite") return [];
  const column = idOf(counted);
  return [
    {
      sql: `select setval(pg_get_serial_sequence($1, $2), max(${column})) from ${idOf(name)} having max(${column}) is not null`,
      parameters: [idOf(name), counted],
    },
  ];
}
