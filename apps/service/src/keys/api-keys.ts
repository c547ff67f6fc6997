import type { Vault } from "@media-ops/secrets";
import type { Kysely, Selection } from "kysely";
import { Follower, type FollowerOptions } from "../follower.js";
import { nextVersion } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import { type Credential, hasHash, hashOf, newCredential } from "./credential.js";

const columns = [
  "project_id as projectId",
  "key_id as keyId",
  "hash",
  "sealed",
  "created_at as createdAt",
  "revoked_at as revokedAt",
] as const;

/** A stored API key. */
export type ApiKey = Selection<Tables, "api_key", (typeof columns)[number]>;

const COUNTER = "api_key";

/** The purpose for which a key's text is encrypted: it can be decrypted for no other. */
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

/** Revokes a key. Returns false if no active key has this id. */
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

const selectKeys = (query: Kysely<Tables>) => query.selectFrom("api_key").select(columns);

// A revoked key must be refused within 30 s; this leaves time for a slow database.
const REFRESH_MS = 5000;
// Calls with unknown keys cause at most 20 reads a second.
const REFRESH_AGAIN_MS = 50;

/** All keys of a kind, revoked ones too, in memory: a call is authorized without reading the database. */
export async function openKeyBook<Key extends { projectId: string; keyId: string; revokedAt: string | null }>({
  read,
  onChange,
}: Pick<FollowerOptions<Key>, "read" | "onChange">) {
  const keys = new Map<string, Key>();
  const projects = new Map<string, Map<string, Key>>();
  const follower = await Follower.start<Key>({
    read,
    keep(key) {
      keys.set(key.keyId, key);
      const own = projects.get(key.projectId) ?? new Map<string, Key>();
      projects.set(key.projectId, own.set(key.keyId, key));
    },
    everyMs: REFRESH_MS,
    onChange,
  });
  return {
    /** The known key with an id. It says nothing about who calls. */
    find: (keyId: string): Key | undefined => keys.get(keyId),
    /** The keys of a project by which its tokens may be signed, oldest first. */
    validOf: (projectId: string): Key[] =>
      [...(projects.get(projectId)?.values() ?? [])].filter(({ revokedAt }) => revokedAt === null),
    refresh: (): Promise<void> => follower.refresh(),
    /** Like `refresh`, but callers within some milliseconds share one read. */
    refreshSoon: (): Promise<void> => follower.refreshSoon(REFRESH_AGAIN_MS),
    close: (): void => follower.close(),
  };
}

/** All API keys, in memory. */
export type KeyRing = Awaited<ReturnType<typeof openKeyRing>>;

/** @param onChange Called with an error when the keys cannot be read again, and without one when they can. */
export async function openKeyRing(query: Kysely<Tables>, onChange: (error: unknown) => void) {
  const book = await openKeyBook<ApiKey>({
    async read(since, limit) {
      const changed = selectKeys(query).select("version").where("version", ">", since).orderBy("version");
      const rows = await changed.limit(limit).execute();
      return { rows, version: rows.at(-1)?.version ?? since };
    },
    onChange,
  });
  /** The known key of a credential, even if it has been revoked. */
  const identify = (credential: Credential): ApiKey | undefined => {
    const known = book.find(credential.keyId);
    return hasHash(credential, known?.hash) ? known : undefined;
  };
  return {
    ...book,
    identify,
    /** The active key of a credential; undefined if there is none. */
    async authenticate(credential: Credential): Promise<ApiKey | undefined> {
      const known = identify(credential);
      if (known?.revokedAt === null) return known;
      // The key may be new. Unknown and wrong keys both take this path, and the same time.
      await book.refreshSoon();
      const found = identify(credential);
      return found?.revokedAt === null ? found : undefined;
    },
    isGood: (key: ApiKey): boolean => key.revokedAt === null && book.find(key.keyId) === key,
  };
}
