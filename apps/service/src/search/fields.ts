import { logKinds as contractKinds, type FieldContent, type LogField, typeOf } from "@media-ops/contract";
import { type LogKind, logKindNames } from "../logs/log-store.js";

/** A field of a log's entries. */
export interface Field {
  readonly name: string;
  /** Times are compared with all of their digits. */
  readonly type: "number" | "text" | "time";
  /** Whether entries are found by the field's exact value, through the index of ids. */
  readonly isId: boolean;
}

/** The field that shows whether an entry failed. */
export interface FailureField {
  readonly name: string;
  /** Whether an entry with this value failed; undefined if the value doesn't show it. */
  hasFailed(value: unknown): boolean | undefined;
}

const failures: { readonly [Content in FieldContent]?: FailureField["hasFailed"] } = {
  // A call or a delivery failed if nothing answered, or an error did.
  status: (value) => (typeof value === "number" && !Number.isNaN(value) ? value === 0 || value >= 400 : undefined),
  outcome: (value) => (typeof value === "string" ? value !== "ok" : undefined),
};

const storedFields = (kind: LogKind): (readonly [name: string, field: LogField])[] =>
  Object.entries<LogField>(contractKinds[kind].fields).filter(([, { isDerived }]) => !isDerived);

const byKind = <Value>(of: (kind: LogKind) => Value): Readonly<Record<LogKind, Value>> =>
  Object.fromEntries(logKindNames.map((kind) => [kind, of(kind)])) as Record<LogKind, Value>;

/** The fields of each log's entries. `timestamp` is always the first. Segments store their columns in this order. */
export const logFields = byKind((kind): readonly Field[] =>
  storedFields(kind).map(([name, { holds, isId = false }]) => ({ name, type: typeOf(holds), isId })),
);

/** Whether a log's entries have a field. */
export const hasField = (kind: LogKind, name: string): boolean => logFields[kind].some((field) => field.name === name);

/** For each log, the field that shows whether an entry failed; undefined if its entries can't fail. */
export const failureFields = byKind((kind): FailureField | undefined => {
  const [found] = storedFields(kind).flatMap(([name, { holds }]) => {
    const hasFailed = failures[holds];
    return hasFailed ? [{ name, hasFailed }] : [];
  });
  return found;
});
