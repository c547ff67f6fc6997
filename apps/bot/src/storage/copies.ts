import { resolve } from "node:path";
import {
  describeCopy,
  describeDistributed,
  describeRestored,
  distributeDatabase,
  isSame,
  migrateStore,
  openDatabase,
  restoreDatabase,
  showProgress,
} from "@media-ops/database";
import { MasterKeyError, masterKeyFile, type Vault } from "@media-ops/secrets";
import type { Kysely } from "kysely";
import { type Environment, readStorageConfig, type StorageConfig } from "../config.js";
import { connectionPurpose } from "../connections/connections.js";
import { installationPurpose } from "../slack/access.js";
import { targetPurpose } from "../watches/watch-store.js";
import { migrations } from "./migrations.js";
import { openBotVault } from "./open-storage.js";
import { storeTables, type Tables } from "./tables.js";

/** Writes a consistent copy of the bot's SQLite database to a new file while the bot runs; returns what to say then. */
export async function backUpBotStore(file: string, env: Environment): Promise<string> {
  const config = readStorageConfig(env);
  const database = await openDatabase<Tables>(config.databaseUrl, { owner: "bot", migrations, mustExist: true });
  try {
    await database.backup(file);
  } finally {
    await database.close();
  }
  const keyFile = masterKeyFile(config);
  const where = keyFile === undefined ? "in BOT_MASTER_KEY" : `in ${keyFile}`;
  return `The copy is in ${file}. It does not contain the master key, which is ${where}. Keep a copy of that, too, in another place.`;
}

/** Replaces the bot's SQLite database with a backup, and keeps the former files; returns what to say then. */
export async function restoreBotStore(backup: string, env: Environment, now: number): Promise<string> {
  const config = readStorageConfig(env);
  const restored = await restoreDatabase<Tables>(config.databaseUrl, {
    owner: "bot",
    migrations,
    backup,
    now,
    checkSecrets: (query) => checkSecrets(config, query),
  });
  return `${describeRestored(restored)}\nTo start the bot: media-bot`;
}

/** Checks that every key and token in the database can be decrypted, except for those that expire within minutes. */
async function checkSecrets(config: StorageConfig, query: Kysely<Tables>): Promise<void> {
  const vault = await openBotVault(config, query);
  if (vault === undefined) return;
  const connections = query.selectFrom("connection").select(["team_id", "project_id", "base_url", "sealed"]);
  for (const { team_id, project_id, base_url, sealed } of await connections.execute()) {
    await checkSealed(vault, sealed, connectionPurpose(team_id, project_id, base_url));
  }
  for (const { team_id, sealed } of await query.selectFrom("installation").select(["team_id", "sealed"]).execute()) {
    await checkSealed(vault, sealed, installationPurpose(team_id));
  }
  const targets = query.selectFrom("watch").select(["team_id", "watch_id", "target"]).where("target", "is not", null);
  for (const { team_id, watch_id, target } of await targets.execute()) {
    if (target !== null) await checkSealed(vault, target, targetPurpose(team_id, watch_id));
  }
}

async function checkSealed(vault: Vault, sealed: string, purpose: string): Promise<void> {
  try {
    await vault.open(sealed, purpose);
  } catch (error) {
    throw new MasterKeyError(`The secret of the ${purpose} cannot be decrypted with the master key.`, { cause: error });
  }
}

/** Copies the bot's store to PostgreSQL; returns what to say then, and whether every row is there. */
export async function migrateBotStore(from: string, to: string, env: Environment) {
  const keyFile = masterKeyFile({ ...readStorageConfig(env), databaseUrl: from });
  const onStep = showProgress(process.stderr, Date.now);
  const migrated = await migrateStore<Tables>({ owner: "bot", migrations, from, to, tables: storeTables, onStep });
  const words = { program: "bot", prefix: "BOT", keyFile: keyFile && resolve(keyFile) };
  return { text: `${describeCopy(migrated, words)}\n`, isSame: isSame(migrated) };
}

/** Distributes the bot's tables over the workers of Citus, in place; returns what to say then. */
export async function distributeBotStore(env: Environment): Promise<string> {
  const distributed = await distributeDatabase(readStorageConfig(env).databaseUrl, {
    owner: "bot",
    program: "media-bot",
    migrations,
    onStep: showProgress(process.stderr, Date.now),
  });
  return describeDistributed(distributed, "bot");
}
