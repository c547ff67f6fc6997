import { hash, randomBytes } from "node:crypto";

/** What a key is for: `mo` calls the operations of a project, `mi` is the media server's. */
export type KeyPrefix = "mo" | "mi";

/** A key as its owner holds it. */
export interface Credential {
  readonly keyId: string;
  /** All of it: `mo_<key id>_<256 random bits>`. */
  readonly text: string;
}

const KEY_ID_BYTES = 8;
const SECRET_BYTES = 32;
const SHAPE = /^(m[oi])_([A-Za-z0-9]{1,64})_[A-Za-z0-9_-]{43}$/;

export function newCredential(prefix: KeyPrefix): Credential {
  const keyId = randomBytes(KEY_ID_BYTES).toString("hex");
  return { keyId, text: `${prefix}_${keyId}_${randomBytes(SECRET_BYTES).toString("base64url")}` };
}

/** Reads the key out of `Authorization: Bearer <key>`. */
export function credentialOf(authorization: string | undefined, prefix: KeyPrefix): Credential | undefined {
  const text = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? "";
  const [, found, keyId = ""] = SHAPE.exec(text) ?? [];
  return found === prefix ? { keyId, text } : undefined;
}

export function hashOf({ text }: Credential): Buffer {
  return hash("sha256", text, "buffer");
}
