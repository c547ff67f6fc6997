import type {
  CheckAccessTokenRequest,
  CreateAccessTokenRequest,
  EnableWebhookEndpointRequest,
  ListAccessTokensRequest,
  ListAuditLogRequest,
  ListDeliveriesRequest,
  ListLiveChannelsRequest,
  ListRevocationsRequest,
  ListSessionLogsRequest,
  ListWebhookEndpointsRequest,
  ProblemError,
  ResendDeliveriesRequest,
  RevokeAccessTokenRequest,
} from "@media-ops/contract";
import { type LogKind, type LogWhere, logPaths, type managePaths } from "../operations.js";
import { parseTimestamp, timeKey } from "../time.js";

/** The faults of a value at a place of the body. */
type Rule = (value: unknown, pointer: string) => ProblemError[];
type Rules<Request> = { readonly [Field in keyof Required<Request>]: Rule };

const rule =
  (faultOf: (value: unknown) => string | undefined): Rule =>
  (value, pointer) => {
    const detail = faultOf(value);
    return detail ? [{ pointer, detail }] : [];
  };

const text = (min: number, max: number, faultOf: (value: string) => string | undefined = () => undefined): Rule =>
  rule((value) => {
    if (typeof value !== "string") return "Must be a string.";
    // Code points, as in JSON Schema.
    const length = [...value].length;
    if (length < min || length > max) return `Must have from ${min} to ${max} characters, but has ${length}.`;
    return faultOf(value);
  });

const time = text(20, 64, (value) =>
  parseTimestamp(value) ? undefined : "Must be an RFC 3339 date-time such as 2026-04-01T03:10:00Z.",
);

const count = (min: number, max: number): Rule =>
  rule((value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max
      ? undefined
      : `Must be a whole number from ${min} to ${max}.`,
  );

const number = rule((value) => (typeof value === "number" ? undefined : "Must be a number."));
const boolean = rule((value) => (typeof value === "boolean" ? undefined : "Must be true or false."));

const oneOf = (...known: readonly string[]): Rule =>
  rule((value) => (known.some((one) => one === value) ? undefined : `Must be one of: ${known.join(", ")}.`));

const list =
  (item: Rule, max = 100): Rule =>
  (value, pointer) => {
    if (!Array.isArray(value) || value.length < 1 || value.length > max) {
      return [{ pointer, detail: `Must be a list of 1 to ${max} items.` }];
    }
    return value.flatMap((one, index) => item(one, `${pointer}/${index}`));
  };

const oneOrMore =
  (item: Rule): Rule =>
  (value, pointer) =>
    (Array.isArray(value) ? list(item) : item)(value, pointer);

const object =
  (rules: Readonly<Record<string, Rule>>, minMembers = 0): Rule =>
  (value, pointer) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return [{ pointer, detail: "Must be a JSON object." }];
    }
    const members = Object.entries(value);
    if (members.length < minMembers)
      return [{ pointer, detail: `Must have one of: ${Object.keys(rules).join(", ")}.` }];
    const unknown = rule(() => `Is not a known field. Known: ${Object.keys(rules).join(", ")}.`);
    return members.flatMap(([field, member]) => {
      const ruleOf = Object.hasOwn(rules, field) ? rules[field] : unknown;
      return ruleOf?.(member, `${pointer}/${field.replaceAll("~", "~0").replaceAll("/", "~1")}`) ?? [];
    });
  };

/** A test of a field: its comparisons, and combinations of such tests. */
function testOf(comparisons: Readonly<Record<string, Rule>>): Rule {
  const test: Rule = (value, pointer) => combined(value, pointer);
  const combined = object({ ...comparisons, any: list(test), all: list(test), not: test }, 1);
  return test;
}

const ordered = (operand: Rule) => ({ gt: operand, gte: operand, lt: operand, lte: operand });
const operand = text(0, 2048);
const numberTest = testOf({ eq: oneOrMore(number), ...ordered(number) });
const timeTest = testOf(ordered(time));
const texts = oneOrMore(operand);
const textTest = testOf({ eq: texts, contains: texts, starts_with: texts, like: texts });

const lifetime = { created_timestamp: timeTest, destroyed_timestamp: timeTest, duration_min: numberTest };
const channel = { channel_id: textTest, channel: textTest };
const outcome = { status: numberTest, failed: boolean, elapsed_time_ms: numberTest };

const whereRules: { readonly [K in LogKind]: Rules<LogWhere<K>> } = {
  sessions: {
    timestamp: timeTest,
    ...channel,
    session_id: textTest,
    total_connections: numberTest,
    max_connections: numberTest,
    ...lifetime,
  },
  connections: {
    timestamp: timeTest,
    ...channel,
    session_id: textTest,
    client_id: textTest,
    bundle_id: textTest,
    connection_id: textTest,
    total_received_bytes: numberTest,
    total_sent_bytes: numberTest,
    total_bytes: numberTest,
    ...lifetime,
  },
  api: { timestamp: timeTest, url: textTest, from: textTest, ...outcome, count: numberTest },
  "media-api": { timestamp: timeTest, media_target: textTest, ...channel, ...outcome },
  webhooks: {
    timestamp: timeTest,
    type: textTest,
    url: textTest,
    ...outcome,
    ...channel,
    connection_id: textTest,
    event_id: textTest,
  },
  events: {
    timestamp: timeTest,
    type: textTest,
    ...channel,
    session_id: textTest,
    connection_id: textTest,
    client_id: textTest,
    bundle_id: textTest,
    role: textTest,
    node_name: textTest,
    outcome: textTest,
    failed: boolean,
    reason: textTest,
    media_reason: textTest,
    detail: textTest,
    jwt_id: textTest,
    key_id: textTest,
    elapsed_time_ms: numberTest,
    count: numberTest,
    event_id: textTest,
  },
};

const listRules: Rules<Pick<ListSessionLogsRequest, "project_id">> = { project_id: text(1, 255) };

const searchRules: Rules<Omit<ListSessionLogsRequest, "project_id" | "where">> = {
  since: time,
  until: time,
  limit: count(1, 1000),
  order: oneOf("newest", "oldest"),
  cursor: text(1, 1024),
  wait_s: count(0, 30),
};

const GROUPS = (
  "channel_id session_id client_id bundle_id connection_id url from type media_target status failed " +
  "role node_name outcome reason media_reason jwt_id key_id"
).split(" ");

const channelId = text(0, 255, (value) => {
  if (!/@[^@]+$/.test(value)) return "Must be <channel_name>@<project_id>.";
  if (new TextEncoder().encode(value).length > 255) return "Must have at most 255 bytes.";
  return undefined;
});

const liveRules: Rules<ListLiveChannelsRequest> = {
  ...listRules,
  channel_id: channelId,
  channel: text(1, 255),
  limit: count(1, 1000),
};

const role = oneOf("sendrecv", "sendonly", "recvonly");
const uuid = text(36, 36, (value) =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value) ? undefined : "Must be a UUID.",
);

const jti = text(1, 255, (value) =>
  /^[^\0\p{Cs}]+$/u.test(value) ? undefined : "Must be well-formed Unicode without NUL.",
);

const tokenRules: Rules<CreateAccessTokenRequest> = {
  channel_id: channelId,
  role,
  max_channel_connections: count(0, 5000),
  not_before: time,
  expiration_time: time,
  jwt_id: uuid,
};

const pageRules = { ...listRules, limit: count(1, 1000), cursor: text(0, 512) };
const name = text(1, 255);
const kind = oneOf("auth", "session", "event");
const deliveryRules = { delivery_id: text(1, 64), event_id: name, type: name, since: time, until: time };

/** The requests of the operations on tokens, deliveries, endpoints and the audit log. */
interface ManageRequests {
  listTokens: ListAccessTokensRequest;
  revokeToken: RevokeAccessTokenRequest;
  checkToken: CheckAccessTokenRequest;
  listRevocations: ListRevocationsRequest;
  listDeliveries: ListDeliveriesRequest;
  resendDeliveries: ResendDeliveriesRequest;
  listEndpoints: ListWebhookEndpointsRequest;
  enableEndpoint: EnableWebhookEndpointRequest;
  listAudit: ListAuditLogRequest;
}

const manageRules: { readonly [K in keyof typeof managePaths]: Rules<ManageRequests[K]> } = {
  listTokens: { ...pageRules, jwt_id: jti, channel_id: channelId, role, requested_by: name, include_ended: boolean },
  revokeToken: { ...listRules, jwt_id: jti, channel_id: channelId, issued_before: time, disconnect: boolean },
  checkToken: { ...listRules, access_token: text(1, 8192), channel_id: channelId, role },
  listRevocations: pageRules,
  listDeliveries: { ...pageRules, ...deliveryRules, state: oneOf("waiting", "delivered", "failed") },
  resendDeliveries: { ...listRules, ...deliveryRules, cursor: pageRules.cursor },
  listEndpoints: listRules,
  enableEndpoint: { ...listRules, kind },
  listAudit: { ...pageRules, since: time, until: time, action: name, requested_by: name },
};

const required: { readonly [K in keyof typeof managePaths]?: keyof ManageRequests[K] & string } = {
  checkToken: "access_token",
  enableEndpoint: "kind",
};

/** The faults of a request body. */
export type Validate = (body: unknown) => ProblemError[];

/** Validates a listing as a service with searches does. */
export const validateSearch = (kind: LogKind): Validate =>
  withRange(validator({ ...listRules, ...searchRules, where: object(whereRules[kind]) }));

/** Validates a listing as a service with the six operations only does. */
export const validateList: Validate = validator(listRules);

/** Validates a request for the live channels. */
export const validateLive: Validate = (body) => {
  const faults = validator(liveRules)(body);
  const { channel, channel_id }: ListLiveChannelsRequest = Object(body);
  const isTwice = faults.length === 0 && channel !== undefined && channel_id !== undefined;
  return isTwice ? [{ pointer: "/channel", detail: "Is not allowed together with channel_id." }] : faults;
};

/** Validates a request for a token. */
export const validateToken: Validate = validator(tokenRules);

/** Validates a request of an operation on tokens, deliveries, endpoints or the audit log. */
export const validateManage = (operation: keyof typeof managePaths): Validate => {
  const validate = validator(manageRules[operation]);
  const needed = required[operation];
  return (body) => {
    const faults = validate(body);
    const isMissing = faults.length === 0 && needed !== undefined && !(needed in Object(body));
    return isMissing ? [{ pointer: `/${needed}`, detail: "Must be given." }] : faults;
  };
};

/** Validates a request to count. */
export const validateCount: Validate = (body) => {
  const kind = (body as { kind?: unknown } | null)?.kind;
  const isKind = (value: unknown): value is LogKind => typeof value === "string" && Object.hasOwn(logPaths, value);
  if (!isKind(kind)) return [{ pointer: "/kind", detail: `Must be one of: ${Object.keys(logPaths).join(", ")}.` }];
  const where = whereRules[kind];
  const { since, until } = searchRules;
  const validate = validator({
    ...listRules,
    kind: () => [],
    since,
    until,
    where: object(where),
    by: list(oneOf(...GROUPS.filter((field) => field in where)), 2),
    top: count(1, 1000),
    every: count(1, 2_678_400),
    offset: count(-86_400, 86_400),
  });
  return withRange(validate)(body);
};

/** Also refuses a range that ends before it starts. */
function withRange(validate: Validate): Validate {
  return (body) => {
    const faults = validate(body);
    const { since, until } = faults.length > 0 ? {} : (body as { since?: string; until?: string });
    const [start, end] = [timeKey(since), timeKey(until)];
    return start && end && start >= end ? [{ pointer: "/until", detail: "Must be later than since." }] : faults;
  };
}

function validator(rules: Readonly<Record<string, Rule>>): Validate {
  const check = object(rules);
  // The contract's limit.
  return (body) => check(body, "").slice(0, 100);
}
