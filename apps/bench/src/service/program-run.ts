import type { StdioOptions } from "node:child_process";

/** How a program is run otherwise than by itself. */
export interface ProgramRun {
  /** For Node.js itself. */
  readonly nodeArgs?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  readonly stdio?: StdioOptions;
}
