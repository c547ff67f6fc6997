// The API's conditions, as plain data. The compiler compares them with the SDK's types in whatever passes them to it.

/** The API's test of a field with numbers, or with texts or times. All members hold. */
export interface FieldTest<Value> {
  eq?: Value | Value[];
  gt?: Value;
  gte?: Value;
  lt?: Value;
  lte?: Value;
  contains?: Value | Value[];
  starts_with?: Value | Value[];
  like?: Value | Value[];
  any?: FieldTest<Value>[];
  all?: FieldTest<Value>[];
  not?: FieldTest<Value>;
}

/** The API's names of the fields of all logs that hold text. */
export type TextField =
  | "channel_id"
  | "channel"
  | "session_id"
  | "client_id"
  | "bundle_id"
  | "connection_id"
  | "url"
  | "from"
  | "type"
  | "media_target"
  | "event_id"
  | "role"
  | "node_name"
  | "outcome"
  | "reason"
  | "media_reason"
  | "detail"
  | "jwt_id"
  | "key_id";

/** The API's names of the fields of all logs that hold a time. */
export type TimeField = "timestamp" | "created_timestamp" | "destroyed_timestamp";

/** The API's names of the fields of all logs that hold a number. */
export type NumberField =
  | "total_connections"
  | "max_connections"
  | "total_received_bytes"
  | "total_sent_bytes"
  | "total_bytes"
  | "status"
  | "elapsed_time_ms"
  | "count"
  | "duration_min";

/** The API's conditions on the entries of a log, by field. */
export type LogWhere = { [Name in TextField | TimeField]?: FieldTest<string> } & {
  [Name in NumberField]?: FieldTest<number>;
} & { failed?: boolean };
