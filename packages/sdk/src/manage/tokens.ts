import type {
  AccessToken,
  CheckAccessTokenRequest,
  CheckedToken,
  CreateAccessTokenRequest,
  IssuedToken,
  IssuedTokens,
  ListAccessTokensRequest,
  ListRevocationsRequest,
  RevokeAccessTokenRequest,
  RevokedTokens,
  TokenRevocation,
  TokenRevocations,
} from "@media-ops/contract";
import { fieldsOf } from "../answer.js";
import { managePaths, type Optional, type Timed, tokenPath } from "../operations.js";
import type { CallOptions } from "../options.js";
import { type MediaPromise, type Send, toMediaPromise } from "../transport.js";
import { createList, isPageOf, type ListPages, sendRequest } from "./pages.js";

/**
 * Access tokens for the project that owns the API key. Not every service has more than `create`: what it lacks is a
 * `MediaNotFoundError`, for an hour without being asked again.
 */
export interface TokensApi {
  /**
   * Creates an access token. Every field is optional; without any, the token is valid for every channel and role and
   * never expires. The service stores a record of it, which `list` returns, and never the token itself. Each call, and
   * each retry, makes a token of its own.
   *
   * @example
   * const { access_token } = await client.tokens.create({
   * channel_id: "lobby@demo",
   * role: "recvonly",
   * expiration_time: expiresIn("10m"),
   * });
   */
  create(request?: Optional<CreateAccessTokenRequest>, options?: CallOptions): MediaPromise<AccessToken>;
  /**
   * Lists the tokens that the service has issued and that clients can still use, without the tokens themselves.
   *
   * @example for await (const { jwt_id, requested_by } of client.tokens.list.all({ channel_id: "lobby@demo" })) …
   */
  list: ListPages<Optional<ListAccessTokensRequest>, IssuedTokens, IssuedToken>;
  /**
   * Revokes a token (`jwt_id`), or all tokens for a channel that were issued before a time (`channel_id`). From
   * `effective_by` on, no client is admitted by them. Revoking again changes nothing.
   *
   * @example await client.tokens.revoke({ jwt_id: "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11", disconnect: true })
   */
  revoke(request: Timed<RevokeAccessTokenRequest>, options?: CallOptions): MediaPromise<RevokedTokens>;
  /**
   * Reports whether a token is good now, and if not, why; and what a client with it would be answered. Nothing is changed.
   *
   * @example const { active, reason } = await client.tokens.check({ access_token, channel_id: "lobby@demo" });
   */
  check(
    request: Optional<CheckAccessTokenRequest> & Pick<CheckAccessTokenRequest, "access_token">,
    options?: CallOptions,
  ): MediaPromise<CheckedToken>;
  /**
   * Lists what was revoked, for programs that verify tokens by themselves: `@media-ops/sdk/tokens` does.
   *
   * @example for await (const { jwt_id, channel_id } of client.tokens.revocations.all()) console.log(jwt_id ?? channel_id);
   */
  revocations: ListPages<Optional<ListRevocationsRequest>, TokenRevocations, TokenRevocation>;
}

/** Creates the tokens part of a client. */
export function createTokens(send: Send): TokensApi {
  return {
    create: (request = {}, options = {}) => toMediaPromise(send(tokenPath, isAccessToken, request, options)),
    list: createList(send, {
      path: managePaths.listTokens,
      isPage: isIssuedTokens,
      itemsOf: ({ tokens }) => tokens,
    }),
    revoke: (request, options = {}) =>
      toMediaPromise(sendRequest(send, managePaths.revokeToken, isRevokedTokens, request, options)),
    check: (request, options = {}) =>
      toMediaPromise(sendRequest(send, managePaths.checkToken, isCheckedToken, request, options)),
    revocations: createList(send, {
      path: managePaths.listRevocations,
      isPage: isTokenRevocations,
      itemsOf: ({ revocations }) => revocations,
    }),
  };
}

function isAccessToken(body: unknown): body is AccessToken {
  return typeof fieldsOf(body).access_token === "string";
}

function isIssuedTokens(body: unknown): body is IssuedTokens {
  return isPageOf(body, "tokens", "jwt_id");
}

function isRevokedTokens(body: unknown): body is RevokedTokens {
  return typeof fieldsOf(body).effective_by === "string";
}

function isCheckedToken(body: unknown): body is CheckedToken {
  return typeof fieldsOf(body).active === "boolean";
}

function isTokenRevocations(body: unknown): body is TokenRevocations {
  return isPageOf(body, "revocations", "revoked_at");
}
