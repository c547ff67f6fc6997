import type { Kysely } from "kysely";
import { LRUCache } from "lru-cache";
import type { Tables } from "../storage/tables.js";
import { type Credential, hasHash, hashOf, newCredential } from "./credential.js";

/** Creates a key for a media server. Its text is shown only once, and only its hash is kept: it signs nothing. */
export async function createIntakeKey(query: Kysely<Tables>, label: string, now: number): Promise<Credential> {
  const credential = newCredential("mi");
  await query
    .insertInto("intake_key")
    .values({
      key_id: credential.keyId,
      label,
      hash: hashOf(credential),
      created_at: new Date(now).toISOString(),
      revoked_at: null,
    })
    .execute();
  return credential;
}

/** Revokes a key. Returns false if no active key has this id. */
export async function revokeIntakeKey(query: Kysely<Tables>, keyId: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable("intake_key")
    .set({ revoked_at: new Date(now).toISOString() })
    .where("key_id", "=", keyId)
    .where("revoked_at", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** All media servers' keys, oldest first. */
export async function listIntakeKeys(query: Kysely<Tables>) {
  return query
    .selectFrom("intake_key")
    .select(["key_id as keyId", "label", "created_at as createdAt", "revoked_at as revokedAt"])
    .orderBy("created_at")
    .execute();
}

// A revoked key is refused after this time.
const KNOWN_FOR_MS = 5000;
const MAX_KEYS = 1000;

/** Checks media servers' keys. Each is read again every few seconds while it is in use. */
export class IntakeKeyRing {
  readonly #hashes: LRUCache<string, Buffer>;

  constructor(query: Kysely<Tables>, elapsed: () => number) {
    this.#hashes = new LRUCache({
      max: MAX_KEYS,
      ttl: KNOWN_FOR_MS,
      perf: { now: elapsed },
      async fetchMethod(keyId) {
        const active = query.selectFrom("intake_key").select("hash").where("revoked_at", "is", null);
        return (await active.where("key_id", "=", keyId).executeTakeFirst())?.hash;
      },
    });
  }

  async isGood(credential: Credential): Promise<boolean> {
    return hasHash(credential, await this.#hashes.fetch(credential.keyId));
  }
}
