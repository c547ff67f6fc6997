import type { LogEntryOf, LogKind } from "@media-ops/contract";
import { DAY, MINUTE } from "./time.js";

/** The kind of a value, which determines how it is written. */
export type ValueKind =
  | "time"
  | "status"
  | "milliseconds"
  | "minutes"
  | "bytes"
  | "count"
  | "channel"
  | "id"
  | "address"
  | "outcome"
  | "reason"
  | "text";

/**
 * Where a column is shown: in every table, only in wide tables, or only in the details of an entry. An "optional" one
 * is shown in details and CSV if an entry has the field.
 */
export type ColumnPlace = "table" | "wide" | "detail" | "optional";

/** How one field of an entry is shown. */
export interface Column {
  title: string;
  as: ValueKind;
  /** @default "table" */
  in?: ColumnPlace;
}

/** A kind of log: its names, and its fields in the order in which they are shown. */
export interface LogTable<Field extends string = string> {
  /** The name as a heading. */
  title: string;
  /** One entry, within a sentence. */
  one: string;
  /** Several entries, within a sentence. */
  many: string;
  fields: { readonly [Name in Field]: Column };
}

const time = { title: "Time", as: "time" } as const;
const created = { title: "Created", as: "time", in: "detail" } as const;
const ended = { title: "Ended", as: "time", in: "detail" } as const;
const channel = { title: "Channel", as: "channel" } as const;
const duration = { title: "Duration", as: "minutes" } as const;
const status = { title: "Status", as: "status" } as const;
const took = { title: "Took", as: "milliseconds" } as const;
const optionalId = (title: string) => ({ title, as: "id", in: "optional" }) as const;

/** The table of all printers. The types require every kind and field of the contract. */
export const columns: { readonly [Kind in LogKind]: LogTable<keyof LogEntryOf<Kind> & string> } = {
  sessions: {
    title: "Session log",
    one: "session",
    many: "sessions",
    fields: {
      timestamp: time,
      channel_id: channel,
      total_connections: { title: "Connections", as: "count" },
      max_connections: { title: "Peak", as: "count" },
      duration_min: duration,
      session_id: { title: "Session", as: "id" },
      created_timestamp: created,
      destroyed_timestamp: ended,
    },
  },
  connections: {
    title: "Connection log",
    one: "connection",
    many: "connections",
    fields: {
      timestamp: time,
      channel_id: channel,
      client_id: { title: "Client", as: "id" },
      total_received_bytes: { title: "Received", as: "bytes" },
      total_sent_bytes: { title: "Sent", as: "bytes" },
      duration_min: duration,
      connection_id: { title: "Connection", as: "id", in: "wide" },
      session_id: { title: "Session", as: "id", in: "wide" },
      bundle_id: { title: "Bundle", as: "id", in: "detail" },
      created_timestamp: created,
      destroyed_timestamp: ended,
    },
  },
  api: {
    title: "API log",
    one: "API call",
    many: "API calls",
    fields: {
      timestamp: time,
      status,
      elapsed_time_ms: took,
      url: { title: "Address", as: "address" },
      count: { title: "Calls", as: "count", in: "optional" },
    },
  },
  "media-api": {
    title: "Media API log",
    one: "media API call",
    many: "media API calls",
    fields: {
      timestamp: time,
      status,
      elapsed_time_ms: took,
      media_target: { title: "Operation", as: "text" },
      channel_id: channel,
    },
  },
  webhooks: {
    title: "Webhook log",
    one: "webhook",
    many: "webhooks",
    fields: {
      timestamp: time,
      status,
      elapsed_time_ms: took,
      type: { title: "Event", as: "text" },
      url: { title: "Sent to", as: "address" },
      channel_id: { title: "Channel", as: "channel", in: "optional" },
      connection_id: optionalId("Connection"),
      event_id: optionalId("Event id"),
    },
  },
  events: {
    title: "Event log",
    one: "event",
    many: "events",
    fields: {
      timestamp: time,
      outcome: { title: "Outcome", as: "outcome" },
      type: { title: "Event", as: "text" },
      channel_id: channel,
      client_id: { title: "Client", as: "id" },
      connection_id: { title: "Connection", as: "id", in: "wide" },
      node_name: { title: "Node", as: "text", in: "wide" },
      role: { title: "Role", as: "text", in: "wide" },
      session_id: { title: "Session", as: "id", in: "detail" },
      bundle_id: optionalId("Bundle"),
      reason: { title: "Reason", as: "reason", in: "optional" },
      media_reason: { title: "Reported as", as: "text", in: "optional" },
      detail: { title: "Detail", as: "text", in: "optional" },
      elapsed_time_ms: { title: "Existed for", as: "milliseconds", in: "optional" },
      count: { title: "Times", as: "count", in: "optional" },
      jwt_id: optionalId("Token id"),
      key_id: optionalId("Key id"),
      event_id: optionalId("Event id"),
    },
  },
};

/** A column with its field. */
export interface FieldColumn extends Required<Column> {
  field: string;
}

/** A kind of log, with its columns in order. */
interface LogRow extends Omit<LogTable, "fields"> {
  columns: readonly FieldColumn[];
  /** The columns of fields that an entry may lack. */
  optionalColumns: readonly FieldColumn[];
}

const rows = new Map<string, LogRow>(
  Object.entries<LogTable>(columns).map(([kind, { fields, ...names }]) => {
    const all = Object.entries(fields).map(([field, column]): FieldColumn => ({ field, in: "table", ...column }));
    const isOptional = (column: FieldColumn): boolean => column.in === "optional";
    const row = { columns: all.filter((column) => !isOptional(column)), optionalColumns: all.filter(isOptional) };
    return [kind, { ...names, ...row }];
  }),
);

/**
 * The names and columns of a kind.
 *
 * @throws {TypeError} for an unknown kind.
 */
export function rowOf(kind: LogKind): LogRow {
  const found = rows.get(kind);
  if (found) return found;
  throw new TypeError(`"${String(kind)}" is not a kind of log. Kinds are ${[...rows.keys()].join(", ")}.`);
}

/** The column of a field of a kind; `undefined` if the kind has no such field. */
export function columnOf(kind: LogKind, field: string): FieldColumn | undefined {
  const { columns, optionalColumns } = rowOf(kind);
  return [...columns, ...optionalColumns].find((column) => column.field === field);
}

/** All kinds, in the order in which they are shown. */
export const KINDS = Object.keys(columns) as readonly LogKind[];

/** The columns of a kind, in order, without the optional ones. */
export const columnsOf = (kind: LogKind): readonly FieldColumn[] => rowOf(kind).columns;

/** The field with the time of an entry, of any kind. */
export const TIME_FIELD = "timestamp";

/**
 * Whether a status is a failure: refused, failed, or not answered.
 *
 * @param from The lowest failing status; 500 excludes invalid requests of the caller.
 */
export const isFailure = (status: number, from = 400): boolean => status === 0 || status >= from;

/** The logs that not every service has. */
const OPTIONAL: readonly LogKind[] = ["events"];

/** Whether a service may do without a log. */
export const isOptionalLog = (kind: LogKind): boolean => OPTIONAL.includes(kind);

/** The lowest status that is a failure of the service. */
export const failsFrom = (kind: LogKind): number => (kind === "api" ? 500 : 400);

/** How long a service keeps entries, in milliseconds: they say nothing about the time before. */
export const KEPT = 30 * DAY;

/** What a service still has of a period. */
type Kept =
  | { readonly since: number | undefined; readonly gone: undefined }
  | { readonly since: number; readonly gone: "part" | "all" };

/** The start of what a service still has of a period; that is the period's end if all of it is gone. */
export function keptOf(
  { since, until }: { since?: number | undefined; until?: number | undefined },
  now: number,
): Kept {
  // Two clocks differ a little, and time passes.
  const oldest = now - KEPT - MINUTE;
  if (until !== undefined && until < oldest) return { since: until, gone: "all" };
  return since !== undefined && since < oldest ? { since: now - KEPT, gone: "part" } : { since, gone: undefined };
}
