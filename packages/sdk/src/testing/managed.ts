import type {
  AuditEntry,
  CheckAccessTokenRequest,
  CheckedToken,
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
import { managePaths } from "../operations.js";
import { timeKey } from "../time.js";
import { type FakeClaims, keyIdOf, readToken } from "./answers.js";

/** An operation on tokens, deliveries, endpoints or the audit log. */
export type ManageOperation = keyof typeof managePaths;

/** Whether it is an operation on tokens, deliveries, endpoints or the audit log. */
export const isManage = (operation: string): operation is ManageOperation => Object.hasOwn(managePaths, operation);

/** An endpoint, for `setEndpoints()`. */
export type NewWebhookEndpoint = Pick<WebhookEndpoint, "kind"> & Partial<WebhookEndpoint>;

/** A call of one of the operations. Its body is valid. */
interface ManageCall {
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

/** The tokens, deliveries, endpoints and the audit log of a fake service. */
export function createManaged({ apiKey, now, live }: World) {
  // Oldest first.
  const tokens: { claims: FakeClaims; requestedBy: string | undefined }[] = [];
  const revocations: TokenRevocation[] = [];
  const deliveries: Delivery[] = [];
  const audit: AuditEntry[] = [];
  let endpoints: WebhookEndpoint[] = [];
  let added = 0;

  const timeNow = (): string => new Date(now()).toISOString();

  function revocationOf({ jti, iat, channel_id }: FakeClaims, channel = channel_id): TokenRevocation | undefined {
    return revocations.find(({ jwt_id, channel_id, issued_before }) =>
      jwt_id === undefined
        ? channel_id === channel && isBefore(new Date(iat * 1000).toISOString(), issued_before)
        : jwt_id === jti,
    );
  }

  function stateOf(claims: FakeClaims): IssuedToken["state"] {
    if (revocationOf(claims)) return "revoked";
    if (claims.exp !== undefined && now() >= claims.exp * 1000) return "expired";
    return claims.nbf !== undefined && now() < claims.nbf * 1000 ? "not-yet-valid" : "active";
  }

  function toIssued({ claims, requestedBy }: (typeof tokens)[number]): IssuedToken {
    const { iat, jti, nbf, exp, channel_id, role, max_channel_connections } = claims;
    const { revoked_at, revoked_by } = revocationOf(claims) ?? {};
    return withoutUndefined({
      jwt_id: jti,
      key_id: keyIdOf(apiKey),
      issued_at: new Date(iat * 1000).toISOString(),
      channel_id,
      role,
      max_channel_connections,
      not_before: nbf === undefined ? undefined : new Date(nbf * 1000).toISOString(),
      expiration_time: exp === undefined ? undefined : new Date(exp * 1000).toISOString(),
      requested_by: requestedBy,
      state: stateOf(claims),
      revoked_at,
      revoked_by,
    });
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
    const known = revocations.find((one) => jwt_id !== undefined && one.jwt_id === jwt_id);
    const before = tokens.filter(({ claims }) => /^(active|not-yet-valid)$/.test(stateOf(claims)));
    const revocation = known ?? { ...subject, revoked_at: timeNow(), revoked_by: revokedBy };
    if (!known) revocations.push(withoutUndefined(revocation) as TokenRevocation);
    const ended = before.filter(({ claims }) => stateOf(claims) === "revoked").length;
    return {
      ...subject,
      revoked_at: revocation.revoked_at,
      effective_by: revocation.revoked_at,
      tokens: ended,
      ...(disconnect && { disconnected: 0, not_disconnected: 0 }),
    };
  }

  async function check({ access_token, channel_id, role }: CheckAccessTokenRequest): Promise<CheckedToken> {
    const read = await readToken(access_token, apiKey);
    const bad = (reason: EventReason) => ({ active: false, reason, message: `The token is refused: ${reason}.` });
    if ("reason" in read) return bad(read.reason);
    const { claims } = read;
    const state = stateOf(claims);
    const { revoked_at } = revocationOf(claims) ?? {};
    const facts = withoutUndefined({ ...claims, key_id: keyIdOf(apiKey), revoked_at });
    if (state !== "active") return { ...bad(state), ...facts };
    const channel = channel_id ?? claims.channel_id;
    return {
      active: true,
      token_type: "Bearer",
      ...facts,
      ...(channel !== undefined && { admission: admit(claims, channel, role ?? claims.role ?? "sendrecv") }),
    };
  }

  function admit(claims: FakeClaims, channel_id: string, role: NonNullable<CheckAccessTokenRequest["role"]>) {
    const { connections = 0, admitted = 0 } = live().find((channel) => channel.channel_id === channel_id) ?? {};
    const taken = connections + admitted;
    const { max_channel_connections: most = Number.POSITIVE_INFINITY } = claims;
    const reasons: [EventReason, boolean][] = [
      ["wrong-channel", claims.channel_id !== undefined && claims.channel_id !== channel_id],
      ["revoked", revocationOf(claims, channel_id) !== undefined],
      ["wrong-role", claims.role !== undefined && claims.role !== role],
      ["limit-0", most === 0],
      ["channel-full", taken >= most],
    ];
    const [reason] = reasons.find(([, applies]) => applies) ?? [];
    const refusal = reason && { reason, message: `The client would be refused: ${reason}.` };
    return { allowed: reason === undefined, channel_id, role, ...refusal, channel_connections: taken };
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
  function record<T>({ requestedBy, requestId }: ManageCall, action: string, subject: unknown, change: () => T): T {
    const write = (more: Pick<AuditEntry, "outcome" | "detail">) => {
      const by = requestedBy === undefined ? {} : { requested_by: requestedBy };
      const named = subject === undefined ? {} : { subject: String(subject) };
      const entry = { timestamp: timeNow(), action, ...more, ...named, ...by, key_id: keyIdOf(apiKey) };
      audit.push({ ...entry, request_id: requestId });
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

  const answers: { readonly [K in ManageOperation]: (call: ManageCall) => object | Promise<object> } = {
    listTokens({ body }) {
      const { limit, cursor, project_id: _, include_ended, ...filter }: ListAccessTokensRequest = body;
      const found = tokens.map(toIssued).filter((token) => isMatch(token, filter));
      const listed = found.filter(({ state }) => include_ended || /^(active|not-yet-valid)$/.test(state));
      return page("tokens", listed, { limit, cursor });
    },
    revokeToken(call) {
      const body: RevokeAccessTokenRequest = call.body;
      const subject = body.jwt_id ?? body.channel_id;
      return record(call, "token.revoke", subject, () => revoke(body, call.requestedBy));
    },
    checkToken: ({ body }) => check(body as CheckAccessTokenRequest),
    listRevocations: ({ body }) => page("revocations", revocations, { limit: 1000, ...body }),
    listDeliveries({ body }) {
      const { limit, cursor, project_id: _, since, until, ...filter }: ListDeliveriesRequest = body;
      const found = deliveries.filter((one) => isMatch(one, filter) && isWithin(one.created_at, since, until));
      return page("deliveries", found, { limit, cursor });
    },
    resendDeliveries(call) {
      const body: ResendDeliveriesRequest = call.body;
      const subject = body.delivery_id ?? body.event_id ?? (body.since && `failed since ${body.since}`);
      return record(call, "deliveries.resend", subject, () => resend(body));
    },
    listEndpoints: () => ({ endpoints }),
    enableEndpoint(call) {
      const body = call.body as EnableWebhookEndpointRequest;
      return record(call, "endpoint.enable", body.kind, () => enable(body));
    },
    listAudit({ body }) {
      const { limit, cursor, project_id: _, since, until, ...filter }: ListAuditLogRequest = body;
      const found = audit.filter((one) => isMatch(one, filter) && isWithin(one.timestamp, since, until));
      return page("entries", found, { limit, cursor });
    },
  };

  return {
    /** Answers a valid call, or returns the fault of one that can't be answered. */
    async answer(operation: ManageOperation, call: ManageCall): Promise<{ data: object } | { fault: ProblemError }> {
      try {
        return { data: await answers[operation](call) };
      } catch (error) {
        if (error instanceof Refused) return { fault: error.fault };
        throw error;
      }
    },
    /** Keeps a record of a token that was issued. */
    issue(claims: FakeClaims, requestedBy: string | undefined): void {
      tokens.push({ claims, requestedBy });
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

interface Paged {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A page of rows, newest first. The cursor is the number of the rows that are left. */
function page(name: string, rows: readonly unknown[], { limit = 100, cursor }: Paged) {
  if (cursor !== undefined && !/^\d{1,9}$/.test(cursor)) throw new Refused("/cursor", "Is not a cursor of this list.");
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

/** An object without the members that are undefined. */
function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return JSON.parse(JSON.stringify(value));
}
