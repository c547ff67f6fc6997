import type { Vault } from "@media-ops/secrets";
import type { Config } from "../config/config.js";
import type { Storage } from "../storage/open-storage.js";

/** What a command has to work with. */
export interface Context {
  readonly now: () => number;
  /** The settings; throws where they are wrong. */
  config(): Config;
  /** Opens the database for the time of the work; throws if there is none. */
  withStorage<T>(work: (storage: Storage, vault: Vault) => Promise<T>): Promise<T>;
  /** The same, but creates the database and its master key if there are none. */
  withNewStorage<T>(work: (storage: Storage, vault: Vault) => Promise<T>): Promise<T>;
  /**
   * Refuses a database that is missing or empty beside its master key, unless `--new` is given.
   *
   * @param anew What to type to begin anew.
   */
  refuseLost(anew: string): Promise<void>;
}

/** What to do if there is no database. */
export const HOW_TO_CREATE =
  "To create one: media-ops projects create demo. If there should be one, check MEDIA_DATABASE_URL and the folder that this was run in.";

/** What a command says: to people, and with `--json` to programs. */
interface Result {
  readonly text: string;
  readonly json: unknown;
  /** @default 0 */
  readonly exitCode?: number;
}

/** An option of every command that creates a database where there is none. */
export const newOption: Option = {
  name: "new",
  summary: "begin with an empty database, though a master key shows that there was one",
};

/** What may be typed beside the parameters. An option of one name takes a value in every command, or in none. */
export interface Option {
  /** What follows `--`. */
  readonly name: string;
  /** What stands for its value in the usage, such as `<time>`; without it the option is a switch. */
  readonly value?: string;
  readonly summary: string;
}

/** The options that were typed; only those that the command has. */
export interface Given {
  readonly switches: ReadonlySet<string>;
  readonly values: Readonly<Record<string, string | undefined>>;
}

/** A command of `media-ops`. */
export interface Command {
  /** What is typed, such as `projects create`. */
  readonly name: string;
  /** The arguments after it: `<needed>`, `[optional]`. */
  readonly parameters: readonly string[];
  /** Beside `--json` and `--help`, which every command has. */
  readonly options?: readonly Option[];
  readonly summary: string;
  /** More lines for `--help`. */
  readonly help?: string;
  run(context: Context, parameters: readonly string[], given: Given): Promise<Result>;
}

/** The command cannot be carried out; the message says why and what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** What was typed cannot be understood; the message says what can be. */
export class UsageError extends CommandError {}

/** A table for people, with its heads. */
export function toTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return toColumns([heads, ...rows]);
}

/** Columns for people: as wide as what stands in them. */
export function toColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, { length }] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, length);
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
