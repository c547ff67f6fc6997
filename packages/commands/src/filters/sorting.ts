import type { LogKind } from "../api.js";
import { fieldNamed } from "../kinds.js";
import { readTimestamp } from "../times.js";
import type { SortOrder } from "../values/field-choices.js";

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

function numberOf(value: unknown): number {
  if (typeof value === "string") return readTimestamp(value) ?? Number.NaN;
  return typeof value === "number" ? value : Number.NaN;
}
