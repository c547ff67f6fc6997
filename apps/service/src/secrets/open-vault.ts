import * as secrets from "@media-ops/secrets";
import { type Kysely, sql } from "kysely";
import type { Config } from "../config/config.js";
import { purposeOf as keyPurpose } from "../keys/api-keys.js";
import type { Tables } from "../storage/tables.js";
import { purposeOf as webhookPurpose } from "../webhooks/webhooks.js";

const SETTING = "master_key_id";

/** Opens the vault of the service's database, which keeps the API keys and the webhooks' secrets. */
export function openVault(
  config: Config,
  query: Kysely<Tables>,
  warn?: secrets.VaultOptions["warn"],
): Promise<secrets.Vault> {
  return secrets.openVault({ ...optionsFor(config, query), warn });
}

/** Like `openVault`, but writes nothing: undefined if the database has no master key yet. */
export function openExistingVault(config: Config, query: Kysely<Tables>): Promise<secrets.Vault | undefined> {
  return secrets.openExistingVault(optionsFor(config, query));
}

function optionsFor({ masterKey, masterKeyFile, databaseUrl }: Config, query: Kysely<Tables>): secrets.VaultOptions {
  return {
    masterKey,
    masterKeyFile,
    databaseUrl,
    setting: {
      async read() {
        const row = await query.selectFrom("setting").select("value").where("name", "=", SETTING).executeTakeFirst();
        return row?.value;
      },
      async keep(value) {
        await query
          .insertInto("setting")
          .values({ name: SETTING, value })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      },
    },
    names: { key: "MEDIA_MASTER_KEY", file: "MEDIA_MASTER_KEY_FILE" },
    holds: "API keys",
  };
}

/** Checks that every secret in an SQLite database can be decrypted, in older tables too. @throws {MasterKeyError} */
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
    for (const sealed of old_secret === null ? [secret] : [secret, old_secret]) {
      await checkSealed(vault, sealed, webhookPurpose(project_id, kind));
    }
  }
}

async function checkSealed(vault: secrets.Vault, sealed: string, purpose: string): Promise<void> {
  try {
    await vault.open(sealed, purpose);
  } catch (error) {
    const message = `The secret of the ${purpose} cannot be decrypted with the master key.`;
    throw new secrets.MasterKeyError(message, { cause: error });
  }
}
