import type {
  AuditEntry,
  CheckAccessTokenRequest,
  CreateAccessTokenRequest,
  Delivery,
  EnableWebhookEndpointRequest,
  EventReason,
  IssuedToken,
  ListAccessTokensRequest,
  LiveChannel,
  ProblemError,
  ResendDeliveriesRequest,
  RevokeAccessTokenRequest,
  TokenRevocation,
  WebhookEndpoint,
} from "@media-ops/contract";
import {
  type AdmissionRule,
  decideAdmission,
  readUnverifiedToken,
  signToken,
  type TokenClaims,
  TokenInvalidError,
  TokenRequestError,
  textToTokenKey,
  toClaims,
  toRevocationList,
  verifyToken,
} from "@media-ops/tokens";
import { timeKey } from "../time.js";

/** An endpoint, for `setEndpoints()`. */
export type NewWebhookEndpoint = Pick<WebhookEndpoint, "kind"> & Partial<WebhookEndpoint>;

/** What the fake knows elsewhere. */
interface World {
  readonly apiKey: string;
  now(): number;
  live(): readonly LiveChannel[];
}

/** A refusal because of what the fake knows. */
class Refused extends Error {
  readonly fault: ProblemError;

  constructor(pointer: string, detail: string) {
    super(detail);
    this.fault = { pointer, detail };
  }
}

const reasonOf: Readonly<Record<AdmissionRule, EventReason>> = {
  "other-project": "unknown-project",
  "other-channel": "wrong-channel",
  revoked: "revoked",
  "other-role": "wrong-role",
  "no-connections": "limit-0",
  "channel-full": "channel-full",
};

const roles = ["sendrecv", "sendonly", "recvonly"];

/** The changes that are written to the audit log. */
const actions: Readonly<Record<string, string>> = {
  "/projects/revoke-access-token": "token.revoke",
  "/projects/resend-deliveries": "deliveries.resend",
  "/projects/enable-webhook-endpoint": "endpoint.enable",
};

/** The tokens, deliveries, endpoints and the audit log of a fake service. */
export function createManaged({ apiKey, now, live }: World) {
  // Oldest first.
  const tokens: { claims: TokenClaims; requested_by: string | undefined }[] = [];
  const revocations: TokenRevocation[] = [];
  const audit: AuditEntry[] = [];
  let deliveries: Delivery[] = [];
  let endpoints: WebhookEndpoint[] = [];
  let added = 0;

  const key_id = apiKey.split("_")[1] || "fake";
  // Tests may have any key, and one that is too short to sign with.
  const tokenKey = textToTokenKey(apiKey.padEnd(32, "-"), { kid: key_id });
  const timeAt = (ms: number): string => new Date(ms).toISOString();
  const timeNow = (): string => timeAt(now());
  const secondsAt = (seconds: number | undefined) => seconds && timeAt(seconds * 1000);
  const revocationOf = (claims: TokenClaims) => toRevocationList(revocations).find(claims);

  function stateOf(claims: TokenClaims): IssuedToken["state"] {
    if (revocationOf(claims)) return "revoked";
    if (claims.exp !== undefined && now() >= claims.exp * 1000) return "expired";
    return claims.nbf !== undefined && now() < claims.nbf * 1000 ? "not-yet-valid" : "active";
  }

  const usable = () => tokens.filter(({ claims }) => ["active", "not-yet-valid"].includes(stateOf(claims)));

  function toIssued({ claims, requested_by }: (typeof tokens)[number]): object {
    const { iat, jti, nbf, exp, channel_id, role, max_channel_connections } = claims;
    const { revoked_at, revoked_by } = revocationOf(claims) ?? {};
    const given = { channel_id, role, max_channel_connections, requested_by, revoked_at, revoked_by };
    const times = { issued_at: secondsAt(iat), not_before: secondsAt(nbf), expiration_time: secondsAt(exp) };
    return { jwt_id: jti, key_id, state: stateOf(claims), ...given, ...times };
  }

  async function create(request: CreateAccessTokenRequest, requested_by: string | undefined) {
    const { role = "sendrecv" } = request;
    if (!roles.includes(role)) throw new Refused("/role", `Must be one of: ${roles.join(", ")}.`);
    try {
      const claims = toClaims(request, { now: now() });
      tokens.push({ claims, requested_by });
      return { access_token: await signToken(claims, tokenKey) };
    } catch (error) {
      const [fault] = error instanceof TokenRequestError ? error.faults : [];
      throw fault ? new Refused(fault.pointer, fault.detail) : error;
    }
  }

  function revoke(request: RevokeAccessTokenRequest, revoked_by: string | undefined) {
    const { jwt_id, channel_id = "", issued_before = timeNow(), disconnect } = request;
    const subject = jwt_id === undefined ? { channel_id, issued_before } : { jwt_id };
    const before = usable();
    const known = revocations.find((one) => jwt_id !== undefined && one.jwt_id === jwt_id);
    const revoked_at = known?.revoked_at ?? timeNow();
    if (!known) revocations.push({ ...subject, revoked_at, ...(revoked_by !== undefined && { revoked_by }) });
    const ended = before.filter(({ claims }) => stateOf(claims) === "revoked").length;
    const ends = disconnect && { disconnected: 0, not_disconnected: 0 };
    return { ...subject, revoked_at, effective_by: revoked_at, tokens: ended, ...ends };
  }

  async function check({ access_token, channel_id, role }: CheckAccessTokenRequest): Promise<object> {
    const facts = (claims: TokenClaims) => {
      const { revoked_at } = revocationOf(claims) ?? {};
      return { ...claims, key_id, ...(revoked_at !== undefined && { revoked_at }) };
    };
    try {
      const given = { now: now(), revocations: toRevocationList(revocations) };
      const { claims } = await verifyToken(access_token, tokenKey, given);
      const channel = channel_id ?? claims.channel_id;
      const admission = channel && { admission: admit(claims, channel, role ?? claims.role ?? "sendrecv") };
      return { active: true, token_type: "Bearer", ...facts(claims), ...admission };
    } catch (error) {
      if (!(error instanceof TokenInvalidError)) throw error;
      const { code: reason } = error;
      const isReal = reason === "revoked" || reason === "expired" || reason === "not-yet-valid";
      const message = `The token is refused: ${reason}.`;
      return { active: false, reason, message, ...(isReal && facts(readUnverifiedToken(access_token).claims)) };
    }
  }

  function admit(claims: TokenClaims, channel_id: string, role: string): object {
    const { connections = 0, admitted = 0 } = live().find((channel) => channel.channel_id === channel_id) ?? {};
    const attempt = { channel_id, role, channel_connections: connections + admitted };
    const decided = decideAdmission(claims, attempt, { revocations: toRevocationList(revocations) });
    if (decided.allowed) return { ...attempt, allowed: true };
    const reason = reasonOf[decided.rule];
    return { ...attempt, allowed: false, reason, message: `The client would be refused: ${reason}.` };
  }

  function resend({ delivery_id, event_id, since, until, type }: ResendDeliveriesRequest) {
    const isChosen = (one: Delivery): boolean =>
      since === undefined
        ? one.delivery_id === delivery_id || one.event_id === event_id
        : isMatch(one, { state: "failed", type }) && isWithin(one.created_at, since, until);
    const chosen = deliveries.filter(isChosen);
    if (since === undefined && chosen.length === 0) {
      throw new Refused(delivery_id === undefined ? "/event_id" : "/delivery_id", "There is no such delivery.");
    }
    deliveries = deliveries.map((delivery): Delivery => {
      const { ended_at: _, fault, ...rest } = delivery;
      return chosen.includes(delivery) ? { ...rest, state: "waiting", next_attempt_at: timeNow() } : delivery;
    });
    return { resent: chosen.length, ...(since === undefined && { delivery_id: chosen[0]?.delivery_id ?? "" }) };
  }

  function enable({ kind }: EnableWebhookEndpointRequest): WebhookEndpoint {
    const endpoint = endpoints.find((one) => one.kind === kind);
    if (!endpoint) throw new Refused("/kind", `The project has no ${kind} webhook.`);
    const { off_since: _, off_reason, ...on } = endpoint;
    const enabled: WebhookEndpoint = endpoint.state === "off" ? { ...on, state: "ok" } : endpoint;
    endpoints = endpoints.map((one) => (one === endpoint ? enabled : one));
    return enabled;
  }

  const operations: Readonly<Record<string, (body: object, by: string | undefined) => object | Promise<object>>> = {
    "/projects/create-access-token": create,
    "/projects/list-access-tokens"(body) {
      const { include_ended, ...filter }: ListAccessTokensRequest = body;
      return page("tokens", (include_ended ? tokens : usable()).map(toIssued), filter);
    },
    "/projects/revoke-access-token": revoke,
    "/projects/check-access-token": (body) => check(body as CheckAccessTokenRequest),
    "/projects/list-access-token-revocations": (body) => page("revocations", revocations, { limit: 1000, ...body }),
    "/projects/list-deliveries": (body) => page("deliveries", deliveries, body),
    "/projects/resend-deliveries": resend,
    "/projects/list-webhook-endpoints": () => ({ endpoints }),
    "/projects/enable-webhook-endpoint": (body) => enable(body as EnableWebhookEndpointRequest),
    "/projects/list-audit-log": (body) => page("entries", audit, body),
  };

  function record(action: string, body: object, more: Omit<AuditEntry, "timestamp" | "action" | "key_id">): void {
    const { jwt_id, channel_id, delivery_id, event_id, since, kind }: Record<string, string> = { ...body };
    const subject = jwt_id ?? channel_id ?? delivery_id ?? event_id ?? (since ? `failed since ${since}` : kind);
    audit.push({ timestamp: timeNow(), action, ...(subject !== undefined && { subject }), ...more, key_id });
  }

  return {
    operations,
    /** Answers a call, or returns the fault of one that can't be answered. */
    async answer(
      path: string,
      body: object,
      { by, request_id }: { by: string | undefined; request_id: string },
    ): Promise<{ data: object } | { fault: ProblemError }> {
      const action = actions[path];
      const who = { ...(by !== undefined && { requested_by: by }), request_id };
      try {
        const data = (await operations[path]?.(body, by)) ?? {};
        if (action) record(action, body, { outcome: "done", ...who });
        return { data };
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (action) record(action, body, { outcome: "refused", detail: error.message, ...who });
        return { fault: error.fault };
      }
    },
    addDeliveries(...some: Partial<Delivery>[]): Delivery[] {
      const complete = some.map((delivery): Delivery => {
        added += 1;
        const sent = { timestamp: timeNow(), status: delivery.state === "failed" ? 503 : 200 };
        const ended = delivery.state === "waiting" ? { next_attempt_at: timeNow() } : { ended_at: timeNow() };
        const usual = { delivery_id: `delivery-${added}`, event_id: `event-${added}`, type: "connection.created" };
        return { ...usual, state: "delivered", created_at: timeNow(), attempts: [sent], ...ended, ...delivery };
      });
      const replaced = new Set(complete.map(({ delivery_id }) => delivery_id));
      deliveries = [...deliveries.filter(({ delivery_id }) => !replaced.has(delivery_id)), ...complete];
      return complete;
    },
    setEndpoints(...some: NewWebhookEndpoint[]): WebhookEndpoint[] {
      endpoints = some.map((endpoint) => ({ url: "https://hooks.example/media", state: "ok", ...endpoint }));
      return endpoints;
    },
    reset(): void {
      for (const list of [tokens, revocations, audit]) list.length = 0;
      [deliveries, endpoints] = [[], []];
    },
  };
}

/** What requests for pages have in common; other members are values that a row must have. */
interface PageRequest {
  readonly project_id?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** A page of the rows that match, newest first. The cursor is the number of the rows that are left. */
function page(name: string, all: readonly object[], request: PageRequest): object {
  const { project_id: _, since, until, limit = 100, cursor, ...values } = request;
  const timeOf = (row: { timestamp?: string; created_at?: string }): string => row.timestamp ?? row.created_at ?? "";
  const rows = all.filter((row) => isMatch(row, values) && isWithin(timeOf(row), since, until));
  const end = cursor === undefined ? rows.length : Number(cursor);
  const start = Math.max(0, end - limit);
  return { [name]: rows.slice(start, end).reverse(), ...(start > 0 && { next_cursor: String(start) }) };
}

/** Whether an item has these values. */
function isMatch(item: object, expected: object): boolean {
  const values: Record<string, unknown> = { ...item };
  return Object.entries(expected).every(([name, value]) => value === undefined || values[name] === value);
}

function isWithin(time: string, since: string | undefined, until: string | undefined): boolean {
  const key = timeKey(time) ?? "";
  return key >= (timeKey(since) ?? "") && key < (timeKey(until) ?? "~");
}
