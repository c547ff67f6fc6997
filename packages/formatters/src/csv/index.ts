import type { AuditEntry, Delivery, IssuedToken, LogKind, WebhookEndpoint } from "@media-ops/contract";
import type { Trace, TraceLine } from "@media-ops/reports";
import { columnsOf, fieldOf, itemsIn, rowOf } from "@media-ops/reports/entries";
import { actionWords } from "../audit.js";
import { givenColumnsOf } from "../logs.js";
import { traceLineWords } from "../trace.js";
import { type CsvLogsOptions, formatTable, headerOf, rowsOf } from "./table.js";

export { type CsvLogsOptions, formatTable, undoFormulaGuard } from "./table.js";

/**
 * Log entries as CSV (RFC 4180): a header line with the field names, then one line per entry; every line ends with
 * CRLF.
 *
 * Nothing is rounded, shortened or translated: numbers and timestamps are unchanged, missing and null values are empty,
 * objects and lists are JSON. There is one exception: a text that a spreadsheet would run as a formula (it starts with
 * `=`, `+`, `-`, `@`, a tab or a carriage return, also after spaces and apostrophes) gets an apostrophe before it, and
 * so does the rest of a text after a possible end of a cell (a semicolon, a tab or a line end). `undoFormulaGuard`
 * removes the apostrophes.
 */
export function formatLogs(kind: LogKind, entries: readonly unknown[], options: CsvLogsOptions = {}): string {
  const fields = [...columnsOf(kind), ...givenColumnsOf(kind, entries)].map(({ field }) => field);
  return formatTable(fields, entries, options);
}

/** The header line of a file that is written in parts; it names every field that an entry of the kind may have. */
export function formatHeader(kind: LogKind, { bom }: CsvLogsOptions = {}): string {
  return headerOf(fieldsOf(kind), bom);
}

/** The lines of some entries of a file that is written in parts, after {@link formatHeader}. */
export function formatRows(kind: LogKind, entries: readonly unknown[]): string {
  return rowsOf(fieldsOf(kind), entries);
}

function fieldsOf(kind: LogKind): string[] {
  const { columns, optionalColumns } = rowOf(kind);
  return [...columns, ...optionalColumns].map(({ field }) => field);
}

/** The columns: what every line has, what it is about, and what the kinds of entries have beside these. */
const FIELDS = [
  "kind",
  "timestamp",
  "type",
  "outcome",
  "reason",
  "words",
  "channel_id",
  "session_id",
  "connection_id",
  "client_id",
  "bundle_id",
  "role",
  "node_name",
  "media_reason",
  "detail",
  "count",
  "elapsed_time_ms",
  "status",
  "media_target",
  "url",
  "created_timestamp",
  "destroyed_timestamp",
  "duration_min",
  "total_received_bytes",
  "total_sent_bytes",
  "total_connections",
  "max_connections",
  "jwt_id",
  "key_id",
  "event_id",
];

/**
 * A trace as CSV, oldest first: a header line with the field names, then one line per entry. `words` has the line in
 * words; every other value is unchanged, as in `formatLogs`.
 */
export function formatTrace(trace: Pick<Trace, "lines">, options: CsvLogsOptions = {}): string {
  return formatTable(FIELDS, trace.lines.map(traceRow), options);
}

/** The fields of the entry, with those that another log has about the same end. */
function traceRow(line: TraceLine): Record<string, unknown> {
  const [entry, end] = ["entry", "end"].map((field) => fieldOf(line, field));
  const own: Record<string, unknown> = { kind: fieldOf(line, "kind"), words: traceLineWords(line, { isBrief: true }) };
  return Object.fromEntries(FIELDS.map((field) => [field, own[field] ?? fieldOf(entry, field) ?? fieldOf(end, field)]));
}

/** The fields of each list, in order. The types require every field of the contract. */
const tokenFields: { readonly [Field in keyof IssuedToken]-?: true } = {
  jwt_id: true,
  state: true,
  channel_id: true,
  role: true,
  max_channel_connections: true,
  issued_at: true,
  not_before: true,
  expiration_time: true,
  requested_by: true,
  revoked_at: true,
  revoked_by: true,
  key_id: true,
};

const deliveryFields: { readonly [Field in keyof Delivery]-?: true } = {
  delivery_id: true,
  event_id: true,
  type: true,
  state: true,
  created_at: true,
  next_attempt_at: true,
  ended_at: true,
  fault: true,
  attempts: true,
};

const endpointFields: { readonly [Field in keyof WebhookEndpoint]-?: true } = {
  kind: true,
  url: true,
  state: true,
  failing_since: true,
  off_since: true,
  off_reason: true,
  waiting: true,
};

const auditFields: { readonly [Field in keyof AuditEntry]-?: true } = {
  timestamp: true,
  requested_by: true,
  action: true,
  subject: true,
  outcome: true,
  detail: true,
  key_id: true,
  address: true,
  request_id: true,
  count: true,
};

/** An item's fields, as a row to which others are added. */
const rowWith = (item: unknown, fields: readonly string[]) =>
  Object.fromEntries(fields.map((field) => [field, fieldOf(item, field)]));

/** Issued tokens as CSV: every field unchanged, as in `formatLogs`. */
export const formatTokens = (tokens: readonly IssuedToken[], options: CsvLogsOptions = {}): string =>
  formatTable(Object.keys(tokenFields), tokens, options);

/**
 * Webhook deliveries as CSV: every field unchanged, as in `formatLogs`, and the number of attempts and the status of the
 * last one.
 */
export function formatDeliveries(deliveries: readonly Delivery[], options: CsvLogsOptions = {}): string {
  const fields = Object.keys(deliveryFields);
  const rows = deliveries.map((delivery) => {
    const attempts = itemsIn(delivery, "attempts");
    const last_status = fieldOf(attempts.at(-1), "status");
    return { ...rowWith(delivery, fields), attempt_count: attempts.length, last_status };
  });
  return formatTable([...fields, "attempt_count", "last_status"], rows, options);
}

/** Webhook endpoints as CSV: every field unchanged, as in `formatLogs`. */
export const formatEndpoints = (endpoints: readonly WebhookEndpoint[], options: CsvLogsOptions = {}): string =>
  formatTable(Object.keys(endpointFields), endpoints, options);

/** Audit entries as CSV: `words` has the action in words; every field is unchanged, as in `formatLogs`. */
export function formatAudit(entries: readonly AuditEntry[], options: CsvLogsOptions = {}): string {
  const fields = Object.keys(auditFields);
  const rows = entries.map((entry) => ({ ...rowWith(entry, fields), words: actionWords(entry) }));
  return formatTable([...fields, "words"], rows, options);
}
