import { resolve } from "node:path";
import { describeCopy, isSame, migrateStore, showProgress } from "@media-ops/database";
import { masterKeyFile } from "@media-ops/secrets";
import { readMasterKey } from "../config/config.js";
import { migrations } from "./migrations.js";
import { storeTables } from "./store-tables.js";
import type { Tables } from "./tables.js";

/** What is copied where, and what is set meanwhile. */
interface Migration {
  readonly from: string;
  readonly to: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What has come of it, for whoever asked for it. */
interface Migrated {
  readonly text: string;
  /** Whether every row is in PostgreSQL. */
  readonly isSame: boolean;
}

/**
 * Copies the bot's store from an SQLite file to PostgreSQL, and tells on the standard error how far it is.
 *
 * @throws {ConfigError | CopyError | DatabaseError} which says why it is not done, and what to do.
 */
export async function migrateBotStore({ from, to, env }: Migration): Promise<Migrated> {
  const keyFile = masterKeyFile({ ...readMasterKey(env), databaseUrl: from });
  const onStep = showProgress(process.stderr, Date.now);
  const migrated = await migrateStore<Tables>({ owner: "bot", migrations, from, to, tables: storeTables, onStep });
  const words = { program: "bot", prefix: "BOT", keyFile: keyFile && resolve(keyFile) };
  return { text: `${describeCopy(migrated, words)}\n`, isSame: isSame(migrated) };
}
