import { setTimeout } from "node:timers/promises";
import type { ApiCaller } from "../http/api-gate.js";
import { operationRoute } from "../http/operations.js";
import { type Action, type Gate, readyAnswer } from "../http/route.js";
import { Refusal } from "../refusal.js";
import { isLogKind, type Listings, logKinds } from "./log-store.js";
import type { EntryWriter } from "./log-writer.js";

// A caller that lists a log of calls or webhooks right after one expects to see it, but not to wait for a slow
// database.
const MAX_WAIT_MS = 100;

/** The operations that list the logs. */
export function logRoutes(listings: Listings, writer: EntryWriter, gate: Gate<ApiCaller>): Action<ApiCaller>[] {
  return Object.keys(logKinds)
    .filter(isLogKind)
    .map((kind) => {
      const { operation, isWrittenLater } = logKinds[kind];
      return operationRoute(operation, gate, async ({ body, key, request }) => {
        if (body.project_id !== undefined && body.project_id !== key.projectId) {
          const detail = "This API key belongs to another project. Leave project_id out, or use that project's key.";
          throw new Refusal("forbidden", detail);
        }
        if (isWrittenLater) {
          await Promise.race([writer.settled(kind), setTimeout(MAX_WAIT_MS, undefined, { ref: false })]);
        }
        return readyAnswer(await listings.list(key.projectId, kind), request.headers["accept-encoding"]);
      });
    });
}
