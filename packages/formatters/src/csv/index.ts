import type { AuditEntry, Delivery, IssuedToken, LogEntryOf, LogKind, WebhookEndpoint } from "@media-ops/contract";
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

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** Names in order, separated by spaces; the types require each of them, and no other. */
const namesOf =
  <Name extends string>() =>
  <const Text extends string>(
    text: Text & ([Words<Text>, Name] extends [Name, Words<Text>] ? unknown : never),
  ): string[] =>
    text.split(" ");

/** What every line has, what it is about, and what the kinds of entries have beside these. */
const traceFields = namesOf<"kind" | "words" | { [Kind in LogKind]: keyof LogEntryOf<Kind> }[LogKind]>()(
  "kind timestamp type outcome reason words channel_id session_id connection_id client_id bundle_id role node_name media_reason detail count elapsed_time_ms status media_target url created_timestamp destroyed_timestamp duration_min total_received_bytes total_sent_bytes total_connections max_connections jwt_id key_id event_id",
);

/**
 * A trace as CSV, oldest first: a header line with the field names, then one line per entry. `words` has the line in
 * words; every other value is unchanged, as in `formatLogs`.
 */
export function formatTrace(trace: Pick<Trace, "lines">, options: CsvLogsOptions = {}): string {
  return formatTable(traceFields, trace.lines.map(traceRow), options);
}

/** The fields of the entry, with those that another log has about the same end. */
function traceRow(line: TraceLine): Record<string, unknown> {
  const [entry, end] = ["entry", "end"].map((field) => fieldOf(line, field));
  const own: Record<string, unknown> = { kind: fieldOf(line, "kind"), words: traceLineWords(line, { isBrief: true }) };
  return Object.fromEntries(
    traceFields.map((field) => [field, own[field] ?? fieldOf(entry, field) ?? fieldOf(end, field)]),
  );
}

const tokenFields = namesOf<keyof IssuedToken>()(
  "jwt_id state channel_id role max_channel_connections issued_at not_before expiration_time requested_by revoked_at revoked_by key_id",
);
const deliveryFields = namesOf<keyof Delivery>()(
  "delivery_id event_id type state created_at next_attempt_at ended_at fault attempts",
);
const endpointFields = namesOf<keyof WebhookEndpoint>()("kind url state failing_since off_since off_reason waiting");
const auditFields = namesOf<keyof AuditEntry>()(
  "timestamp requested_by action subject outcome detail key_id address request_id count",
);

const rowWith = (item: unknown, fields: readonly string[]) =>
  Object.fromEntries(fields.map((field) => [field, fieldOf(item, field)]));

/** Issued tokens as CSV: every field unchanged, as in `formatLogs`. */
export const formatTokens = (tokens: readonly IssuedToken[], options: CsvLogsOptions = {}): string =>
  formatTable(tokenFields, tokens, options);

/**
 * Webhook deliveries as CSV: every field unchanged, as in `formatLogs`, and the number of attempts and the status of the
 * last one.
 */
export function formatDeliveries(deliveries: readonly Delivery[], options: CsvLogsOptions = {}): string {
  const rows = deliveries.map((delivery) => {
    const attempts = itemsIn(delivery, "attempts");
    const last_status = fieldOf(attempts.at(-1), "status");
    return { ...rowWith(delivery, deliveryFields), attempt_count: attempts.length, last_status };
  });
  return formatTable([...deliveryFields, "attempt_count", "last_status"], rows, options);
}

/** Webhook endpoints as CSV: every field unchanged, as in `formatLogs`. */
export const formatEndpoints = (endpoints: readonly WebhookEndpoint[], options: CsvLogsOptions = {}): string =>
  formatTable(endpointFields, endpoints, options);

/** Audit entries as CSV: `words` has the action in words; every field is unchanged, as in `formatLogs`. */
export function formatAudit(entries: readonly AuditEntry[], options: CsvLogsOptions = {}): string {
  const rows = entries.map((entry) => ({ ...rowWith(entry, auditFields), words: actionWords(entry) }));
  return formatTable([...auditFields, "words"], rows, options);
}
