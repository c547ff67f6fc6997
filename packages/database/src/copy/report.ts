import type { DistributedDatabase } from "../postgres/distribute.js";
import type { Restored } from "../sqlite/restore.js";
import type { CopyStep } from "./copy-database.js";
import type { MigratedStore } from "./migrate-store.js";

/** The program whose store was copied, for {@link describeCopy}. */
export interface CopyWords {
  readonly program: string;
  readonly prefix: string;
  /** The file with the master key; undefined if a variable holds the key. */
  readonly keyFile: string | undefined;
}

/** Whether every row is in the target. */
export const isSame = ({ tables }: Pick<MigratedStore, "tables">): boolean => tables.every((table) => table.isSame);

/** The result of a copy for operators: each table, and the next step. */
export function describeCopy(migrated: MigratedStore, words: CopyWords): string {
  const lines = [
    ["table", "rows", "in the target"],
    ...migrated.tables.map(({ name, rows, copiedRows, isSame }) => [
      name,
      counted(rows),
      isSame ? "the same" : `NOT the same: ${counted(copiedRows)} rows`,
    ]),
  ];
  return `${aligned(lines)}\n\n${describeNextStep(migrated, words)}`;
}

/** Rows in columns of equal width, except the last. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widthOf = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const toLine = (row: readonly string[]): string =>
    row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widthOf(at)))).join("  ");
  return rows.map(toLine).join("\n");
}

function describeNextStep(migrated: MigratedStore, { program, prefix, keyFile }: CopyWords): string {
  const { from, to, tables, wasThere } = migrated;
  if (!isSame(migrated)) {
    const names = tables.filter((table) => !table.isSame).map(({ name }) => name);
    return [
      `The rows in ${to} differ from those in ${from}: ${names.join(", ")}.`,
      `Something has written to one of the two since the copy was begun, such as a ${program}.`,
      `Unless the ${program} uses the target already: stop it, and copy into another database, new and empty.`,
    ].join("\n");
  }
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const key = keyFile === undefined ? `${prefix}_MASTER_KEY, as it is now` : `${prefix}_MASTER_KEY_FILE=${keyFile}`;
  return [
    `All ${counted(rows)} rows of ${from} are in ${to}${wasThere ? " already" : ""}.`,
    `Set for every process of the ${program}, and start it:`,
    `  ${prefix}_DATABASE_URL, to what was given as --to`,
    `  ${key}: the master key stays the same, and each machine needs it`,
  ].join("\n");
}

/** The result of a distribution for operators: each table, and the next step. */
export function describeDistributed({ tables, column, wasThere }: DistributedDatabase, owner: string): string {
  const total = tables.reduce((sum, { rows }) => sum + rows, 0);
  return [
    aligned([["table", "rows"], ...tables.map(({ name, rows }) => [name, counted(rows)])]),
    "",
    wasThere
      ? `All ${tables.length} tables are distributed by ${column} already.`
      : `All ${counted(total)} rows are distributed by ${column}. Start the ${owner} again.`,
  ].join("\n");
}

/** Describes a restore for operators. */
export function describeRestored({ file, backup, kept }: Restored): string {
  const done = `${file} now holds what ${backup} holds. It was checked before and after.`;
  if (kept.length === 0) return done;
  return `${done}\nWhat was there before is kept in:\n${kept.map((one) => `  ${one}`).join("\n")}`;
}

// Often enough to show that the copy is running.
const EVERY_MS = { terminal: 200, file: 5000 };
const CLEAR_LINE = "\r\u001B[K";
const WORK: Readonly<Record<CopyStep["work"], string>> = { copy: "copying", check: "checking" };

/** Shows the progress of a copy: a line for each table, which is overwritten on a terminal. */
export function showProgress(
  output: { readonly isTTY?: boolean; write(text: string): unknown },
  now: () => number,
): (step: CopyStep) => void {
  const isTerminal = output.isTTY === true;
  const everyMs = isTerminal ? EVERY_MS.terminal : EVERY_MS.file;
  let [line, startedAt, shownAt] = ["", 0, 0];
  return (step) => {
    const at = now();
    const next = `${step.work} ${step.table}`;
    if (next !== line) [line, startedAt, shownAt] = [next, at, isTerminal ? Number.NEGATIVE_INFINITY : at];
    if (!step.isDone && at < shownAt + everyMs) return;
    shownAt = at;
    const text = describeStep(step, at - startedAt);
    output.write(isTerminal ? `${CLEAR_LINE}${text}${step.isDone ? "\n" : ""}` : `${text}\n`);
  };
}

function describeStep({ work, table, rows, total, before, isDone }: CopyStep, elapsedMs: number): string {
  const name = `${WORK[work]} ${table}:`;
  const perSecond = elapsedMs > 0 ? ((rows - before) * 1000) / elapsedMs : 0;
  const rate = perSecond >= 1 && elapsedMs >= 1000 ? `, ${counted(perSecond)}/s` : "";
  if (isDone) return `${name} ${counted(rows)} ${rows === 1 ? "row" : "rows"}${rate}`;
  const share = total === 0 ? 100 : Math.min(100, Math.floor((rows * 100) / total));
  const left = rate === "" ? "" : `, ${duration((total - rows) / perSecond)} left`;
  return `${name} ${counted(rows)} of ${counted(total)} rows (${share}%)${rate}${left}`;
}

const counted = (count: number): string => Math.round(count).toLocaleString("en-US");

function duration(seconds: number): string {
  const all = Math.max(0, Math.ceil(seconds));
  const [h, min, s] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  if (h > 0) return `${h} h ${min} min`;
  return min > 0 ? `${min} min ${s} s` : `${s} s`;
}
