import type { LogKind } from "@media-ops/sdk";
import { jsonOf } from "../values/field.js";

/**
 * Log entries as JSON, unchanged, each on a line of its own that ends with a line feed. What JSON cannot write, such as a
 * cycle, is null: every entry has its line.
 */
export function formatLogs(_kind: LogKind, entries: readonly unknown[]): string {
  return entries.map((entry) => `${jsonOf(entry) ?? "null"}\n`).join("");
}
