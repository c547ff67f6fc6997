import { base64url, exportJWK, generateKeyPair, importJWK } from "jose";
import { TokenUsageError } from "./errors.js";
import { isJsonObject, mustBe } from "./formats.js";
import { joseOperations } from "./jose-operations.js";
import { checkKids, TokenKey, tokenHeader } from "./token-key.js";

// An import type, so that CommonJS programs can use these types: jose is an ES module.
type JWK = import("jose", { with: { "resolution-mode": "import" }}).JWK;
type AnyCryptoKey = import("jose", { with: { "resolution-mode": "import" }}).CryptoKey;

/** Options of {@link ed25519ToTokenKey}. */
export interface Ed25519ToTokenKeyOptions {
  /** The key's id, which its tokens include. @default the JWK's own kid, or none */
  kid?: string | undefined;
}

/**
 * The EdDSA key of an Ed25519 key. A private key only signs, and a public key only verifies. Keys for which anyone can
 * sign are refused.
 */
export async function ed25519ToTokenKey(
  key: JWK | AnyCryptoKey,
  { kid }: Ed25519ToTokenKeyOptions = {},
): Promise<TokenKey> {
  const isCryptoKey = key instanceof CryptoKey;
  const cryptoKey = isCryptoKey ? key : await importEd25519(key);
  const header = tokenHeader("EdDSA", kid ?? (isCryptoKey ? undefined : key.kid));
  const { sign, verify } = joseOperations(header, async () => cryptoKey);

  const { algorithm, type, usages } = cryptoKey;
  if (algorithm.name === "Ed25519" && type === "private" && usages.includes("sign")) {
    return new TokenKey(header, { sign });
  }
  if (algorithm.name === "Ed25519" && type === "public" && usages.includes("verify")) {
    if (isCryptoKey) await checkExported(cryptoKey);
    return new TokenKey(header, { verify });
  }
  throw new TokenUsageError("The CryptoKey must be an Ed25519 key that may sign (private) or verify (public).");
}

async function importEd25519(jwk: JWK): Promise<CryptoKey> {
  const message =
    'The JWK must be an Ed25519 key: {"kty":"OKP","crv":"Ed25519","x":…}, and with "d" where it shall sign.';
  // jose does not check the alg of such a key.
  if (jwk?.kty !== "OKP" || ![undefined, "EdDSA", "Ed25519"].includes(jwk.alg)) throw new TokenUsageError(message);
  const imported = await importJWK(jwk, "EdDSA").catch((cause: unknown) => {
    throw new TokenUsageError(message, { cause });
  });
  if (!(imported instanceof CryptoKey)) throw new TokenUsageError(message);
  checkPoint(base64url.decode(jwk.x ?? ""));
  if (jwk.d !== undefined) checkSeed(base64url.decode(jwk.d));
  return imported;
}

async function checkExported(key: CryptoKey): Promise<void> {
  if (!key.extractable) {
    throw new TokenUsageError(
      "A public CryptoKey must be extractable, so that it can be checked. Import it with extractable: true.",
    );
  }
  checkPoint(new Uint8Array(await crypto.subtle.exportKey("raw", key)));
}

function checkPoint(encoded: Uint8Array): void {
  if (isLowOrder(encoded)) {
    throw new TokenUsageError(
      "The Ed25519 public key is a point of low order, for which anyone can sign. Generate a new pair.",
    );
  }
}

function checkSeed(seed: Uint8Array): void {
  if (!seed.every((byte) => byte === seed[0])) return;
  throw new TokenUsageError(
    "The Ed25519 private key has 32 times the same byte, so anyone can guess it. Generate a new pair.",
  );
}

// The y of the points of low order, as RFC 8032 encodes it, without the bit for the sign of x: of order 4, 1, 8 and 8.
const LOW_ORDER_Y = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
]);

/**
 * Whether an encoded Ed25519 public key is one of the eight points of low order, for which signatures can be forged
 * without a private key. Encodings beyond the field's prime, which are aliases of other points, also count.
 */
function isLowOrder(encoded: Uint8Array): boolean {
  const y = Array.from(encoded);
  y[31] = (y[31] ?? 0) & 0x7f;
  const hex = y.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  // From the point of order 2, which is the prime minus 1.
  const isLarge = /^(e[c-f]|f.)(ff){30}7f$/.test(hex);
  return isLarge || LOW_ORDER_Y.has(hex);
}

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
