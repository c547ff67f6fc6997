import { extensionsContract, type Node } from "@media-ops/openapi/contract";
import type { CountLogsRequest, ProblemError } from "../generated/extensions.js";
import { bodyValidator } from "../http/operations.js";
import { isLogKind, logKinds, sortKey } from "../logs/log-store.js";
import { badInput } from "../refusal.js";
import { compileWhere, type Where } from "./conditions.js";
import type { CountQuestion } from "./count.js";
import { secondOf } from "./counter.js";
import { groupedBy } from "./groups.js";
import { END_OF_TIME, earlier, later } from "./moments.js";
import { readRange } from "./question.js";

const MAX_PERIODS = 2000;
const TOP = 100;
// The clock of the media server may be ahead: what just failed there is counted, as it is listed.
const AHEAD_MS = 3_600_000;

const schemas: Node = extensionsContract.components?.schemas ?? {};

/** The request's schema for one log, so that faults name the members which that log has. */
function schemaFor(kind: keyof typeof logKinds): object {
  const { properties = {}, ...schema } = schemas.CountLogsRequest ?? {};
  return {
    ...schema,
    properties: {
      ...properties,
      kind: { const: kind },
      where: { $ref: whereOf[kind] },
      by: { ...properties.by, items: { type: "string", enum: groupedBy(kind) } },
    },
  };
}

const whereOf = {
  sessions: "media.yaml#/components/schemas/SessionLogWhere",
  connections: "media.yaml#/components/schemas/ConnectionLogWhere",
  api: "media.yaml#/components/schemas/ApiLogWhere",
  "media-api": "media.yaml#/components/schemas/MediaApiLogWhere",
  webhooks: "media.yaml#/components/schemas/WebhookLogWhere",
  events: "extensions.yaml#/components/schemas/EventLogWhere",
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
  const range = readRange(body, now);
  const isOpen = range.until === END_OF_TIME;
  const until = isOpen ? later(keyOf(now + AHEAD_MS), range.from) : range.until;
  const from = earlier(range.from, until);
  const faults: ProblemError[] = [];
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
    openUntil: isOpen ? later(keyOf(now), from) : undefined,
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

const keyOf = (ms: number): string => sortKey(new Date(ms).toISOString());
