import type { LogKind } from "@media-ops/sdk";
import { longSessions, measured, RARE_STATUS, type StoredEntry } from "../harness/entries.js";

/** A question about the entries of a log. */
export interface Question {
  readonly name: string;
  readonly kind: LogKind;
  /** Whether no index answers it, so that every entry has to be looked at. */
  readonly isScan?: true;
  /** Whether few entries match, among very many. */
  readonly isRare?: true;
  /** What an entry would be found by, such as its channel; undefined if nobody asks for it. */
  keyOf(fields: StoredEntry["fields"], isSample: boolean): string | undefined;
  /** The conditions of the listing. */
  where(value: string): object;
  /** The same in SQL. */
  sql(value: string): string;
}

// So many that not each try asks for the same.
const VALUES = 40;
const channels = new Set(Array.from({ length: VALUES }, (_, at) => `room-${at}@${measured.projectId}`));
const clients = new Set(Array.from({ length: VALUES }, (_, at) => `camera-${at}`));
const sessions = new Set(longSessions.slice(0, VALUES));

/** A question for the entries with an id. */
function byId(name: string, field: string, asked?: ReadonlySet<string>): Question {
  return {
    name: `by ${name}`,
    kind: "connections",
    keyOf(fields, isSample) {
      const id = String(fields[field]);
      return (asked ? asked.has(id) : isSample) ? id : undefined;
    },
    where: (id) => ({ [field]: { eq: id } }),
    sql: (id) => `${field} = '${id}'`,
  };
}

/** A question with one value. */
function about(
  name: string,
  kind: LogKind,
  where: object,
  sql: string,
  matches: (fields: StoredEntry["fields"]) => boolean,
  kindOfSearch: Pick<Question, "isScan" | "isRare"> = {},
): Question {
  const keyOf = (fields: StoredEntry["fields"]) => (matches(fields) ? "" : undefined);
  return { name, kind, where: () => where, sql: () => sql, keyOf, ...kindOfSearch };
}

/** Whether a call has failed. */
export const isFailed = ({ status }: StoredEntry["fields"]): boolean => status === 0 || Number(status) >= 400;

// One entry of 200 million has more.
const MOST_BYTES = 1_990_000_000;
const ELAPSED_MS = 123;
const IN_ID = "ZZZZ";

/** What is asked. */
export const questions: readonly Question[] = [
  about("newest 1000 that failed", "webhooks", { failed: true }, "(status = 0 or status >= 400)", isFailed),
  byId("channel", "channel_id", channels),
  byId("session", "session_id", sessions),
  byId("client", "client_id", clients),
  byId("connection", "connection_id"),
  about(
    "a status of 1 in 100,000",
    "webhooks",
    { status: { eq: RARE_STATUS } },
    `status = ${RARE_STATUS}`,
    ({ status }) => status === RARE_STATUS,
    { isRare: true },
  ),
  about(
    "elapsed_time_ms and failed",
    "webhooks",
    { elapsed_time_ms: { eq: ELAPSED_MS }, failed: true },
    `elapsed_time_ms = ${ELAPSED_MS} and (status = 0 or status >= 400)`,
    (fields) => fields.elapsed_time_ms === ELAPSED_MS && isFailed(fields),
    { isScan: true },
  ),
  about(
    "url contains",
    "webhooks",
    { url: { contains: "MOVED" } },
    "contains(lower(url), 'moved')",
    ({ url }) => String(url).includes("moved"),
    { isScan: true },
  ),
  about(
    "total_bytes",
    "connections",
    { total_bytes: { gt: MOST_BYTES } },
    `total_received_bytes + total_sent_bytes > ${MOST_BYTES}`,
    (fields) => Number(fields.total_received_bytes) + Number(fields.total_sent_bytes) > MOST_BYTES,
    { isScan: true },
  ),
  about(
    "session_id contains",
    "connections",
    { session_id: { contains: IN_ID } },
    `contains(lower(session_id), '${IN_ID.toLowerCase()}')`,
    ({ session_id }) => String(session_id).includes(IN_ID),
    { isScan: true },
  ),
];
