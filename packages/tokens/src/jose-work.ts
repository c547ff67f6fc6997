import { CompactSign, compactVerify, errors } from "jose";
import type { KeyWork, TokenHeader } from "./token-key.js";

/** Signs and verifies through WebCrypto, which every runtime has. */
export function joseWork(header: TokenHeader, key: () => Promise<CryptoKey>): Required<KeyWork> {
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
