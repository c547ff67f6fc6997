import * as secrets from "@media-ops/secrets";
import type { Kysely } from "kysely";
import type { Config } from "../config/config.js";
import type { Tables } from "../storage/tables.js";

const SETTING = "master_key_id";

/** Opens the vault of the service's database, which keeps the API keys and the webhooks' secrets. */
export function openVault(config: Config, query: Kysely<Tables>): Promise<secrets.Vault> {
  const { masterKey, masterKeyFile, databaseUrl } = config;
  return secrets.openVault({
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
  });
}
