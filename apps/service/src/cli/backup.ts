import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { masterKeyFile } from "@media-ops/secrets";
import type { Command } from "./command.js";

export const backupCommand: Command = {
  name: "backup",
  parameters: ["<file>"],
  summary: "Writes a consistent copy of the database to a new file, while the service goes on.",
  help: "The master key is not in the copy, and without it no API key and no webhook's secret in it can be read: keep it too, elsewhere.",
  run: ({ withStorage, config }, [file = ""]) =>
    withStorage(async (storage) => {
      await storage.backup(file);
      const { size } = await stat(file);
      const keyFile = masterKeyFile(config());
      const where = keyFile ? `in ${keyFile}` : "in MEDIA_MASTER_KEY";
      return {
        text: `The copy is in ${file} (${size} bytes). The master key is not in it: it is ${where}; keep that too, elsewhere.`,
        json: { file: resolve(file), bytes: size },
      };
    }),
};
