import type { AuditEntry, Delivery, IssuedToken, WebhookEndpoint } from "@media-ops/contract";
import { fieldOf, itemsIn } from "@media-ops/reports/entries";
import { type CsvLogsOptions, formatTable } from "../logs/csv.js";
import { actionWords } from "./audit.js";

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
const rowOf = (item: unknown, fields: readonly string[]) =>
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
    return { ...rowOf(delivery, fields), attempt_count: attempts.length, last_status };
  });
  return formatTable([...fields, "attempt_count", "last_status"], rows, options);
}

/** Webhook endpoints as CSV: every field unchanged, as in `formatLogs`. */
export const formatEndpoints = (endpoints: readonly WebhookEndpoint[], options: CsvLogsOptions = {}): string =>
  formatTable(Object.keys(endpointFields), endpoints, options);

/** Audit entries as CSV: `words` has the action in words; every field is unchanged, as in `formatLogs`. */
export function formatAudit(entries: readonly AuditEntry[], options: CsvLogsOptions = {}): string {
  const fields = Object.keys(auditFields);
  const rows = entries.map((entry) => ({ ...rowOf(entry, fields), words: actionWords(entry) }));
  return formatTable([...fields, "words"], rows, options);
}
