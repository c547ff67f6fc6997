import { setTimeout } from "node:timers/promises";
import type {
  CheckAccessTokenRequest,
  CheckedToken,
  RevokeAccessTokenRequest,
  RevokedTokens,
} from "@media-ops/contract";
import {
  apiKeyToTokenKey,
  decideAdmission,
  signToken,
  splitChannelId,
  type TokenClaims,
  type TokenKey,
  TokenRequestError,
  toClaims,
} from "@media-ops/tokens";
import { LRUCache } from "lru-cache";
import { factsOf } from "../admission/gatekeeper.js";
import { type Act, type ActOptions, actRoute, readCursor, toCursor } from "../audit/acts.js";
import { type ApiCaller, requestedByOf } from "../http/api-gate.js";
import { operationRoute } from "../http/operations.js";
import { type Action, jsonAnswer, type Page, whileConnected } from "../http/route.js";
import type { LiveSeats } from "../live/live-seats.js";
import type { MediaServer } from "../media-api/media-server.js";
import type { ReadCaller } from "../reads/pace.js";
import type { Reads } from "../reads/reads.js";
import { badInput, checkOwnChannel, checkOwnProject, foreignChannel, Refusal, unavailable } from "../refusal.js";
import { momentMs } from "../search/moments.js";
import { disconnectClients } from "./disconnect.js";
import {
  EFFECTIVE_MS,
  findRevocation,
  KEPT_MS,
  MAX_REVOCATIONS,
  type RevocationSubject,
  type Revocations,
  revokeStatements,
} from "./revocations.js";
import type { SigningKeys } from "./signing-keys.js";
import type { TokenChecker } from "./token-checker.js";
import { type TokenRecorder, timedUuid, toTokenRecord } from "./token-recorder.js";

interface TokenRoutesOptions extends ActOptions {
  readonly reads: Reads;
  readonly issued: TokenRecorder;
  readonly checker: TokenChecker;
  readonly live: LiveSeats;
  /** Undefined if the service knows no media server. */
  readonly mediaServer: MediaServer | undefined;
  checkDatabase(): void;
}

// Enough for the keys in use; importing one again costs some microseconds.
const MAX_KEYS = 1000;
const REVOKED = "This jwt_id was revoked. Choose another one, or leave it out for a new one.";

interface TokenRouteOptions extends Pick<TokenRoutesOptions, "gate" | "issued" | "now" | "checkDatabase"> {
  readonly signingKeys: SigningKeys;
  readonly revocations: Pick<Revocations, "among">;
}

/** Mints access tokens. It awaits no write, and reads the database only if the caller chooses the id. */
export function tokenRoute({
  gate,
  revocations,
  checkDatabase,
  signingKeys,
  issued,
  now,
}: TokenRouteOptions): Action<ApiCaller> {
  const tokenKeys = new LRUCache<string, TokenKey>({ max: MAX_KEYS, memoMethod: (text) => apiKeyToTokenKey(text) });
  return operationRoute("createAccessToken", gate, async ({ body, key, credential, request }) => {
    const { projectId } = key;
    const time = now();
    const claims = requestedClaims(body, time);
    if (claims.channel_id !== undefined && splitChannelId(claims.channel_id)?.projectId !== projectId) {
      throw foreignChannel(projectId);
    }
    if (body.jwt_id !== undefined) {
      checkDatabase();
      // A revocation is deleted once its token has ended: this token would then be good.
      const { isEmpty } = await revocations.among(projectId, [{ jti: body.jwt_id }]);
      if (!isEmpty) throw new Refusal("conflict", REVOKED);
    }
    const requestedBy = requestedByOf(request);
    const tokenKey = (await signingKeys.signing(projectId)) ?? tokenKeys.memo(credential.text);
    const accessToken = await signToken(claims, tokenKey);
    const token = toTokenRecord(claims, { keyId: tokenKey.kid ?? key.keyId, now: time, requestedBy });
    issued.record(projectId, token, { isTimed: body.jwt_id === undefined });
    return jsonAnswer({ access_token: accessToken });
  });
}

function requestedClaims(request: Parameters<typeof toClaims>[0], now: number): ReturnType<typeof toClaims> {
  try {
    return toClaims(request, { now, newJwtId: () => timedUuid(now) });
  } catch (error) {
    if (error instanceof TokenRequestError) throw badInput(error.faults);
    throw error;
  }
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
// A caller that lists the tokens right after making one expects to see it, but not to wait for a slow database.
const MAX_WAIT_MS = 500;
const COUNTED_FOR_MS = 60_000;

// Clients are disconnected even if the caller leaves meanwhile.
const NEVER = new AbortController().signal;

/** The operations that list, revoke and check access tokens. */
export function tokenRoutes(options: TokenRoutesOptions): Action<ApiCaller>[] {
  const { gate, reads, checker, live, checkDatabase } = options;
  // Counting a million takes long.
  const counts = new LRUCache<string, number, ReadCaller>({
    ...{ max: 1000, ttl: COUNTED_FOR_MS },
    fetchMethod: (_, __, { context: caller }) => reads.countRevocations(caller, undefined),
  });
  return [
    operationRoute("listAccessTokens", gate, async ({ body, key, request }) => {
      checkOwnProject(body.project_id, key.projectId);
      await startReading(options);
      const { limit = DEFAULT_LIMIT } = body;
      const after = readCursor(body.cursor);
      const filter = {
        jwtId: body.jwt_id?.toLowerCase(),
        channelId: body.channel_id,
        role: body.role,
        requestedBy: body.requested_by,
        includeEnded: body.include_ended,
        after: after && { issuedAt: after[0], jwtId: after[1] },
      };
      const { tokens, next } = await whileConnected(request, (signal) =>
        reads.tokens({ ...key, signal }, { filter, limit }),
      );
      return jsonAnswer({ tokens, ...(next && { next_cursor: toCursor([next.issuedAt, next.jwtId]) }) });
    }),

    actRoute(
      "revokeAccessToken",
      { action: "token.revoke", subjectOf: ({ jwt_id, channel_id }) => jwt_id ?? channel_id },
      options,
      async ({ body, key, request, requestId }, act) => {
        const revoked = await whileConnected(request, (signal) =>
          revoke(options, counts, { caller: { ...key, signal, isAct: true }, requestId, body, act }),
        );
        return jsonAnswer(revoked);
      },
    ),

    operationRoute("checkAccessToken", gate, async ({ body, key }) => {
      checkOwnProject(body.project_id, key.projectId);
      if (body.channel_id !== undefined) checkOwnChannel(body.channel_id, key.projectId);
      checkDatabase();
      return jsonAnswer(await checkToken({ checker, live }, key.projectId, body));
    }),

    operationRoute("listAccessTokenRevocations", gate, async ({ body, key, request }) => {
      checkOwnProject(body.project_id, key.projectId);
      checkDatabase();
      const { limit = MAX_LIMIT } = body;
      const found = await whileConnected(request, (signal) =>
        reads.revocations({ ...key, signal }, { limit, after: readCursor(body.cursor) }),
      );
      const last = found.at(-1);
      const isFull = last !== undefined && found.length === limit;
      return jsonAnswer({
        revocations: found.map(({ at: _, subject: __, ...revocation }) => revocation),
        ...(isFull && { next_cursor: toCursor([last.at, last.subject]) }),
      });
    }),
  ];
}

/** Waits until the tokens that were just made can be read. */
async function startReading({ issued, checkDatabase }: TokenRoutesOptions): Promise<void> {
  checkDatabase();
  await Promise.race([issued.flush(), setTimeout(MAX_WAIT_MS, undefined, { ref: false })]);
}

async function revoke(
  options: TokenRoutesOptions,
  counts: LRUCache<string, number, ReadCaller>,
  { caller, requestId, body, act }: { caller: ReadCaller; requestId: string; body: RevokeAccessTokenRequest; act: Act },
): Promise<RevokedTokens> {
  const { query, write, mediaServer, reads } = options;
  const { projectId } = caller;
  const subject = subjectOf(body, projectId, act.now);
  if (body.disconnect && !mediaServer) {
    const detail =
      "This service knows no media server, so it cannot disconnect clients, and nothing was revoked. Leave disconnect out, or ask its operator to set MEDIA_UPSTREAM_URL.";
    throw unavailable(detail, 60);
  }
  await startReading(options);
  const known = await findRevocation(query, projectId, subject);
  const { count, lastEndsAt, countedSince } = await reads.endedTokens(caller, subject);
  // A token without a record may end at any time, or never.
  const tokenEnd = count === 0 ? act.now + KEPT_MS : lastEndsAt;
  const until = "jwtId" in subject ? tokenEnd : null;
  if (!known && ((await counts.fetch(projectId, { context: caller })) ?? 0) >= MAX_REVOCATIONS) {
    const detail = `The project has ${MAX_REVOCATIONS} revocations, as many as are possible. To end many tokens at once, revoke the key that signed them, or the tokens of a channel.`;
    throw new Refusal("conflict", detail);
  }
  const { requestedBy } = act;
  const isKnown =
    known !== undefined && ("jwtId" in subject || (momentMs(known.issued_before ?? "") ?? 0) >= subject.issuedBefore);
  const detail = isKnown ? "it was revoked already" : `${count} ${count === 1 ? "token" : "tokens"}`;
  await write([
    ...(isKnown ? [] : revokeStatements(query, projectId, subject, { now: act.now, until, requestedBy })),
    act.done(body.disconnect ? `${detail}, and their clients are disconnected` : detail),
  ]);
  const revoked: RevokedTokens = {
    ...("jwtId" in subject
      ? { jwt_id: subject.jwtId }
      : { channel_id: subject.channelId, issued_before: new Date(subject.issuedBefore).toISOString() }),
    revoked_at: isKnown ? known.revoked_at : new Date(act.now).toISOString(),
    effective_by: new Date((isKnown ? known.at : act.now) + EFFECTIVE_MS).toISOString(),
    tokens: count,
    ...(countedSince !== undefined && { counted_since: new Date(countedSince).toISOString() }),
  };
  if (!body.disconnect || !mediaServer) return revoked;
  const { disconnected, left, fault } = await disconnectClients({
    seats: () => reads.seats({ ...caller, signal: NEVER }, subject),
    mediaServer,
    projectId,
    requestId,
  });
  return { ...revoked, disconnected, not_disconnected: left, ...(fault !== undefined && { fault }) };
}

function subjectOf(
  { jwt_id: jwtId, channel_id: channelId, issued_before: before }: RevokeAccessTokenRequest,
  projectId: string,
  now: number,
): RevocationSubject {
  if ((jwtId === undefined) === (channelId === undefined)) {
    const detail = "Must have either jwt_id, for one token, or channel_id, for all tokens of a channel.";
    throw badInput([{ pointer: "", detail }]);
  }
  const issuedBefore = before === undefined ? now : (momentMs(before) ?? now);
  if (jwtId !== undefined) {
    if (before === undefined) return { jwtId: jwtId.toLowerCase() };
    throw badInput([
      { pointer: "/issued_before", detail: "Is only allowed with channel_id: a jwt_id names one token." },
    ]);
  }
  checkOwnChannel(channelId ?? "", projectId);
  if (issuedBefore > now) {
    const detail = `Must not be in the future: it is ${new Date(now).toISOString()} now. To revoke all until now, leave it out.`;
    throw badInput([{ pointer: "/issued_before", detail }]);
  }
  return { channelId: channelId ?? "", issuedBefore };
}

async function checkToken(
  { checker, live }: Pick<TokenRoutesOptions, "checker" | "live">,
  projectId: string,
  { access_token: token, channel_id: channelId, role }: CheckAccessTokenRequest,
): Promise<CheckedToken> {
  const checked = await checker.check(projectId, token, channelId);
  const { key_id } = checked.isValid ? checked.names : checked.facts;
  const shown = { ...(checked.claims && claimsOf(checked.claims)), ...(key_id !== undefined && { key_id }) };
  if (!checked.isValid) return { active: false, reason: checked.facts.reason, message: checked.message, ...shown };
  const { claims, revocations } = checked;
  const revocation = revocations.find(claims);
  if (revocation) {
    const message = "The token was revoked. Make a new one.";
    const { revoked_at } = revocation;
    return { active: false, reason: "revoked", message, ...shown, ...(revoked_at !== undefined && { revoked_at }) };
  }
  const active = { active: true, token_type: "Bearer", ...shown } as const;
  const channel_id = channelId ?? claims.channel_id;
  if (channel_id === undefined) return active;
  const [{ connections = 0, admitted = 0 } = {}] = (await live.list({ projectId, channelId: channel_id, limit: 1 }))
    .channels;
  const attempt = { channel_id, role: role ?? claims.role ?? "recvonly", channel_connections: connections + admitted };
  const admission = decideAdmission(claims, attempt, { project_id: projectId, revocations });
  if (admission.allowed) return { ...active, admission: { allowed: true, ...attempt } };
  const { reason } = factsOf(admission, claims, undefined);
  return { ...active, admission: { allowed: false, ...attempt, reason, message: admission.reason } };
}

const claimsOf = ({ jti, iat, nbf, exp, channel_id, role, max_channel_connections }: TokenClaims) => ({
  ...(jti !== undefined && { jti: jti.slice(0, 255) }),
  ...(iat !== undefined && { iat }),
  ...(nbf !== undefined && { nbf }),
  ...(exp !== undefined && { exp }),
  ...(channel_id !== undefined && { channel_id }),
  ...(role !== undefined && { role }),
  ...(max_channel_connections !== undefined && { max_channel_connections }),
});

// Long enough to spare the service calls. A verifier accepts tokens of a revoked key for as long.
const KEYS_MAX_AGE_SECONDS = 60;
const PATH = "/.well-known/jwks.json";

/** The public keys of a project, for programs that verify its tokens. */
export function signingKeysPage(signingKeys: SigningKeys): Page {
  return {
    method: "GET",
    path: PATH,
    async answer({ url }) {
      const named = new URL(url, "http://localhost").searchParams.getAll("project_id");
      const [projectId = ""] = named;
      if (named.length !== 1 || projectId === "") {
        const detail = `Name the project once, as in ${PATH}?project_id=demo: a token must be verified with the keys of its own project alone.`;
        throw new Refusal("bad-request", detail);
      }
      await signingKeys.refreshSoon();
      const keys = signingKeys.validOf(projectId).map(({ publicJwk }) => publicJwk);
      const answer = jsonAnswer({ keys });
      const caching = { "cache-control": `public, max-age=${KEYS_MAX_AGE_SECONDS}` };
      return { ...answer, headers: { ...answer.headers, ...caching } };
    },
  };
}
