import type { LogKind } from "@media-ops/contract";
import type { Filter } from "./filters/field-types.js";
import { orderOf } from "./filters/sorting.js";
import type { SortOrder } from "./values/field-choices.js";

/** The parts of a command that the heading of its answer names. */
interface Listed {
  readonly name: string;
  readonly kind: LogKind;
  readonly filters: readonly Filter[];
  readonly since?: number;
  readonly until?: number;
  readonly sort?: SortOrder;
}

/** What a command asks for, for the heading of its answer: which log and period, which outcome, and which order. */
export function askedOf({ name, kind, filters, since, until, sort }: Listed) {
  const outcome = filters.find(({ test }) => test.is === "failed");
  return {
    kind,
    since,
    until,
    only: outcome && (outcome.negated ? ("ok" as const) : ("failed" as const)),
    order: sort && orderOf(kind, sort).words,
    isSummary: name === "summary",
  };
}
