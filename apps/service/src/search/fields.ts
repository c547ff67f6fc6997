import { type LogField, logKinds, typeOf } from "@media-ops/contract";
import type { LogKind } from "../logs/log-store.js";

/** A field of a log's entries. */
export interface Field {
  readonly name: string;
  /** Times are compared with all of their digits. */
  readonly type: "number" | "text" | "time";
  /** Whether entries are found by the field's exact value, through the index of ids. */
  readonly isId?: true;
}

const fieldsOf = (kind: LogKind): readonly Field[] =>
  Object.entries<LogField>(logKinds[kind].fields)
    .filter(([, field]) => !field.isDerived)
    .map(([name, { holds, isId }]) => ({ name, type: typeOf(holds), ...(isId && { isId }) }));

/**
 * The fields of each log's entries, as in the contract. `timestamp` is always the first. Segments store their columns by
 * this order.
 */
export const logFields: Readonly<Record<LogKind, readonly Field[]>> = {
  sessions: fieldsOf("sessions"),
  connections: fieldsOf("connections"),
  api: fieldsOf("api"),
  "media-api": fieldsOf("media-api"),
  webhooks: fieldsOf("webhooks"),
  events: fieldsOf("events"),
};

/** Whether a log's entries have a field. */
export const hasField = (kind: LogKind, name: string): boolean => logFields[kind].some((field) => field.name === name);

/** The field that shows whether an entry failed. */
export interface FailureField {
  readonly name: "status" | "outcome";
  /** Whether an entry with this value failed; undefined if the value doesn't show it. */
  hasFailed(value: unknown): boolean | undefined;
}

/** A call or a delivery failed if nothing answered, or an error did. */
const status: FailureField = {
  name: "status",
  hasFailed: (value) => (typeof value === "number" && !Number.isNaN(value) ? value === 0 || value >= 400 : undefined),
};

const outcome: FailureField = {
  name: "outcome",
  hasFailed: (value) => (typeof value === "string" ? value !== "ok" : undefined),
};

/** For each log, the field that shows whether an entry failed; undefined if its entries can't fail. */
export const failureFields: Readonly<Record<LogKind, FailureField | undefined>> = {
  sessions: undefined,
  connections: undefined,
  api: status,
  "media-api": status,
  webhooks: status,
  events: outcome,
};
