import { CopyError, DatabaseError } from "@media-ops/database";
import { MasterKeyError, redact } from "@media-ops/secrets";
import { ConfigError } from "@media-ops/settings";
import { help, readArguments, UsageError } from "./arguments.js";
import { AccessError } from "./slack/access-error.js";
import { readVersion } from "./version.js";

/** Runs one command; gives the exit code: 0 if all is well, 1 if it failed, 2 if it was not understood. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  try {
    const asked = readArguments(args);
    switch (asked.kind) {
      case "help":
        process.stdout.write(help);
        return 0;
      case "version": {
        process.stdout.write(`${readVersion()}\n`);
        return 0;
      }
      case "backup":
      case "restore": {
        const { backUpBotStore, restoreBotStore } = await import("./storage/backup.js");
        const work = asked.kind === "backup" ? backUpBotStore : restoreBotStore;
        process.stdout.write(`${await work(asked.file, process.env, Date.now())}\n`);
        return 0;
      }
      case "start": {
        // Nothing else needs Slack.
        const { serve } = await import("./serve.js");
        return await serve(asked.isNew);
      }
      case "migrate-store": {
        const { migrateBotStore } = await import("./storage/migrate-store.js");
        const { text, isSame } = await migrateBotStore({ ...asked, env: process.env });
        process.stdout.write(text);
        return isSame ? 0 : 1;
      }
    }
  } catch (error) {
    process.stderr.write(`${redact(wordsFor(error))}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Errors that the operator can mend are shown without a stack. */
function wordsFor(error: unknown): string {
  const known = [AccessError, ConfigError, CopyError, DatabaseError, MasterKeyError, UsageError];
  const isKnown = known.some((expected) => error instanceof expected);
  if (!(error instanceof Error)) return String(error);
  return isKnown || "code" in error || error.cause ? error.message : (error.stack ?? error.message);
}
