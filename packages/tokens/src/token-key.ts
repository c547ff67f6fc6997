import { TokenUsageError } from "./errors.js";

/** The algorithms of keys. */
export type TokenAlgorithm = "HS256" | "EdDSA";

/** The header of a token. */
export interface TokenHeader {
  alg: TokenAlgorithm;
  typ: "JWT";
  kid?: string;
}

/** The operations of a key. */
export interface KeyOperations {
  /** Signs a JSON text; returns the token. Missing in a public key. */
  sign?: (payload: string) => string | Promise<string>;
  /**
   * Whether the signature, in canonical base64url, is this key's for `<header>.<payload>`. Missing in a private key.
   */
  verify?: (input: string, signature: string) => boolean | Promise<boolean>;
}

/**
 * A key for tokens, which alone determines their algorithm. It does not expose its secret, so it may be logged. Create
 * it with `apiKeyToTokenKey`, `textToTokenKey` or `ed25519ToTokenKey`.
 */
export class TokenKey {
  readonly alg: TokenAlgorithm;
  /** The key's id, which its tokens include. */
  readonly kid: string | undefined;
  readonly #operations: KeyOperations;

  constructor({ alg, kid }: TokenHeader, operations: KeyOperations) {
    this.alg = alg;
    this.kid = kid;
    this.#operations = operations;
    Object.freeze(this);
  }

  static operationsOf(key: TokenKey): KeyOperations {
    // Object() because the error message of `in` shows a text operand, which may be an API key.
    if (#operations in Object(key)) return key.#operations;
    throw new TokenUsageError("A key must be made with apiKeyToTokenKey, textToTokenKey or ed25519ToTokenKey.");
  }
}

/** The header of tokens that a key signs. */
export function tokenHeader(alg: TokenAlgorithm, kid: string | undefined): TokenHeader {
  if (kid !== undefined && (typeof kid !== "string" || kid === "")) {
    throw new TokenUsageError("kid must be a string with at least one character, or be left out.");
  }
  return { alg, typ: "JWT", ...(kid !== undefined && { kid }) };
}

/** Refuses two keys with the same kid. */
export function checkKids(kids: readonly (string | undefined)[]): void {
  const twin = kids.findIndex((kid, index) => kid !== undefined && kids.indexOf(kid) !== index);
  if (twin === -1) return;
  // By index: a value that was mistakenly passed as kid may be a secret.
  const first = kids.indexOf(kids[twin]);
  throw new TokenUsageError(
    `keys[${first}] and keys[${twin}] have the same kid, so a token cannot say which one has signed it. Give each its own.`,
  );
}
