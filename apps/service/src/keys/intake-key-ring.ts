import { timingSafeEqual } from "node:crypto";
import type { Kysely } from "kysely";
import { LRUCache } from "lru-cache";
import type { Tables } from "../storage/tables.js";
import { type Credential, hashOf } from "./credential.js";

// A revoked key is refused after this time.
const KNOWN_FOR_MS = 5000;
const MAX_KEYS = 1000;

/** The media servers' keys, as far as they are used: each is looked up every few seconds. */
export class IntakeKeyRing {
  readonly #nobody = Buffer.alloc(32);
  readonly #hashes: LRUCache<string, Buffer>;

  constructor(query: Kysely<Tables>) {
    this.#hashes = new LRUCache({
      max: MAX_KEYS,
      ttl: KNOWN_FOR_MS,
      fetchMethod: (keyId) => hashOfKey(query, keyId),
    });
  }

  /** Whether it is a key that is good now. */
  async isGood(credential: Credential): Promise<boolean> {
    return this.#isSame(credential, await this.#hashes.fetch(credential.keyId));
  }

  /** Whether it is a key that was good a moment ago: what can be said at once. */
  isKnownGood(credential: Credential): boolean {
    return this.#isSame(credential, this.#hashes.get(credential.keyId));
  }

  #isSame(credential: Credential, hash: Buffer | undefined): boolean {
    return timingSafeEqual(hashOf(credential), hash ?? this.#nobody);
  }
}

async function hashOfKey(query: Kysely<Tables>, keyId: string): Promise<Buffer | undefined> {
  const row = await query
    .selectFrom("intake_key")
    .select("hash")
    .where("key_id", "=", keyId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return row?.hash;
}
