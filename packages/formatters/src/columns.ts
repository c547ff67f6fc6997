import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import { fieldNamesOf, fieldOf } from "./values/field.js";
import { formatCount } from "./values/numbers.js";
import { oneLine } from "./values/text.js";

/** What a value is, which says how it is written. */
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
  | "text";

/**
 * Where a column is shown: in every table, only in tables that have room for it, or only where one entry is shown with
 * all that it holds. An "optional" one is shown there, and in CSV, if an entry has the field.
 */
export type ColumnPlace = "table" | "wide" | "detail" | "optional";

/** How one field of an entry is shown. */
export interface Column {
  title: string;
  as: ValueKind;
  /** @default "table" */
  in?: ColumnPlace;
}

/** A kind of log: what it is called, and its fields in the order in which they are shown. */
export interface LogTable<Field extends string = string> {
  /** As a heading. */
  title: string;
  /** One entry, as it stands within a sentence. */
  one: string;
  /** Several. */
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

/**
 * The one table from which all printers work. A kind that is added to the contract is added here, a field likewise; the
 * types demand both.
 */
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
    },
  },
};

/** A column, and the field that stands in it. */
export interface FieldColumn extends Required<Column> {
  field: string;
}

/** A row of the table, with its columns in order. */
interface LogRow extends Omit<LogTable, "fields"> {
  columns: readonly FieldColumn[];
  /** Those of the fields that an entry may lack. */
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
 * What is known of a kind.
 *
 * @throws {TypeError} where there is no such kind.
 */
export function rowOf(kind: LogKind): LogRow {
  const found = rows.get(kind);
  if (found) return found;
  throw new TypeError(`"${String(kind)}" is no kind of log. It is one of ${[...rows.keys()].join(", ")}.`);
}

/** The columns of a kind, in order, without the optional ones. */
export const columnsOf = (kind: LogKind): readonly FieldColumn[] => rowOf(kind).columns;

/** The optional columns of a kind whose field at least one of these entries has. */
export const givenColumnsOf = (kind: LogKind, entries: readonly unknown[]): readonly FieldColumn[] =>
  rowOf(kind).optionalColumns.filter(({ field }) => entries.some((entry) => fieldOf(entry, field) !== undefined));

/** The field that says when an entry was logged. */
export const timeFieldOf = (kind: LogKind): string | undefined => {
  return columnsOf(kind).find((column) => column.as === "time" && column.in === "table")?.field;
};

/** The columns of one entry with all that it holds: those of its kind in order, then the fields that nobody knows yet. */
export function detailColumnsOf(kind: LogKind, entry: unknown): readonly FieldColumn[] {
  const known = [...columnsOf(kind), ...givenColumnsOf(kind, [entry])];
  const names = new Set(known.map(({ field }) => field));
  const unknown = fieldNamesOf(entry)
    .filter((field) => !names.has(field))
    .map((field) => ({ field, title: oneLine(field) || "(no name)", as: "text" as const, in: "detail" as const }));
  return [...known, ...unknown];
}

/** What stands above a column. Where times are in UTC it says so: few readers have it on their own clock. */
export function headingOf({ title, as }: Pick<FieldColumn, "title" | "as">, timeZone: string): string {
  return as === "time" && timeZone === "UTC" ? `${title} (UTC)` : title;
}

/** Whether values are compared by their digits, which therefore stand below one another, at the right. */
export const isFigure = (as: ValueKind): boolean => FIGURES.includes(as);

const FIGURES: readonly ValueKind[] = ["milliseconds", "minutes", "bytes", "count"];

/** "1 webhook", "1,204 webhooks". */
export function amountOf(kind: LogKind, count: number): string {
  const { one, many } = rowOf(kind);
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** What stands in the place of entries where there are none. */
export const noneFound = (kind: LogKind): string => `No ${rowOf(kind).many} were found.`;

/** As a heading or a sentence begins. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
