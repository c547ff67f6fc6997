import { createHash } from "node:crypto";
import { CompactEncrypt, compactDecrypt } from "jose";

/** Keeps secrets so that they can be read again by whoever has the master key, and by nobody else. */
export interface Vault {
  /** Names the master key without telling it. */
  readonly keyId: string;
  /** Encrypts a secret for one purpose, such as "api key 4f1d". */
  seal(secret: string, purpose: string): Promise<string>;
  /** Decrypts what was sealed for this purpose; rejects where it was sealed for another, or with another key. */
  open(sealed: string, purpose: string): Promise<string>;
}

/** @param masterKey 32 bytes. */
export function createVault(masterKey: Uint8Array): Vault {
  const keyId = createHash("sha256").update("media-ops master key ").update(masterKey).digest("base64url").slice(0, 16);
  return {
    keyId,
    seal: (secret, purpose) =>
      new CompactEncrypt(new TextEncoder().encode(secret))
        // The header is authenticated too, so that what is sealed for one purpose is good for no other.
        .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: keyId, purpose })
        .encrypt(masterKey),
    async open(sealed, purpose) {
      const { plaintext, protectedHeader } = await compactDecrypt(sealed, masterKey, {
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
      });
      if (protectedHeader.purpose !== purpose) throw new Error(`This secret was not sealed as ${purpose}.`);
      return new TextDecoder().decode(plaintext);
    },
  };
}
