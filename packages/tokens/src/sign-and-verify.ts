import { decodeJwt, decodeProtectedHeader } from "jose";
import { claimFaults, isClaims, type TokenClaims } from "./claims.js";
import { checkNow, faultsMessage, REVOKED, TokenInvalidError, TokenUsageError } from "./errors.js";
import type { RevocationList } from "./revocations.js";
import { checkKids, TokenKey } from "./token-key.js";

// The contract's limit for text that is decoded before its signature is checked.
const MAX_TOKEN_LENGTH = 8192;

/**
 * Signs a token, which {@link verifyToken} can verify.
 *
 * @example await signToken(toClaims({ role: "recvonly" }, { now: Date.now() }), apiKeyToTokenKey(apiKey))
 */
export async function signToken(claims: TokenClaims, key: TokenKey): Promise<string> {
  const { sign } = TokenKey.operationsOf(key);
  if (!sign) throw new TokenUsageError("A public key cannot sign. Sign with the private key that belongs to it.");
  if (!isClaims(claims)) throw new TokenUsageError(faultsMessage("the claims to sign", claimFaults(claims)));
  const token = await sign(JSON.stringify(claims));
  if (token.length <= MAX_TOKEN_LENGTH) return token;
  throw new TokenUsageError(`The claims are too long: a token has at most ${MAX_TOKEN_LENGTH} characters.`);
}

/** Options of {@link verifyToken}. */
export interface VerifyTokenOptions {
  /** The current time in milliseconds since 1970: `Date.now()`. */
  now: number;
  /**
   * The tolerated clock difference between signer and verifier, in seconds. An `iat` may always be 60 s ahead.
   * @default 0
   */
  clockToleranceSeconds?: number | undefined;
  /**
   * What was revoked. A token for every channel may also be revoked in one of them: see {@link decideAdmission}.
   * @default nothing
   */
  revocations?: RevocationList | undefined;
}

/** A token that was verified. */
export interface VerifiedToken {
  /** Its claims, including unknown ones. */
  claims: TokenClaims;
  /** The key that signed it. */
  key: TokenKey;
}

/**
 * Checks a token's signature and times, and returns its claims. Throws a {@link TokenInvalidError} with the reason if a
 * token is refused.
 *
 * @param keys One key or several. A token with a `kid` is checked with that key, any other with each. No two keys may
 * have the same `kid`.
 */
export async function verifyToken(
  token: string,
  keys: TokenKey | readonly TokenKey[],
  { now, clockToleranceSeconds = 0, revocations }: VerifyTokenOptions,
): Promise<VerifiedToken> {
  checkNow(now);
  if (!(clockToleranceSeconds >= 0)) throw new TokenUsageError("clockToleranceSeconds must be a number from 0 on.");
  const verifiers = [keys].flat().map((key) => ({ key, verify: verifierOf(key) }));
  checkKids(verifiers.map(({ key }) => key.kid));

  const { alg, kid, input, signature } = parseToken(token);
  // The key determines the algorithm; the token's own only excludes keys.
  const fitting = verifiers.filter(({ key }) => key.alg === alg && (kid === undefined || key.kid === kid));
  if (fitting.length === 0) {
    const message =
      "None of the given keys has the token's kid and algorithm. Is it another project's, or was its key revoked?";
    throw new TokenInvalidError("unknown-key", message);
  }
  for (const { key, verify } of fitting) {
    if (await verify(input, signature)) {
      const claims = parseClaims(token);
      checkTimes(claims, now, clockToleranceSeconds);
      if (revocations?.find(claims)) throw new TokenInvalidError("revoked", REVOKED);
      return { claims, key };
    }
  }
  throw new TokenInvalidError(
    "bad-signature",
    "The token's signature is not that of its key: it was changed, or forged.",
  );
}

function verifierOf(key: TokenKey) {
  const { verify } = TokenKey.operationsOf(key);
  if (verify) return verify;
  throw new TokenUsageError("A private key cannot verify. Verify with the public key that belongs to it.");
}

// The clocks of programs that sign tokens differ somewhat.
const MAX_AHEAD_SECONDS = 60;

function checkTimes({ iat, nbf, exp }: TokenClaims, now: number, tolerance: number): void {
  const seconds = now / 1000;
  if (nbf !== undefined && seconds < nbf - tolerance) {
    const message = `The token is not valid yet. Use it in ${Math.ceil(nbf - seconds)} s.`;
    throw new TokenInvalidError("not-yet-valid", message);
  }
  const maxAhead = Math.max(MAX_AHEAD_SECONDS, tolerance);
  // The revocations of a channel end tokens by their iat: one that is ahead would outlast them.
  if (iat !== undefined && iat - seconds > maxAhead) {
    const message = `The token's iat is ${Math.ceil(iat - seconds)} s ahead, and at most ${maxAhead} s are allowed. Correct the clock of the program that signed it.`;
    throw new TokenInvalidError("not-yet-valid", message);
  }
  if (exp !== undefined && seconds >= exp + tolerance) {
    const message = `The token expired ${Math.floor(seconds - exp)} s ago. Make a new one.`;
    throw new TokenInvalidError("expired", message);
  }
}

// Canonical base64url: no padding, no white space, and no spare bits that could differ.
const BASE64URL = /^(?=.)(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/;

/** Splits a token. No error quotes it, not even as its cause: JSON.parse quotes its input. */
function parseToken(token: string) {
  if (typeof token !== "string") throw malformed("The token must be a string.");
  if (token.length > MAX_TOKEN_LENGTH) {
    throw malformed(`The token is longer than ${MAX_TOKEN_LENGTH} characters; no token of this service is.`);
  }
  const [header = "", payload = "", signature = "", ...more] = token.split(".");
  if (more.length > 0 || ![header, payload, signature].every((part) => BASE64URL.test(part))) {
    throw malformed("The token must be <header>.<payload>.<signature>, each in base64url. Was it cut off?");
  }
  const { alg, kid, crit } = decoded(() => decodeProtectedHeader(token)) ?? {};
  if (typeof alg !== "string") throw malformed("The token's header must be JSON that names its algorithm as alg.");
  if (kid !== undefined && typeof kid !== "string") throw malformed("The kid in the token's header must be a string.");
  if (crit !== undefined) {
    throw malformed("The token's header asks with crit for extensions, and none is known here.");
  }
  return { alg, kid, input: `${header}.${payload}`, signature };
}

function parseClaims(token: string): TokenClaims {
  const claims: unknown = decoded(() => decodeJwt(token));
  if (isClaims(claims)) return claims;
  throw malformed(faultsMessage("the token's claims", claimFaults(claims)));
}

function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

function malformed(message: string): TokenInvalidError {
  return new TokenInvalidError("malformed", message);
}

/**
 * The id of the key that a token names, to choose the key to verify it with. It costs half as much as reading the token.
 * Throws a {@link TokenInvalidError} if the token cannot be read.
 */
export const readKeyId = (token: string): string | undefined => parseToken(token).kid;

/** The content of a token that was not verified: it may be forged. */
export interface UnverifiedToken {
  alg: string;
  kid: string | undefined;
  claims: TokenClaims;
}

/**
 * Reads a token without checking its signature or its times: to show it to its owner, never to grant access.
 * Throws a {@link TokenInvalidError} if it cannot be read.
 */
export function readUnverifiedToken(token: string): UnverifiedToken {
  const { alg, kid } = parseToken(token);
  return { alg, kid, claims: parseClaims(token) };
}
