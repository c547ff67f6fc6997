import type { ApiCaller } from "../http/api-gate.js";
import { operationRoute } from "../http/operations.js";
import { type Action, type Gate, jsonAnswer, whileConnected } from "../http/route.js";
import type { Reads } from "../reads/reads.js";
import { checkOwnProject } from "../refusal.js";
import { momentMs } from "../search/moments.js";
import { readCursor, toCursor } from "./acts.js";

interface AuditRouteOptions {
  readonly gate: Gate<ApiCaller>;
  readonly reads: Reads;
  /** Throws if the database must not be read. */
  checkDatabase(): void;
}

const DEFAULT_LIMIT = 100;

/** The operation that lists the audit log. */
export function auditRoute({ gate, reads, checkDatabase }: AuditRouteOptions): Action<ApiCaller> {
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
