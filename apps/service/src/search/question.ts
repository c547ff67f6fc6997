import type { ListWebhookLogsRequest } from "@media-ops/contract";
import { type LogKind, type LogName, logKinds, MAX_ENTRIES, sortKey, WINDOW_MS } from "../logs/log-store.js";
import { badInput } from "../refusal.js";
import { type Conditions, compileWhere, type Where } from "./conditions.js";
import { type Cursor, fingerprintOf, readCursor } from "./cursor.js";
import { END_OF_TIME, later, momentKey } from "./moments.js";
import type { Order } from "./segments.js";

/** The body of a listing, valid by the contract's schema for its log. */
export type SearchBody = Omit<ListWebhookLogsRequest, "where"> & { readonly where?: Where };

/** What a search looks for. */
export interface Question {
  readonly log: LogName;
  readonly conditions: Conditions;
  /** The sort keys at which the range begins, and before which it ends. */
  readonly from: string;
  readonly until: string;
  readonly order: Order;
  readonly limit: number;
  readonly cursor: Cursor | undefined;
  /** How long the call is held until an entry matches, in seconds. */
  readonly waitSeconds: number;
  /** The same for all pages of a question. */
  readonly fingerprint: string;
}

/**
 * Reads the question of a body.
 *
 * @param now In ms since 1970.
 * @throws {Refusal} if its members contradict each other.
 */
export function readQuestion(projectId: string, kind: LogKind, body: SearchBody, now: number): Question {
  const { since, until, where, order = "newest", limit = MAX_ENTRIES, wait_s } = body;
  const log: LogName = [projectId, logKinds[kind].number];
  const range = readRange(body, now);
  const fingerprint = fingerprintOf([...log, since, until, where, order]);
  const cursor = body.cursor === undefined ? undefined : readCursor(body.cursor, fingerprint);
  if (wait_s !== undefined && !(cursor && "written" in cursor)) {
    const detail =
      "Needs a cursor that follows the log. Send an x-follow-cursor as cursor, or the x-next-cursor of a listing with one; or leave wait_s out.";
    throw badInput([{ pointer: "/wait_s", detail }]);
  }
  const conditions = compileWhere(kind, projectId, where);
  return { log, conditions, ...range, order, limit, cursor, waitSeconds: wait_s ?? 0, fingerprint };
}

/**
 * The range of sort keys that a body asks for, within the last 30 days.
 *
 * @throws {Refusal} if it ends before it begins.
 */
export function readRange(
  { since, until }: Pick<SearchBody, "since" | "until">,
  now: number,
): Pick<Question, "from" | "until"> {
  const start = sortKey(new Date(now - WINDOW_MS).toISOString());
  const from = since === undefined ? start : (momentKey(since) ?? start);
  const end = until === undefined ? END_OF_TIME : (momentKey(until) ?? END_OF_TIME);
  if (since !== undefined && until !== undefined && from >= end) {
    const detail = `Must be later than since, which is ${since}, but is ${until}. Send a later time, or leave one of them out.`;
    throw badInput([{ pointer: "/until", detail }]);
  }
  return { from: later(from, start), until: end };
}
