import type { IncomingMessage } from "node:http";
import type { AuditEntry } from "@media-ops/contract";
import type { Statement } from "@media-ops/database";
import type { Kysely } from "kysely";
import { type ApiCaller, requestedByOf } from "../http/api-gate.js";
import { type OperationCall, type OperationId, operationRoute } from "../http/operations.js";
import { type Action, type Answer, type Gate, jsonAnswer, whileConnected } from "../http/route.js";
import { parseJson } from "../json.js";
import { RefusedCalls } from "../logs/refused-calls.js";
import type { Reads } from "../reads/reads.js";
import { badInput, checkOwnProject, toRefusal } from "../refusal.js";
import { momentMs } from "../search/moments.js";
import type { Tables } from "../storage/tables.js";
import { auditStatement } from "./audit.js";

/** What the routes of acts need to record them. */
export interface ActOptions {
  readonly gate: Gate<ApiCaller>;
  readonly query: Kysely<Tables>;
  write(statements: readonly Statement[]): Promise<unknown>;
  readonly refused: RefusedCalls<AuditEntry, Promise<unknown>>;
  now(): number;
}

/** Records acts that are refused or fail: those of a key in a minute that are alike share an entry. */
export const refusedActs = ({
  query,
  write,
  now,
}: Pick<ActOptions, "query" | "write" | "now">): ActOptions["refused"] =>
  // If the database is the fault, the entry can't be written either; the call's line in the log remains.
  new RefusedCalls((projectId, entry) => write([auditStatement(query, projectId, entry)]).catch(() => {}), now);

/** An act that a caller has requested. */
export interface Act {
  readonly now: number;
  readonly requestedBy: string | undefined;
  /** The statement that records the act as done, with details; it belongs in the transaction of the act. */
  done(detail?: string): Statement;
  failed(detail: string): Promise<void>;
}

/** An operation that changes something: each call is recorded in the audit log, and so is each refusal. */
export function actRoute<Id extends OperationId>(
  id: Id,
  { action, subjectOf }: { action: string; subjectOf(body: OperationCall<Id>["body"]): string | undefined },
  options: ActOptions,
  answer: (call: OperationCall<Id>, act: Act) => Promise<Answer>,
): Action<ApiCaller> {
  return operationRoute(id, options.gate, (call) =>
    recorded(call, { action, subject: subjectOf(call.body) }, options, async (act) => {
      checkOwnProject(Object(call.body).project_id, call.key.projectId);
      return answer(call, act);
    }),
  );
}

/** Runs an act, and records it if it is refused or fails. The act itself records that it is done. */
export async function recorded(
  { key, request, requestId }: ApiCaller & { request: IncomingMessage; requestId: string },
  { action, subject }: { action: string; subject: string | undefined },
  { query, refused, now }: Omit<ActOptions, "gate">,
  act: (act: Act) => Promise<Answer>,
): Promise<Answer> {
  const requestedBy = requestedByOf(request);
  const time = now();
  const entryOf = (outcome: AuditEntry["outcome"], detail?: string): AuditEntry => ({
    timestamp: new Date(time).toISOString(),
    action,
    outcome,
    ...(subject !== undefined && { subject }),
    ...(detail !== undefined && { detail }),
    ...(requestedBy !== undefined && { requested_by: requestedBy }),
    key_id: key.keyId,
    ...(request.socket.remoteAddress !== undefined && { address: request.socket.remoteAddress }),
    request_id: requestId,
  });
  const note = async (outcome: "refused" | "failed", detail: string): Promise<void> => {
    await refused.add(key, { kind: `${outcome} ${action}`, detail }, entryOf(outcome, detail));
  };
  try {
    return await act({
      now: time,
      requestedBy,
      done: (detail) => auditStatement(query, key.projectId, entryOf("done", detail)),
      failed: (detail) => note("failed", detail),
    });
  } catch (error) {
    const { status, message } = toRefusal(error);
    await note(status < 500 ? "refused" : "failed", message);
    throw error;
  }
}

/** Encodes the place of a listing as a cursor. */
export const toCursor = (place: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(place)).toString("base64url");

/** Reads a cursor of `toCursor`. @throws {Refusal} if it is not one. */
export function readCursor(cursor: string | undefined): readonly [number, string] | undefined {
  if (cursor === undefined) return undefined;
  const place = parseJson(Buffer.from(cursor, "base64url").toString());
  const [at, id]: unknown[] = Array.isArray(place) ? place : [];
  if (typeof at === "number" && typeof id === "string") return [at, id];
  throw badInput([{ pointer: "/cursor", detail: "Must be the next_cursor of an answer of this operation." }]);
}

const DEFAULT_LIMIT = 100;

/** The operation that lists the audit log. `checkDatabase` throws if the database must not be read. */
export function auditRoute({
  gate,
  reads,
  checkDatabase,
}: {
  gate: Gate<ApiCaller>;
  reads: Reads;
  checkDatabase(): void;
}): Action<ApiCaller> {
  return operationRoute("listAuditLog", gate, async ({ body, key, request }) => {
    checkOwnProject(body.project_id, key.projectId);
    checkDatabase();
    const { limit = DEFAULT_LIMIT } = body;
    const asked = {
      action: body.action,
      requestedBy: body.requested_by,
      since: body.since === undefined ? undefined : momentMs(body.since),
      until: body.until === undefined ? undefined : momentMs(body.until),
      before: readCursor(body.cursor)?.[1],
      limit,
    };
    const { rows, next } = await whileConnected(request, (signal) => reads.audit({ ...key, signal }, asked));
    return jsonAnswer({
      entries: rows.map(({ entry }) => entry),
      ...(next !== undefined && { next_cursor: toCursor([0, next]) }),
    });
  });
}
