import type { LogKind } from "../logs/log-store.js";

/** A field of a log's entries. */
export interface Field {
  readonly name: string;
  /** Times are compared with all of their digits. */
  readonly type: "number" | "text" | "time";
  /** Whether entries are found by the field's exact value, through the index of ids. */
  readonly isId?: true;
}

const time = (name: string): Field => ({ name, type: "time" });
const number = (name: string): Field => ({ name, type: "number" });
const text = (name: string): Field => ({ name, type: "text" });
const id = (name: string): Field => ({ name, type: "text", isId: true });

const lifetime = [time("created_timestamp"), time("destroyed_timestamp"), number("duration_min")];

/**
 * The fields of each log's entries, as in the contract. `timestamp` is always the first. Segments store their columns by
 * this order, so new fields are appended.
 */
export const logFields: Readonly<Record<LogKind, readonly Field[]>> = {
  sessions: [
    time("timestamp"),
    id("channel_id"),
    id("session_id"),
    number("total_connections"),
    number("max_connections"),
    ...lifetime,
  ],
  connections: [
    time("timestamp"),
    id("channel_id"),
    id("session_id"),
    id("client_id"),
    id("bundle_id"),
    id("connection_id"),
    number("total_received_bytes"),
    number("total_sent_bytes"),
    ...lifetime,
  ],
  api: [time("timestamp"), text("url"), number("status"), number("elapsed_time_ms"), number("count")],
  "media-api": [time("timestamp"), text("media_target"), id("channel_id"), number("status"), number("elapsed_time_ms")],
  webhooks: [
    time("timestamp"),
    text("type"),
    text("url"),
    number("status"),
    number("elapsed_time_ms"),
    id("channel_id"),
    id("connection_id"),
    text("event_id"),
  ],
  events: [
    time("timestamp"),
    text("type"),
    id("channel_id"),
    id("session_id"),
    id("connection_id"),
    id("client_id"),
    id("bundle_id"),
    text("role"),
    text("node_name"),
    text("outcome"),
    text("reason"),
    text("media_reason"),
    text("detail"),
    id("jwt_id"),
    text("key_id"),
    number("elapsed_time_ms"),
    number("count"),
    text("event_id"),
  ],
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
