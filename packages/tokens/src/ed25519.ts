import { type CryptoKey as AnyCryptoKey, importJWK, type JWK } from "jose";
import { TokenUsageError } from "./errors.js";
import { joseWork } from "./jose-work.js";
import { TokenKey, tokenHeader } from "./token-key.js";

/** Options of {@link ed25519ToTokenKey}. */
export interface Ed25519ToTokenKeyOptions {
  /**
   * The key's name, which its tokens bear.
   * @default the JWK's own kid, or none
   */
  kid?: string | undefined;
}

/** The EdDSA key of an Ed25519 key. A private one signs and does no more; a public one verifies and does no more. */
export async function ed25519ToTokenKey(
  key: JWK | AnyCryptoKey,
  { kid }: Ed25519ToTokenKeyOptions = {},
): Promise<TokenKey> {
  const isCryptoKey = key instanceof CryptoKey;
  const cryptoKey = isCryptoKey ? key : await importEd25519(key);
  const header = tokenHeader("EdDSA", kid ?? (isCryptoKey ? undefined : key.kid));
  const { sign, verify } = joseWork(header, async () => cryptoKey);

  const { algorithm, type, usages } = cryptoKey;
  if (algorithm.name === "Ed25519" && type === "private" && usages.includes("sign")) {
    return new TokenKey(header, { sign });
  }
  if (algorithm.name === "Ed25519" && type === "public" && usages.includes("verify")) {
    return new TokenKey(header, { verify });
  }
  throw new TokenUsageError("The CryptoKey must be an Ed25519 key that may sign (private) or verify (public).");
}

async function importEd25519(jwk: JWK): Promise<CryptoKey> {
  const message =
    'The JWK must be an Ed25519 key: {"kty":"OKP","crv":"Ed25519","x":…}, and with "d" where it shall sign.';
  // jose does not hold the alg of such a key against it.
  if (jwk?.kty !== "OKP" || ![undefined, "EdDSA", "Ed25519"].includes(jwk.alg)) throw new TokenUsageError(message);
  const imported = await importJWK(jwk, "EdDSA").catch((cause: unknown) => {
    throw new TokenUsageError(message, { cause });
  });
  if (imported instanceof CryptoKey) return imported;
  throw new TokenUsageError(message);
}
