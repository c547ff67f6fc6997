import type { CountLogsRequest } from "@media-ops/contract";
import { extensionOperations, extensionsContract, type Node, operations, resolve } from "@media-ops/openapi/contract";
import { bodyValidator } from "../http/operations.js";
import { canGroupBy } from "../search/counter.js";
import { type LogKind, logKindNames, logKinds } from "./log-store.js";

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
export function validateCount(body: unknown): CountLogsRequest {
  const kind = typeof body === "object" && body !== null && "kind" in body ? body.kind : undefined;
  return (validators.get(String(kind)) ?? validateAny)(body);
}
