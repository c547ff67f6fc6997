import type { Vault } from "@media-ops/secrets";
import type { Kysely } from "kysely";
import type { Tables } from "../storage/tables.js";
import { nextVersion } from "../storage/version.js";
import { hashOf, newCredential } from "./credential.js";

/** An API key as it is kept. */
export interface ApiKey {
  readonly projectId: string;
  readonly keyId: string;
  readonly hash: Buffer;
  readonly sealed: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

const COUNTER = "api_key";

export const purposeOf = (keyId: string): string => `api key ${keyId}`;

/** Makes a key for a project. Its text is told this once. */
export async function createApiKey(query: Kysely<Tables>, vault: Vault, projectId: string, now: number) {
  const credential = newCredential("mo");
  const sealed = await vault.seal(credential.text, purposeOf(credential.keyId));
  const row = {
    project_id: projectId,
    key_id: credential.keyId,
    hash: hashOf(credential),
    sealed,
    created_at: new Date(now).toISOString(),
    revoked_at: null,
  };
  await query.transaction().execute(async (transaction) => {
    const version = await nextVersion(transaction, COUNTER);
    await transaction
      .insertInto("api_key")
      .values({ ...row, version })
      .execute();
  });
  return credential;
}

/** Ends a key; false where there is no such key that is still good. */
export async function revokeApiKey(query: Kysely<Tables>, keyId: string, now: number): Promise<boolean> {
  return query.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable("api_key")
      .set({ revoked_at: new Date(now).toISOString(), version: await nextVersion(transaction, COUNTER) })
      .where("key_id", "=", keyId)
      .where("revoked_at", "is", null)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  });
}

export async function listApiKeys(query: Kysely<Tables>, projectId: string | undefined): Promise<ApiKey[]> {
  const rows = await query
    .selectFrom("api_key")
    .selectAll()
    .$if(projectId !== undefined, (all) => all.where("project_id", "=", projectId ?? ""))
    .orderBy("project_id")
    .orderBy("created_at")
    .execute();
  return rows.map(toApiKey);
}

/** The keys that were made or revoked after a version, and the version that they lead to. */
export async function apiKeysSince(query: Kysely<Tables>, version: number, limit: number) {
  const rows = await query
    .selectFrom("api_key")
    .selectAll()
    .where("version", ">", version)
    .orderBy("version")
    .limit(limit)
    .execute();
  return { rows: rows.map(toApiKey), version: rows.at(-1)?.version ?? version };
}

function toApiKey(row: Tables["api_key"]): ApiKey {
  return {
    projectId: row.project_id,
    keyId: row.key_id,
    hash: row.hash,
    sealed: row.sealed,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  };
}
