import type { Trace, TraceLine } from "@media-ops/reports";
import { fieldOf } from "@media-ops/reports/entries";
import { type CsvLogsOptions, formatTable } from "../logs/csv.js";
import { traceLineWords } from "./timeline.js";

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
  return formatTable(FIELDS, trace.lines.map(rowOf), options);
}

/** The fields of the entry, with those that another log has about the same end. */
function rowOf(line: TraceLine): Record<string, unknown> {
  const [entry, end] = ["entry", "end"].map((field) => fieldOf(line, field));
  const own: Record<string, unknown> = { kind: fieldOf(line, "kind"), words: traceLineWords(line, { isBrief: true }) };
  return Object.fromEntries(FIELDS.map((field) => [field, own[field] ?? fieldOf(entry, field) ?? fieldOf(end, field)]));
}
