import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { describeRestored, restoreDatabase } from "@media-ops/database";
import { masterKeyFile } from "@media-ops/secrets";
import { checkSecrets } from "../secrets/open-vault.js";
import { migrations } from "../storage/migrations.js";
import type { Tables } from "../storage/tables.js";
import type { Command } from "./command.js";

const backup: Command = {
  name: "backup",
  parameters: ["<file>"],
  summary: "Writes a consistent copy of the database to a new file, while the service runs.",
  help: "The copy does not contain the master key, without which its API keys and signing secrets cannot be read: back that up separately.",
  async run({ open, config }, [file = ""]) {
    const { storage } = await open();
    await storage.backup(file);
    const { size } = await stat(file);
    const keyFile = masterKeyFile(config());
    const keyPlace = keyFile ? `in ${keyFile}` : "in MEDIA_MASTER_KEY";
    return {
      text: `Backup written to ${file} (${size} bytes). It does not contain the master key, which is ${keyPlace}: back that up separately.`,
      json: { file: resolve(file), bytes: size },
    };
  },
};

const restore: Command = {
  name: "restore",
  parameters: ["<backup>"],
  summary: "Replaces the database with a backup, and keeps the old one under a dated name.",
  help: `Stop the service first: a database in use is refused.
Before anything is changed, the backup is checked: it must be intact, from this service, from no newer version, and readable with the master key. It is checked again in its new place. The backup itself is not changed.
The command may be interrupted at any time, and run again. Nothing else needs to be copied or deleted by hand.
Restore a PostgreSQL database with PostgreSQL's own tools.`,
  async run({ config, now }, [backup = ""]) {
    const settings = config();
    const restored = await restoreDatabase<Tables>(settings.databaseUrl, {
      owner: "service",
      migrations,
      backup,
      now: now(),
      checkSecrets: (query) => checkSecrets(settings, query),
    });
    return {
      text: `${describeRestored(restored)}\nTo start the service: media-ops serve`,
      json: {
        file: resolve(restored.file),
        backup: resolve(backup),
        kept: restored.kept.map((file) => resolve(file)),
      },
    };
  },
};

/** `backup` and `restore`. */
export const backupCommands: readonly Command[] = [backup, restore];
