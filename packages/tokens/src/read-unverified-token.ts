import type { TokenClaims } from "./claims.js";
import { parseClaims, parseToken } from "./parse-token.js";

/** What a token says of itself. Anybody may have written it. */
export interface UnverifiedToken {
  alg: string;
  kid: string | undefined;
  claims: TokenClaims;
}

/**
 * Reads a token without checking its signature or its times: to show it to its owner, never to let somebody in.
 * Throws a {@link TokenInvalidError} where it cannot be read.
 */
export function readUnverifiedToken(token: string): UnverifiedToken {
  const { alg, kid } = parseToken(token);
  return { alg, kid, claims: parseClaims(token) };
}
