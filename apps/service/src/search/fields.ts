import type { LogKind } from "../logs/log-store.js";

/** A field of a log's entries. */
export interface Field {
  readonly name: string;
  /** A timestamp is compared with all of its digits. */
  readonly type: "number" | "text" | "time";
  /** Whether entries are found by the field's exact value through an index. */
  readonly isId?: true;
}

const time = (name: string): Field => ({ name, type: "time" });
const number = (name: string): Field => ({ name, type: "number" });
const text = (name: string): Field => ({ name, type: "text" });
const id = (name: string): Field => ({ name, type: "text", isId: true });

const lifetime = [time("created_timestamp"), time("destroyed_timestamp"), number("duration_min")];

/** The fields of each log's entries, as the contract describes them. `timestamp` is always the first. */
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
