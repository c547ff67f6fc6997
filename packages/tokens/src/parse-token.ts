import { decodeJwt, decodeProtectedHeader } from "jose";
import { claimFaults, isClaims, type TokenClaims } from "./claims.js";
import { faultsMessage, TokenInvalidError } from "./errors.js";

/** The contract's limit for text that is decoded before its signature is checked. */
export const MAX_TOKEN_LENGTH = 8192;

// Canonical base64url: no padding, no white space, and no spare bits that could differ.
const BASE64URL = /^(?=.)(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/;

/** The parts of a token that is not verified yet. */
export interface ParsedToken {
  alg: string;
  kid: string | undefined;
  /** The signed text: `<header>.<payload>`. */
  input: string;
  signature: string;
}

/** Splits a token. No error quotes it, not even as its cause: JSON.parse quotes its input. */
export function parseToken(token: string): ParsedToken {
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

/** The claims of a token; only their types are checked. */
export function parseClaims(token: string): TokenClaims {
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
