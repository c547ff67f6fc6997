import type { LogKind } from "@media-ops/contract";
import { fieldNamed } from "../kinds.js";
import { readTimestamp } from "../times.js";
import { type SortOrder, smallestOf } from "../values/field-choices.js";

/**
 * Compares entries of a log for an order; those without a value come last. Entries that compare as equal should stay in
 * their order, the newest first.
 *
 * @example entries.sort(comparing("connections", { field: "bytes", first: "largest" }))
 */
export function comparing(kind: LogKind, { field, first }: SortOrder): (a: object, b: object) => number {
  const wire = fieldNamed(kind, field)?.wire ?? field;
  const fields = wire === "total_bytes" ? ["total_received_bytes", "total_sent_bytes"] : [wire];
  const lacking = first === "largest" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const sizeOf = (entry: object): number => {
    const members = new Map<string, unknown>(Object.entries(entry));
    const size = fields.reduce((sum, name) => sum + numberOf(members.get(name)), 0);
    return Number.isNaN(size) ? lacking : size;
  };
  return (a, b) => {
    const [one, other] = first === "largest" ? [sizeOf(b), sizeOf(a)] : [sizeOf(a), sizeOf(b)];
    return one === other ? 0 : one - other;
  };
}

/** The field of an order, with the API's name, and the order in words: "by bytes", "by elapsed (smallest first)". */
export function orderOf(kind: LogKind, order: SortOrder): { sortedBy: string; words: string } {
  const { field, first } = order;
  const words = first === "largest" ? `by ${field}` : `by ${field} (${smallestOf(order)} first)`;
  return { sortedBy: fieldNamed(kind, field)?.wire ?? field, words };
}

function numberOf(value: unknown): number {
  if (typeof value === "string") return readTimestamp(value) ?? Number.NaN;
  return typeof value === "number" ? value : Number.NaN;
}
