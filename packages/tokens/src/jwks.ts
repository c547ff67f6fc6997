import { exportJWK, generateKeyPair } from "jose";
import { ed25519ToTokenKey } from "./ed25519.js";
import { TokenUsageError } from "./errors.js";
import { isJsonObject, mustBe } from "./formats.js";
import { checkKids, type TokenKey, tokenHeader } from "./token-key.js";

/** A public Ed25519 key as a JWK. */
export interface Ed25519PublicJwk {
  kty: "OKP";
  crv: "Ed25519";
  x: string;
  kid: string;
  alg: "EdDSA";
  use: "sig";
}

/** A private Ed25519 key as a JWK. */
export interface Ed25519PrivateJwk extends Ed25519PublicJwk {
  d: string;
}

/**
 * The keys of a JSON Web Key Set that verify tokens: its Ed25519 keys with a `kid`. Other keys are left out, and a set
 * with a private key is refused.
 *
 * @param jwks The set, as `/.well-known/jwks.json` returns it.
 * @example await jwksToTokenKeys(await (await fetch(url)).json())
 */
export async function jwksToTokenKeys(jwks: unknown): Promise<TokenKey[]> {
  const { keys }: { keys?: unknown } = isJsonObject(jwks) ? jwks : {};
  if (!Array.isArray(keys)) throw new TokenUsageError(`jwks: ${mustBe('a JWK set, {"keys":[…]}', jwks)}`);
  for (const [index, jwk] of keys.entries()) checkPublic(jwk, index);
  checkKids(keys.map((jwk) => (isForTokens(jwk) ? jwk.kid : undefined)));
  return Promise.all(keys.filter(isForTokens).map((jwk) => ed25519ToTokenKey(jwk)));
}

function isForTokens(jwk: unknown): jwk is Ed25519PublicJwk {
  if (!isJsonObject(jwk)) return false;
  const { kty, crv, use = "sig", kid }: Partial<Record<string, unknown>> = { ...jwk };
  return kty === "OKP" && crv === "Ed25519" && use === "sig" && typeof kid === "string" && kid !== "";
}

// Of any kind: an RSA or EC key that was published is no less known.
function checkPublic(jwk: unknown, index: number): void {
  if (!isJsonObject(jwk) || !("d" in jwk)) return;
  throw new TokenUsageError(
    `keys[${index}] of the JWK set is a private key: everyone who can read the set can sign. Replace the key.`,
  );
}

/**
 * Generates a key pair that signs tokens with EdDSA: the private key signs, the public one is for verifiers.
 *
 * @param kid The id of the pair, which its tokens include.
 */
export async function generateEd25519Jwk(
  kid: string,
): Promise<{ privateJwk: Ed25519PrivateJwk; publicJwk: Ed25519PublicJwk }> {
  // Refuses an invalid kid.
  tokenHeader("EdDSA", kid);
  const { privateKey } = await generateKeyPair("EdDSA", { extractable: true });
  const { x = "", d = "" } = await exportJWK(privateKey);
  const publicJwk = { kty: "OKP", crv: "Ed25519", x, kid, alg: "EdDSA", use: "sig" } as const;
  return { privateJwk: { ...publicJwk, d }, publicJwk };
}
