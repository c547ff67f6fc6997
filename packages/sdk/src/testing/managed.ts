import type {
  AuditEntry,
  CheckAccessTokenRequest,
  CreateAccessTokenRequest,
  Delivery,
  EnableWebhookEndpointRequest,
  EventReason,
  IssuedToken,
  ListAccessTokensRequest,
  ListAuditLogRequest,
  ListDeliveriesRequest,
  LiveChannel,
  ProblemError,
  ResendDeliveriesRequest,
  RevokeAccessTokenRequest,
  TokenRevocation,
  WebhookEndpoint,
} from "@media-ops/contract";
import {
  type AdmissionRule,
  apiKeyToTokenKey,
  decideAdmission,
  readUnverifiedToken,
  signToken,
  type TokenClaims,
  TokenInvalidError,
  TokenRequestError,
  toClaims,
  toRevocationList,
  verifyToken,
} from "@media-ops/tokens";
import { timeKey } from "../time.js";

/** An endpoint, for `setEndpoints()`. */
export type NewWebhookEndpoint = Pick<WebhookEndpoint, "kind"> & Partial<WebhookEndpoint>;

/** A call of an operation. Its body is valid. */
interface ManagedCall {
  readonly body: object;
  readonly requestedBy: string | undefined;
  readonly requestId: string;
}

/** What the fake knows elsewhere. */
interface World {
  readonly apiKey: string;
  now(): number;
  live(): readonly LiveChannel[];
}

/** A refusal because of what the fake knows, where the body itself is valid. */
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

/** The tokens, deliveries, endpoints and the audit log of a fake service. */
export function createManaged({ apiKey, now, live }: World) {
  // Oldest first.
  const tokens: { claims: TokenClaims; requestedBy: string | undefined }[] = [];
  const revocations: TokenRevocation[] = [];
  const deliveries: Delivery[] = [];
  const audit: AuditEntry[] = [];
  let endpoints: WebhookEndpoint[] = [];
  let added = 0;

  const keyId = apiKey.split("_")[1] ?? "";
  const timeNow = (): string => new Date(now()).toISOString();
  const timeAt = (seconds: number | undefined) => seconds && new Date(seconds * 1000).toISOString();
  const revoked = () => toRevocationList(revocations);

  function stateOf(claims: TokenClaims): IssuedToken["state"] {
    if (revoked().find(claims)) return "revoked";
    if (claims.exp !== undefined && now() >= claims.exp * 1000) return "expired";
    return claims.nbf !== undefined && now() < claims.nbf * 1000 ? "not-yet-valid" : "active";
  }

  const isUsable = (state: IssuedToken["state"]): boolean => state === "active" || state === "not-yet-valid";

  async function create(request: CreateAccessTokenRequest, requestedBy: string | undefined) {
    try {
      const claims = toClaims(request, { now: now() });
      tokens.push({ claims, requestedBy });
      return { access_token: await signToken(claims, apiKeyToTokenKey(apiKey)) };
    } catch (error) {
      const [fault] = error instanceof TokenRequestError ? error.faults : [];
      throw fault ? new Refused(fault.pointer, fault.detail) : error;
    }
  }

  function toIssued({ claims, requestedBy }: (typeof tokens)[number]): object {
    const { iat, jti, nbf, exp, channel_id, role, max_channel_connections } = claims;
    const { revoked_at, revoked_by } = revoked().find(claims) ?? {};
    return {
      jwt_id: jti,
      key_id: keyId,
      issued_at: timeAt(iat),
      ...{ channel_id, role, max_channel_connections, not_before: timeAt(nbf), expiration_time: timeAt(exp) },
      requested_by: requestedBy,
      state: stateOf(claims),
      ...{ revoked_at, revoked_by },
    };
  }

  function revoke(request: RevokeAccessTokenRequest, revokedBy: string | undefined) {
    const { jwt_id, channel_id, issued_before = timeNow(), disconnect } = request;
    if ((jwt_id === undefined) === (channel_id === undefined)) {
      throw new Refused("", "Must have either jwt_id, for one token, or channel_id, for all tokens of a channel.");
    }
    if (jwt_id !== undefined && request.issued_before !== undefined) {
      throw new Refused("/issued_before", "Is only for channel_id: a jwt_id names one token.");
    }
    if (isBefore(timeNow(), issued_before)) throw new Refused("/issued_before", "Must not be in the future.");
    const subject = jwt_id === undefined ? { channel_id, issued_before } : { jwt_id };
    const usable = tokens.filter(({ claims }) => isUsable(stateOf(claims)));
    const known = revocations.find((one) => jwt_id !== undefined && one.jwt_id === jwt_id);
    const by = revokedBy === undefined ? {} : { revoked_by: revokedBy };
    const revocation = known ?? { ...subject, revoked_at: timeNow(), ...by };
    if (!known) revocations.push(revocation as TokenRevocation);
    const { revoked_at } = revocation;
    const ended = usable.filter(({ claims }) => stateOf(claims) === "revoked").length;
    const ends = disconnect && { disconnected: 0, not_disconnected: 0 };
    return { ...subject, revoked_at, effective_by: revoked_at, tokens: ended, ...ends };
  }

  async function check({ access_token, channel_id, role }: CheckAccessTokenRequest): Promise<object> {
    const facts = (claims: TokenClaims) => ({ ...claims, key_id: keyId, ...revokedAt(claims) });
    try {
      const verified = await verifyToken(access_token, apiKeyToTokenKey(apiKey), {
        now: now(),
        revocations: revoked(),
      });
      const { claims } = verified;
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

  function revokedAt(claims: TokenClaims): Pick<TokenRevocation, "revoked_at"> | undefined {
    const { revoked_at } = revoked().find(claims) ?? {};
    return revoked_at === undefined ? undefined : { revoked_at };
  }

  function admit(claims: TokenClaims, channel_id: string, role: string): object {
    const { connections = 0, admitted = 0 } = live().find((channel) => channel.channel_id === channel_id) ?? {};
    const attempt = { channel_id, role, channel_connections: connections + admitted };
    const decided = decideAdmission(claims, attempt, { revocations: revoked() });
    if (decided.allowed) return { ...attempt, allowed: true };
    const reason = reasonOf[decided.rule];
    return { ...attempt, allowed: false, reason, message: `The client would be refused: ${reason}.` };
  }

  function resend({ delivery_id, event_id, since, until, type }: ResendDeliveriesRequest) {
    if ([delivery_id, event_id, since].filter((given) => given !== undefined).length !== 1) {
      throw new Refused("", "Must have either delivery_id or event_id, for one event, or since, for all that failed.");
    }
    const chosen = deliveries.filter((delivery) =>
      since === undefined
        ? delivery.delivery_id === delivery_id || delivery.event_id === event_id
        : delivery.state === "failed" && isMatch(delivery, { type }) && isWithin(delivery.created_at, since, until),
    );
    if (since === undefined && chosen.length === 0) {
      throw new Refused(delivery_id === undefined ? "/event_id" : "/delivery_id", "There is no such delivery.");
    }
    for (const { ended_at: _, fault, ...delivery } of chosen) {
      const again: Delivery = { ...delivery, state: "waiting", next_attempt_at: timeNow() };
      deliveries[deliveries.findIndex((one) => one.delivery_id === delivery.delivery_id)] = again;
    }
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

  /** Runs a change, and writes it into the audit log. */
  function record<T>({ requestedBy, requestId }: ManagedCall, action: string, subject: unknown, change: () => T): T {
    const write = (more: Pick<AuditEntry, "outcome" | "detail">) => {
      const by = requestedBy === undefined ? {} : { requested_by: requestedBy };
      const named = subject === undefined ? {} : { subject: String(subject) };
      audit.push({ timestamp: timeNow(), action, ...more, ...named, ...by, key_id: keyId, request_id: requestId });
    };
    try {
      const result = change();
      write({ outcome: "done" });
      return result;
    } catch (error) {
      if (error instanceof Refused) write({ outcome: "refused", detail: error.message });
      throw error;
    }
  }

  const answers: Readonly<Record<string, (call: ManagedCall) => object | Promise<object>>> = {
    "/projects/create-access-token": ({ body, requestedBy }) => create(body, requestedBy),
    "/projects/list-access-tokens"({ body }) {
      const { include_ended, ...filter }: ListAccessTokensRequest = body;
      const usable = tokens.filter(({ claims }) => include_ended || isUsable(stateOf(claims)));
      return page("tokens", usable.map(toIssued), filter);
    },
    "/projects/revoke-access-token"(call) {
      const body: RevokeAccessTokenRequest = call.body;
      const subject = body.jwt_id ?? body.channel_id;
      return record(call, "token.revoke", subject, () => revoke(body, call.requestedBy));
    },
    "/projects/check-access-token": ({ body }) => check(body as CheckAccessTokenRequest),
    "/projects/list-access-token-revocations": ({ body }) => page("revocations", revocations, { limit: 1000, ...body }),
    "/projects/list-deliveries"({ body }) {
      const { since, until, ...filter }: ListDeliveriesRequest = body;
      return page(
        "deliveries",
        deliveries.filter((one) => isWithin(one.created_at, since, until)),
        filter,
      );
    },
    "/projects/resend-deliveries"(call) {
      const body: ResendDeliveriesRequest = call.body;
      const subject = body.delivery_id ?? body.event_id ?? (body.since && `failed since ${body.since}`);
      return record(call, "deliveries.resend", subject, () => resend(body));
    },
    "/projects/list-webhook-endpoints": () => ({ endpoints }),
    "/projects/enable-webhook-endpoint"(call) {
      const body = call.body as EnableWebhookEndpointRequest;
      return record(call, "endpoint.enable", body.kind, () => enable(body));
    },
    "/projects/list-audit-log"({ body }) {
      const { since, until, ...filter }: ListAuditLogRequest = body;
      return page(
        "entries",
        audit.filter((one) => isWithin(one.timestamp, since, until)),
        filter,
      );
    },
  };

  return {
    /** Answers a valid call, or returns the fault of one that can't be answered. */
    async answer(path: string, call: ManagedCall): Promise<{ data: object } | { fault: ProblemError }> {
      try {
        return { data: (await answers[path]?.(call)) ?? {} };
      } catch (error) {
        if (error instanceof Refused) return { fault: error.fault };
        throw error;
      }
    },
    addDeliveries(...some: Partial<Delivery>[]): Delivery[] {
      const complete = some.map((delivery) => {
        const id = String(++added);
        const sent = { timestamp: timeNow(), status: delivery.state === "failed" ? 503 : 200 };
        const ended = delivery.state === "waiting" ? { next_attempt_at: timeNow() } : { ended_at: timeNow() };
        const usual = { delivery_id: `delivery-${id}`, event_id: `event-${id}`, type: "connection.created" };
        const state = "delivered" as const;
        return { ...usual, state, created_at: timeNow(), attempts: [sent], ...ended, ...delivery };
      });
      const replaced = new Set(complete.map(({ delivery_id }) => delivery_id));
      const others = deliveries.filter(({ delivery_id }) => !replaced.has(delivery_id));
      deliveries.splice(0, deliveries.length, ...others, ...complete);
      return complete;
    },
    setEndpoints(...some: NewWebhookEndpoint[]): WebhookEndpoint[] {
      endpoints = some.map((endpoint) => ({ url: "https://hooks.example/media", state: "ok", ...endpoint }));
      return endpoints;
    },
    reset(): void {
      for (const list of [tokens, revocations, deliveries, audit]) list.length = 0;
      endpoints = [];
    },
  };
}

/** What all requests for pages have in common. */
interface Filter {
  readonly project_id?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** A page of the rows with the values of a filter, newest first. The cursor is the number of the rows that are left. */
function page(name: string, all: readonly object[], { project_id: _, limit = 100, cursor, ...filter }: Filter): object {
  if (cursor !== undefined && !/^\d{1,9}$/.test(cursor)) throw new Refused("/cursor", "Is not a cursor of this list.");
  const rows = all.filter((row) => isMatch(row, filter));
  const end = cursor === undefined ? rows.length : Number(cursor);
  const start = Math.max(0, end - limit);
  return { [name]: rows.slice(start, end).reverse(), ...(start > 0 && { next_cursor: String(start) }) };
}

/** Whether an item has the values of a filter. */
function isMatch(item: object, filter: object): boolean {
  const values: Record<string, unknown> = { ...item };
  return Object.entries(filter).every(([name, value]) => value === undefined || values[name] === value);
}

function isWithin(time: string, since: string | undefined, until: string | undefined): boolean {
  return (since === undefined || !isBefore(time, since)) && (until === undefined || isBefore(time, until));
}

function isBefore(time: string, end: string | undefined): boolean {
  return (timeKey(time) ?? "") < (timeKey(end) ?? "");
}
