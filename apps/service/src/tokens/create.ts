import {
  apiKeyToTokenKey,
  signToken,
  splitChannelId,
  type TokenKey,
  TokenRequestError,
  toClaims,
} from "@media-ops/tokens";
import { LRUCache } from "lru-cache";
import { type ApiCaller, requestedByOf } from "../http/api-gate.js";
import { operationRoute } from "../http/operations.js";
import { type Action, type Gate, jsonAnswer } from "../http/route.js";
import { badInput, foreignChannel, Refusal } from "../refusal.js";
import type { Revocations } from "./revocations.js";
import type { SigningKeys } from "./signing-keys.js";
import { type TokenRecorder, timedUuid, toTokenRecord } from "./token-recorder.js";

// Enough for the keys in use; importing one again costs some microseconds.
const MAX_KEYS = 1000;
const REVOKED = "This jwt_id was revoked. Choose another one, or leave it out for a new one.";

interface TokenRouteOptions {
  readonly gate: Gate<ApiCaller>;
  readonly signingKeys: SigningKeys;
  readonly revocations: Pick<Revocations, "among">;
  /** Receives the record of each token. */
  readonly issued: Pick<TokenRecorder, "record">;
  now(): number;
  /** Throws if the database must not be read. */
  checkDatabase(): void;
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
    const claims = claimsOf(body, time);
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

function claimsOf(request: Parameters<typeof toClaims>[0], now: number): ReturnType<typeof toClaims> {
  try {
    return toClaims(request, { now, newJwtId: () => timedUuid(now) });
  } catch (error) {
    if (error instanceof TokenRequestError) throw badInput(error.faults);
    throw error;
  }
}
