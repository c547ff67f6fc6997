import { setTimeout } from "node:timers/promises";
import type { CountLogsRequest } from "@media-ops/contract";
import { extensionOperations, extensionsContract, type Node, operations, resolve } from "@media-ops/openapi/contract";
import type { ApiCaller } from "../http/api-gate.js";
import { bodyValidator, operationRoute } from "../http/operations.js";
import { type Action, type Gate, readyAnswer, whileConnected } from "../http/route.js";
import type { Reads } from "../reads/reads.js";
import { checkOwnProject } from "../refusal.js";
import { canGroupBy } from "../search/count.js";
import type { Listings } from "./listings.js";
import { type LogKind, logKindNames, logKinds } from "./log-store.js";
import type { EntryWriter } from "./log-writer.js";

// A caller that lists a log of calls or webhooks right after one expects to see it, but not to wait for a slow
// database.
const MAX_WAIT_MS = 100;

interface LogRoutesOptions {
  readonly listings: Listings;
  readonly reads: Reads;
  readonly writer: EntryWriter;
  readonly gate: Gate<ApiCaller>;
  checkDatabase(): void;
}

/** The operations that list the logs, and the one that counts their entries. */
export function logRoutes(options: LogRoutesOptions): Action<ApiCaller>[] {
  const { listings, reads, gate } = options;
  const lists = logKindNames.map((kind) =>
    operationRoute(logKinds[kind].operation, gate, async ({ body, key, request }) => {
      await prepare(options, { kind, ...body }, key);
      const accepts = request.headers["accept-encoding"];
      const isSearch = Object.keys(body).some((name) => name !== "project_id");
      if (!isSearch) return readyAnswer(await listings.list(key.projectId, kind), accepts);
      return whileConnected(request, (signal) => reads.search({ ...key, signal }, { kind, body, accepts }));
    }),
  );
  const count = operationRoute(
    "countLogs",
    gate,
    async ({ body, key, request }) => {
      await prepare(options, body, key);
      const accepts = request.headers["accept-encoding"];
      return whileConnected(request, (signal) => reads.count({ ...key, signal }, { body, accepts }));
    },
    validateCount,
  );
  return [...lists, count];
}

/** Refuses another project's log, and waits for the entries that were recorded before. */
async function prepare(
  { writer, checkDatabase }: LogRoutesOptions,
  { kind, project_id }: { kind: LogKind; project_id?: string },
  { projectId }: ApiCaller["key"],
): Promise<void> {
  checkOwnProject(project_id, projectId);
  checkDatabase();
  if (logKinds[kind].isWrittenLater) {
    await Promise.race([writer.settled(kind), setTimeout(MAX_WAIT_MS, undefined, { ref: false })]);
  }
}

/** The request's schema for one log, so that faults name the members which that log has. */
function schemaFor(kind: LogKind): object {
  const { properties = {}, ...schema } = extensionsContract.components?.schemas?.CountLogsRequest ?? {};
  const names = Object.values(properties.by?.items?.enum ?? {});
  const listing: Node | undefined = [...operations, ...extensionOperations].find(
    ({ operation: { operationId } }) => String(operationId) === logKinds[kind].operation,
  )?.operation;
  const body = resolve(resolve(listing?.requestBody ?? {}).content?.["application/json"]?.schema ?? {});
  return {
    ...schema,
    properties: {
      ...properties,
      kind: { const: kind },
      where: body.properties?.where,
      by: { ...properties.by, items: { type: "string", enum: names.filter((name) => canGroupBy(kind, String(name))) } },
    },
  };
}

const validateAny = bodyValidator<CountLogsRequest>("extensions.yaml#/components/schemas/CountLogsRequest");
const validators = new Map(
  logKindNames.map((kind) => [String(kind), bodyValidator<CountLogsRequest>(schemaFor(kind))]),
);

/** Validates the body of a count. Throws a refusal with all faults. */
function validateCount(body: unknown): CountLogsRequest {
  const kind = typeof body === "object" && body !== null && "kind" in body ? body.kind : undefined;
  return (validators.get(String(kind)) ?? validateAny)(body);
}
