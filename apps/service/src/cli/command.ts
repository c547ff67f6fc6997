import type { Config } from "../config/config.js";
import type { Vault } from "../secrets/vault.js";
import type { Storage } from "../storage/open-storage.js";

/** What a command has to work with. */
export interface Context {
  readonly now: () => number;
  /** The settings; throws where they are wrong. */
  config(): Config;
  /** Opens the database for the time of the work. */
  withStorage<T>(work: (storage: Storage, vault: Vault) => Promise<T>): Promise<T>;
}

/** What a command says: to people, and with `--json` to programs. */
interface Result {
  readonly text: string;
  readonly json: unknown;
  /** @default 0 */
  readonly exitCode?: number;
}

/** A command of `media-ops`. */
export interface Command {
  /** What is typed, such as `projects create`. */
  readonly name: string;
  /** The arguments after it: `<needed>`, `[optional]`. */
  readonly parameters: readonly string[];
  readonly summary: string;
  /** More lines for `--help`. */
  readonly help?: string;
  run(context: Context, parameters: readonly string[]): Promise<Result>;
}

/** The command cannot be carried out; the message says why and what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** A table for people: columns are as wide as what stands in them. */
export function toTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [heads, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
