import { once } from "node:events";
import { DatabaseError } from "@media-ops/database";
import { createLog, MasterKeyError } from "@media-ops/secrets";
import { ConfigError } from "@media-ops/settings";
import type { Logger } from "pino";
import { startBot } from "./bot.js";
import { readConfig } from "./config/config.js";
import { AccessError } from "./slack/access.js";

// Supervisors kill after 10 s.
const MAX_STOP_MS = 9500;
const UNCAUGHT = "an error that was caught nowhere";

try {
  process.loadEnvFile();
} catch {
  // There need not be a file .env.
}

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const config = readConfig(process.env);
    const log = createLog({ level: config.logLevel });
    const stopped = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT"), uncaught(log)]);
    // It may come while the bot still starts.
    void stopped.then(() => setTimeout(() => process.exit(1), MAX_STOP_MS).unref());
    const bot = await startBot({ config, log });
    const [signal] = await stopped;
    log.info({ signal }, "stopping");
    await bot.stop();
    log.info("stopped");
    return signal === UNCAUGHT ? 1 : 0;
  } catch (error) {
    process.stderr.write(`${wordsFor(error)}\n`);
    return 1;
  }
}

/**
 * Where an error is caught nowhere, which happens in libraries, the bot finishes what is in flight; whoever supervises it
 * starts it anew.
 */
function uncaught(log: Logger): Promise<[typeof UNCAUGHT]> {
  return new Promise((resolve) => {
    process.on("unhandledRejection", (error) => {
      log.fatal({ err: error }, "an error was caught nowhere");
      resolve([UNCAUGHT]);
    });
  });
}

/** What somebody who starts the bot can mend is told without a stack. */
function wordsFor(error: unknown): string {
  const isKnown = [ConfigError, AccessError, MasterKeyError, DatabaseError].some((known) => error instanceof known);
  if (!(error instanceof Error)) return String(error);
  return isKnown || "code" in error || error.cause ? error.message : (error.stack ?? error.message);
}
