import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** The kind of a key: `mo` keys call the operations of a project, `mi` keys belong to media servers. */
export type KeyPrefix = "mo" | "mi";

/** A key as its owner holds it. */
export interface Credential {
  readonly keyId: string;
  /** The whole key: `mo_<key id>_<256 random bits>`. */
  readonly text: string;
}

const KEY_ID_BYTES = 8;
const SECRET_BYTES = 32;
const SHAPE = /^(m[oi])_([A-Za-z0-9]{1,64})_[A-Za-z0-9_-]{43}$/;

/** Generates a key. */
export function newCredential(prefix: KeyPrefix): Credential {
  const keyId = randomBytes(KEY_ID_BYTES).toString("hex");
  return { keyId, text: `${prefix}_${keyId}_${randomBytes(SECRET_BYTES).toString("base64url")}` };
}

/** Reads the key in `Authorization: Bearer <key>`; undefined if the header has no key of this kind. */
export function credentialOf(authorization: string | undefined, prefix: KeyPrefix): Credential | undefined {
  const text = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? "";
  const [, found, keyId = ""] = SHAPE.exec(text) ?? [];
  return found === prefix ? { keyId, text } : undefined;
}

/** The hash by which a stored key is recognized. */
export function hashOf({ text }: Credential): Buffer {
  return hash("sha256", text, "buffer");
}

// Compared with unknown keys, so that they take as long to check as known ones.
const NO_HASH = Buffer.alloc(32);

/** Whether a key has this stored hash; false, after the same time, if there is none. */
export function hasHash(credential: Credential, stored: Buffer | undefined): boolean {
  return timingSafeEqual(hashOf(credential), stored ?? NO_HASH);
}
