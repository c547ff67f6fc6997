import { randomBytes } from "node:crypto";
import type { SigningKey as PublicJwk } from "@media-ops/contract";
import type { Vault } from "@media-ops/secrets";
import { ed25519ToTokenKey, generateEd25519Jwk, type TokenKey } from "@media-ops/tokens";
import type { Kysely } from "kysely";
import { LRUCache } from "lru-cache";
import { openKeyBook } from "../keys/api-keys.js";
import { nextVersion } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";

/** A stored key pair that signs a project's tokens. */
export type SigningKey = ReturnType<typeof toSigningKey>;

const COUNTER = "signing_key";
const KEY_ID_BYTES = 8;

const purposeOf = (keyId: string): string => `signing key ${keyId}`;

/** Creates a key pair that signs the project's tokens from now on. The previous one is retired. Returns its id. */
export async function createSigningKey(
  query: Kysely<Tables>,
  vault: Vault,
  projectId: string,
  now: number,
): Promise<string> {
  const keyId = randomBytes(KEY_ID_BYTES).toString("hex");
  const { privateJwk, publicJwk } = await generateEd25519Jwk(keyId);
  const row = {
    project_id: projectId,
    key_id: keyId,
    public_jwk: JSON.stringify(publicJwk),
    sealed: await vault.seal(JSON.stringify(privateJwk), purposeOf(keyId)),
    created_at: new Date(now).toISOString(),
    retired_at: null,
    revoked_at: null,
  };
  await query.transaction().execute(async (transaction) => {
    await retire(transaction, projectId, now);
    const version = await nextVersion(transaction, COUNTER);
    await transaction
      .insertInto("signing_key")
      .values({ ...row, version })
      .execute();
  });
  return keyId;
}

/** Retires the project's signing key: its API keys sign its tokens from now on. Returns false if it has none. */
export async function retireSigningKey(query: Kysely<Tables>, projectId: string, now: number): Promise<boolean> {
  return query.transaction().execute((transaction) => retire(transaction, projectId, now));
}

async function retire(transaction: Kysely<Tables>, projectId: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable("signing_key")
    .set({ retired_at: new Date(now).toISOString(), version: await nextVersion(transaction, COUNTER) })
    .where("project_id", "=", projectId)
    .where("retired_at", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Revokes a signing key, and with it every token that it has signed. Returns false if no such key is valid. */
export async function revokeSigningKey(query: Kysely<Tables>, keyId: string, now: number): Promise<boolean> {
  const at = new Date(now).toISOString();
  return query.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable("signing_key")
      .set(({ fn, ref, val }) => ({ revoked_at: at, retired_at: fn.coalesce(ref("retired_at"), val(at)) }))
      .set({ version: await nextVersion(transaction, COUNTER) })
      .where("key_id", "=", keyId)
      .where("revoked_at", "is", null)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  });
}

/** The signing keys of a project, or of all projects, oldest first. */
export async function listSigningKeys(query: Kysely<Tables>, projectId: string | undefined): Promise<SigningKey[]> {
  const rows = await query
    .selectFrom("signing_key")
    .selectAll()
    .$if(projectId !== undefined, (all) => all.where("project_id", "=", projectId ?? ""))
    .orderBy("project_id")
    .orderBy("created_at")
    .execute();
  return rows.map(toSigningKey);
}

const toSigningKey = (row: Omit<Tables["signing_key"], "version">) => ({
  projectId: row.project_id,
  keyId: row.key_id,
  publicJwk: JSON.parse(row.public_jwk) as PublicJwk,
  sealed: row.sealed,
  createdAt: row.created_at,
  /** When it was replaced: it signs no more tokens, but those that it has signed stay valid. */
  retiredAt: row.retired_at,
  revokedAt: row.revoked_at,
});

// Enough for the keys in use; importing one again takes a fraction of a millisecond.
const MAX_KEYS = 1000;

/** All signing keys, in memory. */
export type SigningKeys = Awaited<ReturnType<typeof openSigningKeys>>;

/** @param onChange Called with an error when the keys cannot be read again, and without one when they can. */
export async function openSigningKeys(
  query: Kysely<Tables>,
  vault: Pick<Vault, "open">,
  onChange: (error: unknown) => void,
) {
  const book = await openKeyBook<SigningKey>({
    async read(since, limit) {
      const changed = query.selectFrom("signing_key").selectAll().where("version", ">", since).orderBy("version");
      const rows = await changed.limit(limit).execute();
      return { rows: rows.map(toSigningKey), version: rows.at(-1)?.version ?? since };
    },
    onChange,
  });
  const signers = new LRUCache<string, TokenKey, SigningKey>({
    max: MAX_KEYS,
    fetchMethod: async (keyId, _, { context }) =>
      ed25519ToTokenKey(JSON.parse(await vault.open(context.sealed, purposeOf(keyId)))),
  });
  const verifiers = new LRUCache<string, TokenKey, SigningKey>({
    max: MAX_KEYS,
    fetchMethod: (_, __, { context }) => ed25519ToTokenKey({ ...context.publicJwk }),
  });
  return {
    ...book,
    /** The key that signs a project's tokens; undefined if its API keys do. */
    async signing(projectId: string): Promise<TokenKey | undefined> {
      const key = book.validOf(projectId).find(({ retiredAt }) => retiredAt === null);
      return key && signers.forceFetch(key.keyId, { context: key });
    },
    verifying: (key: SigningKey): Promise<TokenKey> => verifiers.forceFetch(key.keyId, { context: key }),
  };
}
