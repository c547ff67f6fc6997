import { TokenUsageError } from "./errors.js";

/** The algorithms that a key can be for. */
export type TokenAlgorithm = "HS256" | "EdDSA";

/** What a token's header says where a key has signed it. */
export interface TokenHeader {
  alg: TokenAlgorithm;
  typ: "JWT";
  kid?: string;
}

/** What a key can do. */
export interface KeyWork {
  /** Makes a whole token of a JSON text. A public key cannot. */
  sign?: (payload: string) => string | Promise<string>;
  /** Whether the signature, in canonical base64url, is this key's for `<header>.<payload>`. A private key cannot say. */
  verify?: (input: string, signature: string) => boolean | Promise<boolean>;
}

/**
 * A key for tokens, which alone says by which algorithm they are signed. Its secret cannot be seen on it, so it may
 * be logged. Make it with `apiKeyToTokenKey`, `textToTokenKey` or `ed25519ToTokenKey`.
 */
export class TokenKey {
  readonly alg: TokenAlgorithm;
  /** The key's name, which its tokens bear. */
  readonly kid: string | undefined;
  readonly #work: KeyWork;

  constructor({ alg, kid }: TokenHeader, work: KeyWork) {
    this.alg = alg;
    this.kid = kid;
    this.#work = work;
    Object.freeze(this);
  }

  static workOf(key: TokenKey): KeyWork {
    // Object() because `in` shows a text that it is given in its error message, and that text may be an API key.
    if (#work in Object(key)) return key.#work;
    throw new TokenUsageError("A key must be made with apiKeyToTokenKey, textToTokenKey or ed25519ToTokenKey.");
  }
}

export function tokenHeader(alg: TokenAlgorithm, kid: string | undefined): TokenHeader {
  if (kid !== undefined && (typeof kid !== "string" || kid === "")) {
    throw new TokenUsageError("kid must be a string with at least one character, or be left out.");
  }
  return { alg, typ: "JWT", ...(kid !== undefined && { kid }) };
}
