import type { LogKind } from "@media-ops/sdk";

/** Log entries as JSON, unchanged, each on a line of its own that ends with a line feed. */
export function formatLogs(_kind: LogKind, entries: readonly unknown[]): string {
  return entries.map((entry) => `${jsonOf(entry)}\n`).join("");
}

/** What JSON cannot write, such as a cycle, is null: every entry has its line. */
function jsonOf(entry: unknown): string {
  try {
    return JSON.stringify(entry) ?? "null";
  } catch {
    return "null";
  }
}
