import { claimFaults, isClaims, type TokenClaims } from "./claims.js";
import { faultsMessage, TokenUsageError } from "./errors.js";
import { MAX_TOKEN_LENGTH } from "./parse-token.js";
import { TokenKey } from "./token-key.js";

/**
 * Makes a token. What it makes, {@link verifyToken} can read.
 *
 * @example await signToken(toClaims({ role: "recvonly" }, { now: Date.now() }), apiKeyToTokenKey(apiKey))
 */
export async function signToken(claims: TokenClaims, key: TokenKey): Promise<string> {
  const { sign } = TokenKey.workOf(key);
  if (!sign) throw new TokenUsageError("A public key cannot sign. Sign with the private key that belongs to it.");
  if (!isClaims(claims)) throw new TokenUsageError(faultsMessage("the claims to sign", claimFaults(claims)));
  const token = await sign(JSON.stringify(claims));
  if (token.length <= MAX_TOKEN_LENGTH) return token;
  throw new TokenUsageError(`The claims are too long: a token has at most ${MAX_TOKEN_LENGTH} characters.`);
}
