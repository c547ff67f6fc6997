import type { MigratedStore } from "./migrate-store.js";

/** Whose store it is, and what holds its master key. */
export interface CopyWords {
  /** Such as "service". */
  readonly program: string;
  /** What its settings begin with, such as "MEDIA". */
  readonly prefix: string;
  /** The file with the master key; undefined where that is in a variable. */
  readonly keyFile: string | undefined;
}

/** What has come of a copy, for whoever asked for it: each table, and what is to be done now. */
export function describeCopy(migrated: MigratedStore, words: CopyWords): string {
  const outcome = isSame(migrated) ? allIsThere(migrated, words) : notTheSame(migrated, words);
  return `${tableOf(migrated)}\n\n${outcome}`;
}

/** Whether every row is in PostgreSQL. */
export const isSame = ({ tables }: Pick<MigratedStore, "tables">): boolean => tables.every((table) => table.isSame);

const counted = (count: number): string => count.toLocaleString("en-US");

function tableOf({ tables }: MigratedStore): string {
  const lines = tables.map((table) => [
    table.name,
    counted(table.rows),
    table.isSame ? "the same" : `NOT the same: ${counted(table.copiedRows)} rows`,
  ]);
  const all = [["table", "rows", "in PostgreSQL"], ...lines];
  const widthOf = (column: number): number => Math.max(...all.map((line) => line[column]?.length ?? 0));
  const widths = [widthOf(0), widthOf(1), 0];
  return all.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}

function allIsThere({ file, target, tables, wasThere }: MigratedStore, { program, prefix, keyFile }: CopyWords) {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const key = keyFile === undefined ? `${prefix}_MASTER_KEY, as it is now` : `${prefix}_MASTER_KEY_FILE=${keyFile}`;
  return [
    `All ${counted(rows)} rows of ${file} are in ${target}${wasThere ? " already" : ""}.`,
    `Set for every process of the ${program}, and start it:`,
    `  ${prefix}_DATABASE_URL, to what was given as --to`,
    `  ${key}: the master key stays the same, and each machine needs it`,
  ].join("\n");
}

function notTheSame({ file, target, tables }: MigratedStore, { program }: CopyWords): string {
  const names = tables.filter((table) => !table.isSame).map(({ name }) => name);
  return [
    `What is in ${target} is not what is in ${file}: ${names.join(", ")}.`,
    `Something has written to one of the two since the copy was begun, such as a ${program}.`,
    `Unless the ${program} runs in PostgreSQL already: stop it, and copy into another database, new and empty.`,
  ].join("\n");
}
