import type { Vault } from "@media-ops/secrets";
import type { Kysely } from "kysely";
import { nextVersion } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import { type Credential, hashOf, newCredential } from "./credential.js";

/** An API key as it is stored. */
export interface ApiKey {
  readonly projectId: string;
  readonly keyId: string;
  readonly hash: Buffer;
  readonly sealed: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

const COUNTER = "api_key";

/** What a key's text is encrypted for: it can be decrypted for nothing else. */
export const purposeOf = (keyId: string): string => `api key ${keyId}`;

/** Creates a key for a project. Its text is shown only once. */
export async function createApiKey(
  query: Kysely<Tables>,
  vault: Vault,
  projectId: string,
  now: number,
): Promise<Credential> {
  const credential = newCredential("mo");
  const row = {
    project_id: projectId,
    key_id: credential.keyId,
    hash: hashOf(credential),
    sealed: await vault.seal(credential.text, purposeOf(credential.keyId)),
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

/** Revokes a key. Returns false if there is no such key that is still active. */
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

/** The keys of a project, or of all projects, oldest first. */
export async function listApiKeys(query: Kysely<Tables>, projectId: string | undefined): Promise<ApiKey[]> {
  return selectKeys(query)
    .$if(projectId !== undefined, (all) => all.where("project_id", "=", projectId ?? ""))
    .orderBy("project_id")
    .orderBy("created_at")
    .execute();
}

/** The keys that were created or revoked after a version, and the version that the last of them has. */
export async function apiKeysSince(query: Kysely<Tables>, since: number, limit: number) {
  const rows = await selectKeys(query)
    .select("version")
    .where("version", ">", since)
    .orderBy("version")
    .limit(limit)
    .execute();
  return { rows: rows.map(({ version: _, ...key }) => key), version: rows.at(-1)?.version ?? since };
}

const selectKeys = (query: Kysely<Tables>) =>
  query
    .selectFrom("api_key")
    .select([
      "project_id as projectId",
      "key_id as keyId",
      "hash",
      "sealed",
      "created_at as createdAt",
      "revoked_at as revokedAt",
    ]);
