import { base64url } from "jose";
import { TokenUsageError } from "./errors.js";
import { joseOperations } from "./jose-operations.js";
import { type KeyOperations, type TokenHeader, TokenKey, tokenHeader } from "./token-key.js";

const API_KEY = /^mo_([A-Za-z0-9]+)_([\w-]+)$/;
// RFC 7518, section 3.2: a key that is shorter than the hash can be guessed from a single token.
const MIN_KEY_BYTES = 32;

/** Options of {@link textToTokenKey}. */
export interface TextToTokenKeyOptions {
  /** The key's id, which its tokens include. @default none */
  kid?: string | undefined;
}

/**
 * The HS256 key of an API key, as the service itself uses it: the HMAC key is the API key's whole text, and `kid` is
 * its key id.
 *
 * @example apiKeyToTokenKey(apiKey).kid // "k1" for mo_k1_…
 */
export function apiKeyToTokenKey(apiKey: string): TokenKey {
  const [, kid, secret = ""] = API_KEY.exec(apiKey) ?? [];
  if (kid === undefined) {
    throw new TokenUsageError(
      "The API key must be like mo_<key id>_<secret>, without spaces or line breaks. For another text, use textToTokenKey.",
    );
  }
  // The key id is in every token, so it adds nothing to the strength.
  if (secret.length < MIN_KEY_BYTES) {
    throw new TokenUsageError(
      `The API key's secret must have at least ${MIN_KEY_BYTES} characters, but has ${secret.length}. Was the key cut off?`,
    );
  }
  return textToTokenKey(apiKey, { kid });
}

/** The HS256 key of any text of at least 256 bits, which should be random. */
export function textToTokenKey(text: string, { kid }: TextToTokenKeyOptions = {}): TokenKey {
  // Lone surrogates would all be encoded as the same bytes, and different texts as the same key.
  if (typeof text !== "string" || !text.isWellFormed()) {
    throw new TokenUsageError("The key's text must be a string of well-formed Unicode.");
  }
  const header = tokenHeader("HS256", kid);
  const bytes = new TextEncoder().encode(text);
  if (bytes.length < MIN_KEY_BYTES) {
    throw new TokenUsageError(
      `The key's text must have at least ${MIN_KEY_BYTES} bytes for HS256 (RFC 7518, section 3.2), but has ${bytes.length}. Make one with: openssl rand -base64 32`,
    );
  }
  return new TokenKey(header, nodeWork(header, bytes) ?? webWork(header, bytes));
}

/** The used modules of Node, and of compatible runtimes. */
interface NodeModules {
  "node:buffer": {
    Buffer: { from(text: string): Uint8Array & { toString(encoding: "base64url"): string } };
  };
  "node:crypto": {
    createSecretKey(key: Uint8Array): object;
    createHmac(hash: "sha256", key: object): { update(text: string): { digest(encoding: "base64url"): string } };
    timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean;
  };
}

interface MaybeNode {
  process?: { getBuiltinModule?<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined };
}

/**
 * Many times as fast as WebCrypto. Looked up at run time instead of imported, so that bundlers for the browser find no
 * node: module.
 */
function nodeWork(header: TokenHeader, bytes: Uint8Array): KeyOperations | undefined {
  const { process } = globalThis as MaybeNode;
  const crypto = process?.getBuiltinModule?.("node:crypto");
  const buffer = process?.getBuiltinModule?.("node:buffer");
  if (!crypto || !buffer) return undefined;

  const { Buffer } = buffer;
  const key = crypto.createSecretKey(bytes);
  const encodedHeader = base64url.encode(JSON.stringify(header));
  const mac = (input: string): string => crypto.createHmac("sha256", key).update(input).digest("base64url");
  return {
    sign(payload) {
      const input = `${encodedHeader}.${Buffer.from(payload).toString("base64url")}`;
      return `${input}.${mac(input)}`;
    },
    verify(input, signature) {
      const expected = Buffer.from(mac(input));
      const given = Buffer.from(signature);
      return given.length === expected.length && crypto.timingSafeEqual(given, expected);
    },
  };
}

function webWork(header: TokenHeader, bytes: Uint8Array<ArrayBuffer>): KeyOperations {
  let imported: Promise<CryptoKey> | undefined;
  return joseOperations(header, () => {
    imported ??= crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
    return imported;
  });
}
