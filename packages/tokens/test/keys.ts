import { vi } from "vitest";
import { apiKeyToTokenKey, ed25519ToTokenKey, type TokenKey, textToTokenKey } from "../src/index.js";

export const apiKey = "mo_k1_a-secret_with-all_that-a-secret-may-hold-0123";

export const privateJwk = {
  kty: "OKP",
  crv: "Ed25519",
  d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  kid: "e1",
};
const { d: _, ...publicPart } = privateJwk;
export const publicJwk = publicPart;

/** Creates keys as in a runtime without Node's modules. */
export function withoutNode(make: () => TokenKey): TokenKey {
  const lookup = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
  try {
    return make();
  } finally {
    lookup.mockRestore();
  }
}

const edKey = await ed25519ToTokenKey(privateJwk);
const edPublicKey = await ed25519ToTokenKey(publicJwk);

/** Each way of signing, with the matching verification key. */
export const ways: [name: string, signing: TokenKey, verifying: TokenKey][] = [
  ["HS256 through node:crypto", apiKeyToTokenKey(apiKey), apiKeyToTokenKey(apiKey)],
  ["HS256 through WebCrypto", withoutNode(() => apiKeyToTokenKey(apiKey)), withoutNode(() => apiKeyToTokenKey(apiKey))],
  ["HS256 with a key without a name", textToTokenKey(apiKey), textToTokenKey(apiKey)],
  ["EdDSA", edKey, edPublicKey],
];
