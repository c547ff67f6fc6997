import type { Kysely } from "kysely";
import type { ApiCaller } from "../http/api-gate.js";
import { operationRoute } from "../http/operations.js";
import { type Action, type Gate, jsonAnswer } from "../http/route.js";
import { checkOwnProject } from "../refusal.js";
import { momentMs } from "../search/moments.js";
import type { Tables } from "../storage/tables.js";
import { readCursor, toCursor } from "./acts.js";
import { listAudit } from "./audit.js";

interface AuditRouteOptions {
  readonly gate: Gate<ApiCaller>;
  readonly query: Kysely<Tables>;
  /** Throws if the database must not be read. */
  checkDatabase(): void;
}

const DEFAULT_LIMIT = 100;

/** The operation that lists the audit log. */
export function auditRoute({ gate, query, checkDatabase }: AuditRouteOptions): Action<ApiCaller> {
  return operationRoute("listAuditLog", gate, async ({ body, key }) => {
    checkOwnProject(body.project_id, key.projectId);
    checkDatabase();
    const { limit = DEFAULT_LIMIT } = body;
    const filter = {
      projectId: key.projectId,
      action: body.action,
      requestedBy: body.requested_by,
      since: body.since === undefined ? undefined : momentMs(body.since),
      until: body.until === undefined ? undefined : momentMs(body.until),
      before: readCursor(body.cursor)?.[1],
    };
    const found = await listAudit(query, filter, limit);
    const last = found.at(-1);
    const isFull = last !== undefined && found.length === limit;
    return jsonAnswer({
      entries: found.map(({ entry }) => entry),
      ...(isFull && { next_cursor: toCursor([0, last.auditId]) }),
    });
  });
}
