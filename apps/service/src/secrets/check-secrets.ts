import { MasterKeyError, type Vault } from "@media-ops/secrets";
import { type Kysely, sql } from "kysely";
import type { Config } from "../config/config.js";
import { purposeOf as keyPurpose } from "../keys/api-keys.js";
import type { Tables } from "../storage/tables.js";
import { webhookKinds, purposeOf as webhookPurpose } from "../webhooks/webhooks.js";
import { openExistingVault } from "./open-vault.js";

/**
 * Checks that every secret in an SQLite database of the service can be decrypted, and writes nothing. The tables may be
 * those of an older version.
 *
 * @throws {MasterKeyError} which says what cannot be.
 */
export async function checkSecrets(config: Config, query: Kysely<Tables>): Promise<void> {
  const vault = await openExistingVault(config, query);
  if (vault === undefined) return;
  for (const { key_id, sealed } of await query.selectFrom("api_key").select(["key_id", "sealed"]).execute()) {
    await checkSealed(vault, sealed, keyPurpose(key_id));
  }
  const { rows } = await sql`select 1 from sqlite_schema where name = 'webhook'`.execute(query);
  if (rows.length === 0) return;
  const webhooks = query.selectFrom("webhook").select(["project_id", "kind", "secret", "old_secret"]);
  for (const { project_id, kind, secret, old_secret } of await webhooks.execute()) {
    const known = webhookKinds.find((one) => one === kind);
    for (const sealed of known && old_secret !== null ? [secret, old_secret] : [secret]) {
      if (known) await checkSealed(vault, sealed, webhookPurpose(project_id, known));
    }
  }
}

async function checkSealed(vault: Vault, sealed: string, purpose: string): Promise<void> {
  try {
    await vault.open(sealed, purpose);
  } catch (error) {
    throw new MasterKeyError(`The secret of the ${purpose} cannot be decrypted with the master key.`, { cause: error });
  }
}
