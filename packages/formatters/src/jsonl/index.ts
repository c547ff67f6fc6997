import type { LogKind } from "@media-ops/sdk";
import { jsonOf } from "../values/text.js";

/**
 * Log entries as JSON, unchanged, one per line, each ending with a line feed. An entry that JSON cannot represent, such
 * as a cycle, is null.
 */
export function formatLogs(_kind: LogKind, entries: readonly unknown[]): string {
  return entries.map((entry) => `${jsonOf(entry) ?? "null"}\n`).join("");
}

/** How far a listing got. */
export interface Searched {
  complete: boolean;
  /** The time back to which the log was searched. */
  searchedTo?: string | undefined;
}

/** The last line of a listing that is not complete, such as `{"complete":false,"searched_to":"…"}`; else empty. */
export function formatEnd({ complete, searchedTo }: Searched): string {
  return complete ? "" : `${JSON.stringify({ complete: false, searched_to: searchedTo })}\n`;
}
