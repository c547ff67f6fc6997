import { CompactSign, compactVerify, errors } from "jose";
import type { KeyOperations, TokenHeader } from "./token-key.js";

/**
 * Signs and verifies with WebCrypto, which every runtime has. Separate from `token-key.ts`, so that no published type
 * needs DOM types.
 */
export function joseOperations(header: TokenHeader, key: () => Promise<CryptoKey>): Required<KeyOperations> {
  const encoder = new TextEncoder();
  return {
    sign: async (payload) =>
      new CompactSign(encoder.encode(payload)).setProtectedHeader({ ...header }).sign(await key()),
    async verify(input, signature) {
      try {
        await compactVerify(`${input}.${signature}`, await key(), { algorithms: [header.alg] });
        return true;
      } catch (error) {
        if (error instanceof errors.JWSSignatureVerificationFailed) return false;
        throw error;
      }
    },
  };
}
