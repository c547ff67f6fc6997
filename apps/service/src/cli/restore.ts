import { resolve } from "node:path";
import { describeRestored, restoreDatabase } from "@media-ops/database";
import { checkSecrets } from "../secrets/open-vault.js";
import { migrations } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import type { Command } from "./command.js";

export const restoreCommand: Command = {
  name: "restore",
  parameters: ["<backup>"],
  summary: "Puts a backup in the place of the database, and keeps what was there under a dated name.",
  help: `Stop the service first: a database in use is refused.
The backup is checked before anything is changed: that it is intact, of this service and of no newer version, and that the master key decrypts what is in it. It is checked again in its place. The backup itself stays as it is.
It may be interrupted at any moment, and run again. Nothing else needs to be copied or deleted by hand.
A PostgreSQL database is restored with PostgreSQL's own tools.`,
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
