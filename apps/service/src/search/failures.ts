import type { NumberTest, TextTest } from "@media-ops/contract";
import type { LogKind } from "../logs/log-store.js";
import { logFields } from "./fields.js";
import { canHold, toNumberPredicate, toTextPredicate } from "./predicates.js";
import type { Column } from "./segments.js";

/** How the entries of a log show whether they failed: by one of their fields. */
export interface Failure {
  readonly field: "status" | "outcome";
  /** Whether an entry with this value failed; undefined if the value does not show it. */
  hasFailed(value: unknown): boolean | undefined;
  /** Whether a test of the field is passed by no values but those of entries that failed. */
  isImpliedBy(test: NumberTest | TextTest): boolean;
}

// No number lies between this one and the lowest status of an error.
const BELOW_ERRORS = 400 - 2 ** -44;

/** A call or a delivery failed if nothing answered, or an error did. */
const byStatus: Failure = {
  field: "status",
  hasFailed: (value) => (typeof value === "number" && !Number.isNaN(value) ? value === 0 || value >= 400 : undefined),
  isImpliedBy: (test: NumberTest) =>
    !toNumberPredicate(test)(Number.NaN) &&
    !canHold(test, Number.NEGATIVE_INFINITY, -Number.MIN_VALUE) &&
    !canHold(test, Number.MIN_VALUE, BELOW_ERRORS),
};

const OK = "ok";

/** An event failed if its outcome is another one than `ok`. */
const byOutcome: Failure = {
  field: "outcome",
  hasFailed: (value) => (typeof value === "string" ? value !== OK : undefined),
  isImpliedBy(test: TextTest) {
    const holds = toTextPredicate(test);
    return !holds(undefined) && !holds(OK);
  },
};

/** How the entries of a log show whether they failed; undefined for a log in which nothing fails. */
export const failureOf = (kind: LogKind): Failure | undefined =>
  [byStatus, byOutcome].find(({ field }) => logFields[kind].some(({ name }) => name === field));

/** Returns a function that says whether an entry of a log failed. */
export function failedTest(kind: LogKind): (entry: Readonly<Record<string, unknown>>) => boolean {
  const failure = failureOf(kind);
  return failure ? (entry) => failure.hasFailed(entry[failure.field]) === true : () => false;
}

/** Which entries of a segment failed, by the column of the field that shows it: 1 for each that did. */
export function failedIn({ hasFailed }: Failure, column: Column): Uint8Array {
  if (column.type === "number") {
    const { values } = column;
    const failed = new Uint8Array(values.length);
    // Uint8Array.from takes ten times as long.
    for (let at = 0; at < values.length; at++) if (hasFailed(values[at])) failed[at] = 1;
    return failed;
  }
  const { dictionary, codes } = column;
  const ofCodes = dictionary.map(hasFailed);
  const failed = new Uint8Array(codes.length);
  for (let at = 0; at < codes.length; at++) if (ofCodes[codes[at] ?? 0]) failed[at] = 1;
  return failed;
}
