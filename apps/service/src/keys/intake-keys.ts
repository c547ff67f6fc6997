import type { Kysely } from "kysely";
import type { Tables } from "../storage/tables.js";
import { hashOf, newCredential } from "./credential.js";

/** A key of the media server, as it is kept. It needs no sealing: nobody signs with it. */
export interface IntakeKey {
  readonly keyId: string;
  readonly label: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

/** Makes a key for a media server. Its text is told this once. */
export async function createIntakeKey(query: Kysely<Tables>, label: string, now: number) {
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

/** Ends a key; false where there is no such key that is still good. */
export async function revokeIntakeKey(query: Kysely<Tables>, keyId: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable("intake_key")
    .set({ revoked_at: new Date(now).toISOString() })
    .where("key_id", "=", keyId)
    .where("revoked_at", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function listIntakeKeys(query: Kysely<Tables>): Promise<IntakeKey[]> {
  const rows = await query
    .selectFrom("intake_key")
    .select(["key_id", "label", "created_at", "revoked_at"])
    .orderBy("created_at")
    .execute();
  return rows.map(({ key_id, label, created_at, revoked_at }) => ({
    keyId: key_id,
    label,
    createdAt: created_at,
    revokedAt: revoked_at,
  }));
}
