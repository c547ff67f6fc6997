import type { AuditEntry, Delivery, IssuedToken, LogKind, WebhookEndpoint } from "@media-ops/contract";
import type { Trace } from "@media-ops/reports";
import { fieldOf, jsonOf } from "@media-ops/reports/entries";
import { traceLineWords } from "../trace.js";

/**
 * Log entries as JSON, unchanged, one per line, each ending with a line feed. An entry that JSON cannot represent, such
 * as a cycle, is null.
 */
export function formatLogs(_kind: LogKind, entries: readonly unknown[]): string {
  return linesOf(entries);
}

const linesOf = (things: readonly unknown[]): string => things.map((thing) => `${jsonOf(thing) ?? "null"}\n`).join("");

/** Issued tokens as JSON, unchanged, one per line. */
export const formatTokens: (tokens: readonly IssuedToken[]) => string = linesOf;

/** Webhook deliveries as JSON, unchanged, one per line. */
export const formatDeliveries: (deliveries: readonly Delivery[]) => string = linesOf;

/** Webhook endpoints as JSON, unchanged, one per line. */
export const formatEndpoints: (endpoints: readonly WebhookEndpoint[]) => string = linesOf;

/** Audit entries as JSON, unchanged, one per line. */
export const formatAudit: (entries: readonly AuditEntry[]) => string = linesOf;

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

/**
 * A trace, oldest first: each line with its kind, its words and its entry, unchanged, and `end`, what the log of
 * connections or sessions has about the same end. The last line has what was not searched, and the several things that
 * the traced text may name, if anything.
 */
export function formatTrace({ lines, complete, searchedTo, missing, candidates }: Trace): string {
  const rows = lines.map((line) => {
    const [kind, entry, end] = ["kind", "entry", "end"].map((field) => fieldOf(line, field));
    return `${jsonOf({ kind, words: traceLineWords(line), entry, end }) ?? "null"}\n`;
  });
  const rest = {
    ...(!complete && { complete: false, searched_to: searchedTo }),
    ...(missing.length > 0 && { missing }),
    ...(candidates.length > 0 && { candidates }),
  };
  return rows.join("") + (Object.keys(rest).length === 0 ? "" : `${JSON.stringify(rest)}\n`);
}
