import * as secrets from "@media-ops/secrets";
import type { Kysely } from "kysely";
import type { Config } from "../config/config.js";
import type { Tables } from "../storage/tables.js";

const SETTING = "master_key_id";

/** Opens the vault of the service's database, which keeps the API keys and the webhooks' secrets. */
export function openVault(
  config: Config,
  query: Kysely<Tables>,
  warn?: secrets.VaultOptions["warn"],
): Promise<secrets.Vault> {
  return secrets.openVault({ ...optionsFor(config, query), warn });
}

/** The same, but writes nothing: undefined if the database has no master key yet. */
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
