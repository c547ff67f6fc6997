import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "../service/sandbox.js";

/** A database of one measurement, gone with it. */
export interface BenchDatabase {
  readonly kind: "SQLite" | "PostgreSQL";
  /** As the service's settings have it. */
  readonly url: string;
  /** What all that is stored takes on disk, with its indexes. Nobody has it open. */
  bytes(): Promise<number>;
}

/** An SQLite file, which is made by who opens it first. */
export function sqliteIn({ folder }: Sandbox, name: string): BenchDatabase {
  const file = join(folder, `${name}.db`);
  return {
    kind: "SQLite",
    url: `sqlite:${file}`,
    bytes: async () => (await stat(file)).size,
  };
}
