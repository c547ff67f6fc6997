import {
  apiKeyToTokenKey,
  signToken,
  splitChannelId,
  type TokenKey,
  TokenRequestError,
  toClaims,
} from "@media-ops/tokens";
import { LRUCache } from "lru-cache";
import type { ApiCaller } from "../http/api-gate.js";
import { operationRoute } from "../http/operations.js";
import { type Action, type Gate, jsonAnswer } from "../http/route.js";
import { badInput, foreignChannel } from "../refusal.js";

// Enough for the keys in use; importing one again costs some microseconds.
const MAX_KEYS = 1000;

/** The operation that mints access tokens. It stores nothing and reads no database, so a call may be repeated. */
export function tokenRoute(gate: Gate<ApiCaller>, now: () => number): Action<ApiCaller> {
  const tokenKeys = new LRUCache<string, TokenKey>({ max: MAX_KEYS, memoMethod: (text) => apiKeyToTokenKey(text) });
  return operationRoute("createAccessToken", gate, async ({ body, key, credential }) => {
    const claims = claimsOf(body, now());
    if (claims.channel_id !== undefined && splitChannelId(claims.channel_id)?.projectId !== key.projectId) {
      throw foreignChannel(key.projectId);
    }
    return jsonAnswer({ access_token: await signToken(claims, tokenKeys.memo(credential.text)) });
  });
}

function claimsOf(request: Parameters<typeof toClaims>[0], now: number): ReturnType<typeof toClaims> {
  try {
    return toClaims(request, { now });
  } catch (error) {
    if (error instanceof TokenRequestError) throw badInput(error.faults);
    throw error;
  }
}
