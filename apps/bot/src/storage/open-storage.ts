import { type Database, type DatabaseWatcher, openDatabase } from "@media-ops/database";
import { openExistingVault, openVault, type Setting, type Vault, type VaultOptions } from "@media-ops/secrets";
import type { Kysely } from "kysely";
import type { StorageConfig } from "../config.js";
import { migrations } from "./migrations.js";
import type { Tables } from "./tables.js";

/** The bot's durable state. Any number of bots may share one. */
export interface Storage {
  readonly database: Database<Tables>;
  readonly query: Kysely<Tables>;
  /** Encrypts secrets before they are stored. */
  readonly vault: Vault;
  close(): Promise<void>;
}

/** Opens the bot's database and migrates its tables; warns if everyone can read the master key's file. */
export async function openStorage(
  config: StorageConfig,
  watcher?: DatabaseWatcher & { warn(text: string): void },
): Promise<Storage> {
  const database = await openDatabase<Tables>(config.databaseUrl, {
    owner: "bot",
    migrations,
    ...(watcher && { watcher }),
  });
  const { query } = database;
  try {
    const vault = await openVault({ ...vaultOptions(config, query), warn: watcher?.warn });
    return { database, query, vault, close: () => database.close() };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opens the vault of a database without writing; undefined if that has no master key yet. */
export const openBotVault = (config: StorageConfig, query: Kysely<Tables>): Promise<Vault | undefined> =>
  openExistingVault(vaultOptions(config, query));

const vaultOptions = (config: StorageConfig, query: Kysely<Tables>): VaultOptions => ({
  ...config,
  setting: masterKeyId(query),
  names: { key: "BOT_MASTER_KEY", file: "BOT_MASTER_KEY_FILE" },
  holds: "API keys and Slack tokens",
});

/** Whether a statement changed any row; it returns those that it changed. */
export const changesAny = async (statement: { execute(): Promise<readonly unknown[]> }): Promise<boolean> =>
  (await statement.execute()).length > 0;

function masterKeyId(query: Kysely<Tables>): Setting {
  const name = "master_key_id";
  return {
    async read() {
      const row = await query.selectFrom("bot_setting").select("value").where("name", "=", name).executeTakeFirst();
      return row?.value;
    },
    async keep(value) {
      const add = query.insertInto("bot_setting").values({ name, value });
      await add.onConflict((conflict) => conflict.doNothing()).execute();
    },
  };
}
