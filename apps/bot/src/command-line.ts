import { readFileSync } from "node:fs";
import { DatabaseError } from "@media-ops/database";
import { createLog, MasterKeyError, redact, refuseLostDatabase } from "@media-ops/secrets";
import { ConfigError } from "@media-ops/settings";
import { StopSignal } from "@media-ops/settings/process";
import { z } from "zod";
import { help, readArguments, UsageError } from "./arguments.js";

/** Runs one command and returns the exit code: 0 if all is well, 1 if it failed, 2 if it was not understood. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  try {
    const asked = readArguments(args);
    switch (asked.kind) {
      case "help":
        process.stdout.write(help);
        return 0;
      case "version":
        process.stdout.write(`${readVersion()}\n`);
        return 0;
      case "backup":
      case "restore": {
        const { backUpBotStore, restoreBotStore } = await import("./storage/copies.js");
        const work = asked.kind === "backup" ? backUpBotStore : restoreBotStore;
        process.stdout.write(`${await work(asked.file, process.env, Date.now())}\n`);
        return 0;
      }
      case "start":
        return await serve(asked.isNew);
      case "migrate-store": {
        const { migrateBotStore } = await import("./storage/copies.js");
        const { text, isSame } = await migrateBotStore({ ...asked, env: process.env });
        process.stdout.write(text);
        return isSame ? 0 : 1;
      }
    }
  } catch (error) {
    process.stderr.write(`${redact(errorText(error))}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Errors that the operator can do something about are shown without a stack. */
function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known = [ConfigError, DatabaseError, MasterKeyError, UsageError];
  const isKnown = known.some((expected) => error instanceof expected);
  return isKnown || "code" in error || error.cause ? error.message : (error.stack ?? error.message);
}

/** @param isNew Whether an empty database may be created though a master key shows that there was one. */
async function serve(isNew: boolean): Promise<number> {
  // Only this command needs Slack's libraries, which take long to load.
  const [{ startBot }, { readConfig }] = await Promise.all([import("./bot.js"), import("./config.js")]);
  const config = readConfig(process.env);
  if (!isNew) await refuseLostDatabase(config, { restore: "media-bot restore <backup>", anew: "media-bot --new" });
  const log = createLog({ level: config.logLevel });
  const stop = new StopSignal(log);
  const bot = await startBot({ config, log });
  stop.started();
  void bot.mustRestart.then((error) => stop.fail(error));
  const { reason, exitCode } = await stop.received;
  log.info({ reason }, "stopping");
  await bot.stop();
  log.info("stopped");
  return exitCode;
}

const manifest = z.object({ name: z.string(), version: z.string() });

/** Name and version of this program, from its package.json. */
function readVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const { name, version } = manifest.parse(JSON.parse(text));
  return `${name} ${version}`;
}
