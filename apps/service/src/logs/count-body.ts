import type { CountLogsRequest } from "@media-ops/contract";
import { extensionsContract, type Node } from "@media-ops/openapi/contract";
import { bodyValidator } from "../http/operations.js";
import { canGroupBy } from "../search/counter.js";
import { isLogKind, type LogKind, logKinds } from "./log-store.js";

const schemas: Node = extensionsContract.components?.schemas ?? {};

const whereOf = {
  sessions: "media.yaml#/components/schemas/SessionLogWhere",
  connections: "media.yaml#/components/schemas/ConnectionLogWhere",
  api: "media.yaml#/components/schemas/ApiLogWhere",
  "media-api": "media.yaml#/components/schemas/MediaApiLogWhere",
  webhooks: "media.yaml#/components/schemas/WebhookLogWhere",
  events: "extensions.yaml#/components/schemas/EventLogWhere",
} as const satisfies Record<LogKind, string>;

/** The request's schema for one log, so that faults name the members which that log has. */
function schemaFor(kind: LogKind): object {
  const { properties = {}, ...schema } = schemas.CountLogsRequest ?? {};
  const names = Object.values(properties.by?.items?.enum ?? {});
  return {
    ...schema,
    properties: {
      ...properties,
      kind: { const: kind },
      where: { $ref: whereOf[kind] },
      by: { ...properties.by, items: { type: "string", enum: names.filter((name) => canGroupBy(kind, String(name))) } },
    },
  };
}

const validateAny = bodyValidator<CountLogsRequest>("extensions.yaml#/components/schemas/CountLogsRequest");
const validators = new Map(
  Object.keys(logKinds)
    .filter(isLogKind)
    .map((kind) => [String(kind), bodyValidator<CountLogsRequest>(schemaFor(kind))]),
);

/** Validates the body of a count. Throws a refusal with all faults. */
export function validateCount(body: unknown): CountLogsRequest {
  const kind = typeof body === "object" && body !== null && "kind" in body ? body.kind : undefined;
  return (validators.get(String(kind)) ?? validateAny)(body);
}
