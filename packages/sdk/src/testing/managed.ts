import type {
  AuditEntry,
  CheckAccessTokenRequest,
  CreateAccessTokenRequest,
  Delivery,
  EnableWebhookEndpointRequest,
  EventReason,
  IssuedToken,
  ListAccessTokensRequest,
  ListLiveChannelsRequest,
  LiveChannel,
  LiveChannels,
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
import { type Call, CONNECTION, type Operation, Refused } from "./logs.js";

/** An endpoint, for `setEndpoints()`. */
export type NewWebhookEndpoint = Pick<WebhookEndpoint, "kind"> & Partial<WebhookEndpoint>;

/** A channel that has connections now, for `setLive()`. */
export type NewLiveChannel = Pick<LiveChannel, "channel_id"> & Partial<LiveChannel>;

const reasonOf: Readonly<Record<AdmissionRule, EventReason>> = {
  "other-project": "unknown-project",
  "other-channel": "wrong-channel",
  revoked: "revoked",
  "other-role": "wrong-role",
  "no-connections": "limit-0",
  "channel-full": "channel-full",
};

const roles = ["sendrecv", "sendonly", "recvonly"];
const timeAt = (ms: number): string => new Date(ms).toISOString();

/** The tokens, deliveries, endpoints, live channels and the audit log of a fake service. */
export function createManaged({ apiKey, now }: { apiKey: string; now(): number }) {
  // Oldest first.
  const tokens: { claims: TokenClaims; requested_by: string | undefined }[] = [];
  const revocations: TokenRevocation[] = [];
  const audit: AuditEntry[] = [];
  let deliveries: Delivery[] = [];
  let endpoints: WebhookEndpoint[] = [];
  let live: LiveChannel[] = [];
  let added = 0;

  const key_id = apiKey.split("_")[1] || "fake";
  // Tests may have any key, and one that is too short to sign with.
  const tokenKey = textToTokenKey(apiKey.padEnd(32, "-"), { kid: key_id });
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

  async function create(request: CreateAccessTokenRequest, { by: requested_by }: Call): Promise<object> {
    const { role = "sendrecv" } = request;
    if (!roles.includes(role)) throw new Refused({ pointer: "/role", detail: `Must be one of: ${roles.join(", ")}.` });
    try {
      const claims = toClaims(request, { now: now() });
      tokens.push({ claims, requested_by });
      return { access_token: await signToken(claims, tokenKey) };
    } catch (error) {
      throw error instanceof TokenRequestError ? new Refused(...error.faults.slice(0, 1)) : error;
    }
  }

  function revoke(request: RevokeAccessTokenRequest, { by: revoked_by }: Call): object {
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
    const { connections = 0, admitted = 0 } = live.find((channel) => channel.channel_id === channel_id) ?? {};
    const attempt = { channel_id, role, channel_connections: connections + admitted };
    const decided = decideAdmission(claims, attempt, { revocations: toRevocationList(revocations) });
    if (decided.allowed) return { ...attempt, allowed: true };
    const reason = reasonOf[decided.rule];
    return { ...attempt, allowed: false, reason, message: `The client would be refused: ${reason}.` };
  }

  function resend({ delivery_id, event_id, since, until, type }: ResendDeliveriesRequest) {
    const chosen = deliveries.filter((one) =>
      since === undefined
        ? one.delivery_id === delivery_id || one.event_id === event_id
        : isMatch(one, { state: "failed", type }) && isWithin(one.created_at, since, until),
    );
    if (since === undefined && chosen.length === 0) {
      const pointer = delivery_id === undefined ? "/event_id" : "/delivery_id";
      throw new Refused({ pointer, detail: "There is no such delivery." });
    }
    deliveries = deliveries.map((delivery): Delivery => {
      const { ended_at: _, fault, ...rest } = delivery;
      return chosen.includes(delivery) ? { ...rest, state: "waiting", next_attempt_at: timeNow() } : delivery;
    });
    return { resent: chosen.length, ...(since === undefined && { delivery_id: chosen[0]?.delivery_id ?? "" }) };
  }

  function enable({ kind }: EnableWebhookEndpointRequest): WebhookEndpoint {
    const endpoint = endpoints.find((one) => one.kind === kind);
    if (!endpoint) throw new Refused({ pointer: "/kind", detail: `The project has no ${kind} webhook.` });
    const { off_since: _, off_reason, ...on } = endpoint;
    const enabled: WebhookEndpoint = endpoint.state === "off" ? { ...on, state: "ok" } : endpoint;
    endpoints = endpoints.map((one) => (one === endpoint ? enabled : one));
    return enabled;
  }

  function listLive({ channel_id, channel: name, limit = 100 }: ListLiveChannelsRequest): LiveChannels {
    const isNamed = (name ?? channel_id) !== undefined;
    const asked = live
      .filter((channel) => channel_id === undefined || channel.channel_id === channel_id)
      .filter((channel) => name === undefined || channel.channel_id.replace(/@[^@]*$/, "") === name)
      .sort((a, b) => b.connections - a.connections);
    const channels = asked.slice(0, limit).map(({ clients = [], omitted_clients: _, ...channel }) => {
      const shown = { clients: clients.slice(0, limit), omitted_clients: Math.max(0, clients.length - limit) };
      return { ...channel, ...(isNamed && shown) };
    });
    return {
      timestamp: timeNow(),
      connections: asked.reduce((sum, { connections }) => sum + connections, 0),
      channels,
      omitted_channels: asked.length - channels.length,
    };
  }

  /** A channel as the service knows it; what a test leaves out follows from its clients. */
  function toLive(channel: NewLiveChannel): LiveChannel {
    const { clients = [{ connection_id: CONNECTION, state: "connected" as const }] } = channel;
    const connected = clients.filter(({ state }) => state === "connected");
    const roles: Record<string, number> = {};
    for (const { role } of connected) if (role !== undefined) roles[role] = (roles[role] ?? 0) + 1;
    const [since] = connected.map((client) => client.since ?? timeNow()).sort(byTime);
    return {
      connections: connected.length,
      admitted: clients.length - connected.length,
      roles,
      ...(since !== undefined && { since }),
      ...channel,
      clients: [...clients].sort((a, b) => byTime(b.since, a.since)),
    };
  }

  /** An operation that the audit log has, also if it is refused. */
  const acts =
    (action: string, act: Operation): Operation =>
    (body, call) => {
      const { jwt_id, channel_id, delivery_id, event_id, since, kind }: Record<string, string> = { ...body };
      const subject = jwt_id ?? channel_id ?? delivery_id ?? event_id ?? (since ? `failed since ${since}` : kind);
      const record = (more: Pick<AuditEntry, "outcome" | "detail">): void => {
        const who = { ...(call.by !== undefined && { requested_by: call.by }), request_id: call.requestId, key_id };
        audit.push({ timestamp: timeNow(), action, ...(subject !== undefined && { subject }), ...more, ...who });
      };
      try {
        const data = act(body, call);
        record({ outcome: "done" });
        return data;
      } catch (error) {
        if (error instanceof Refused) record({ outcome: "refused", detail: error.message });
        throw error;
      }
    };

  const operations: Readonly<Record<string, Operation>> = {
    "/orgs/list-live-channels": listLive,
    "/projects/create-access-token": create,
    "/projects/list-access-tokens": ({ include_ended, ...filter }: ListAccessTokensRequest) =>
      page("tokens", (include_ended ? tokens : usable()).map(toIssued), filter),
    "/projects/revoke-access-token": acts("token.revoke", revoke),
    "/projects/check-access-token": check,
    "/projects/list-access-token-revocations": (body) => page("revocations", revocations, { limit: 1000, ...body }),
    "/projects/list-deliveries": (body) => page("deliveries", deliveries, body),
    "/projects/resend-deliveries": acts("deliveries.resend", resend),
    "/projects/list-webhook-endpoints": () => ({ endpoints }),
    "/projects/enable-webhook-endpoint": acts("endpoint.enable", enable),
    "/projects/list-audit-log": (body) => page("entries", audit, body),
  };

  return {
    operations,
    setLive(...channels: NewLiveChannel[]): LiveChannel[] {
      live = channels.map(toLive);
      return live;
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
      [deliveries, endpoints, live] = [[], [], []];
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

function byTime(a: string | undefined, b: string | undefined): number {
  const [first = "", second = ""] = [timeKey(a), timeKey(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}
