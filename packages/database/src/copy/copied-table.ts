/** What stands in a column. */
export type ColumnType = "text" | "integer" | "bytes";

/** A table that is copied; it has the same names in both databases. */
export interface CopiedTable {
  readonly name: string;
  /** All its columns. */
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** The columns of its primary key, in their order: no text of theirs sorts otherwise than by its bytes. */
  readonly key: readonly string[];
  /** The column that the database counts up by itself. */
  readonly counted?: string;
  /** Whether a new database has rows of its own in it, in place of which come those that are copied. */
  readonly hasFirstRows?: boolean;
}

/** A table of a program whose tables are `Tables`: none of its columns can be forgotten. */
interface TableOf<Row> extends Omit<CopiedTable, "name"> {
  readonly columns: { readonly [Column in keyof Row & string]: ColumnType };
  readonly key: readonly (keyof Row & string)[];
}

/** All tables of a program, by their names, in the order in which they are copied: none of them can be forgotten. */
export function copiedTables<Tables>(
  tables: {
    readonly [Name in keyof Tables]: TableOf<Tables[Name]>;
  },
): readonly CopiedTable[] {
  return Object.entries<Omit<CopiedTable, "name">>(tables).map(([name, table]) => ({ name, ...table }));
}

/** A row of a table that is copied, by its columns. */
export type CopiedRow = Readonly<Record<string, unknown>>;

/** The row's values of some columns, in their order. */
export const valuesOf = (row: CopiedRow, columns: readonly string[]): unknown[] =>
  columns.map((column) => row[column] ?? null);
