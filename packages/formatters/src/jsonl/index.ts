import type { LogKind } from "@media-ops/sdk";
import { jsonOf } from "../values/text.js";

/**
 * Log entries as JSON, unchanged, one per line, each ending with a line feed. An entry that JSON cannot represent, such
 * as a cycle, is null.
 */
export function formatLogs(_kind: LogKind, entries: readonly unknown[]): string {
  return entries.map((entry) => `${jsonOf(entry) ?? "null"}\n`).join("");
}
