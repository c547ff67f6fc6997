import { extensionsContract, type Node } from "@media-ops/openapi/contract";
import type { CountLogsRequest, ProblemError } from "../generated/extensions.js";
import { bodyValidator } from "../http/json-body.js";
import { isLogKind, logKinds, sortKey, WINDOW_MS } from "../logs/log-store.js";
import { badInput } from "../refusal.js";
import { compileWhere, type Where } from "./conditions.js";
import type { CountQuestion } from "./count.js";
import { secondOf } from "./counter.js";
import { groupedBy } from "./groups.js";
import { momentKey } from "./moments.js";

const MAX_PERIODS = 2000;
const TOP = 100;

const schemas: Node = extensionsContract.components?.schemas ?? {};

/** The request's schema for one log, so that faults name the members which that log has. */
function schemaFor(kind: keyof typeof logKinds): object {
  const { properties = {}, ...schema } = schemas.CountLogsRequest ?? {};
  return {
    ...schema,
    properties: {
      ...properties,
      kind: { const: kind },
      where: { $ref: `media.yaml#/components/schemas/${whereOf[kind]}` },
      by: { ...properties.by, items: { type: "string", enum: groupedBy(kind) } },
    },
  };
}

const whereOf = {
  sessions: "SessionLogWhere",
  connections: "ConnectionLogWhere",
  api: "ApiLogWhere",
  "media-api": "MediaApiLogWhere",
  webhooks: "WebhookLogWhere",
} as const satisfies Record<keyof typeof logKinds, string>;

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

/**
 * Reads what a valid body asks for.
 *
 * @param now In ms since 1970.
 * @throws {Refusal} if its members contradict each other.
 */
export function readCount(projectId: string, body: CountLogsRequest, now: number): CountQuestion {
  const { kind, by = [], top = TOP, every, offset } = body;
  const oldest = sortKey(new Date(now - WINDOW_MS).toISOString());
  const since = body.since === undefined ? oldest : keyOf(body.since);
  const until = body.until === undefined ? later(sortKey(new Date(now).toISOString()), since) : keyOf(body.until);
  const from = earlier(later(since, oldest), until);
  const faults: ProblemError[] = [];
  if (body.since !== undefined && body.until !== undefined && since >= until) {
    faults.push({ pointer: "/until", detail: `Must be later than since, but ${body.until} is not.` });
  }
  if (offset !== undefined && every === undefined) {
    faults.push({ pointer: "/offset", detail: "Is only allowed with every. Add every, or leave offset out." });
  }
  const seconds = secondOf(until) - secondOf(from);
  if (every !== undefined && seconds / every > MAX_PERIODS) {
    const least = Math.ceil(seconds / MAX_PERIODS);
    faults.push({
      pointer: "/every",
      detail: `Must be at least ${least}: this range has more than ${MAX_PERIODS} periods of ${every} s.`,
    });
  }
  if (faults.length > 0) throw badInput(faults);
  // The schema of the log has checked that each condition suits its field.
  const where = body.where as Where | undefined;
  return {
    kind,
    log: [projectId, logKinds[kind].number],
    from,
    until,
    by,
    top,
    every,
    offset: offset ?? 0,
    conditions: compileWhere(kind, projectId, where),
    counted: countedOf(where),
  };
}

function countedOf(where: Where = {}): CountQuestion["counted"] {
  const names = Object.keys(where);
  if (names.length === 0) return "all";
  return names.length === 1 && where.failed === true ? "failed" : "some";
}

/** The sort key of a time that the schema has checked. */
function keyOf(moment: string): string {
  const key = momentKey(moment);
  if (key === undefined) throw new Error(`The contract accepts ${moment}, which is not a time.`);
  return key;
}

const later = (a: string, b: string): string => (a > b ? a : b);
const earlier = (a: string, b: string): string => (a < b ? a : b);
