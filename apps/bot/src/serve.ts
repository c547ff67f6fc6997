import { once } from "node:events";
import { createLog, refuseLostDatabase } from "@media-ops/secrets";
import type { Logger } from "pino";
import { startBot } from "./bot.js";
import { readConfig } from "./config/config.js";

// Supervisors kill after 10 s.
const MAX_STOP_MS = 9500;
const UNCAUGHT = "an error that was caught nowhere";

/**
 * Runs the bot until the process is told to end; gives its exit code.
 *
 * @param isNew Whether an empty database may be made though a master key shows that there was one.
 */
export async function serve(isNew: boolean): Promise<number> {
  const config = readConfig(process.env);
  if (!isNew) await refuseLostDatabase(config, { restore: "media-bot restore <backup>", anew: "media-bot --new" });
  const log = createLog({ level: config.logLevel });
  const stopped = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT"), uncaught(log)]);
  // It may come while the bot still starts.
  void stopped.then(() => setTimeout(() => process.exit(1), MAX_STOP_MS).unref());
  const bot = await startBot({ config, log });
  const end = await Promise.race([stopped, bot.mustRestart]);
  if (end instanceof Error) {
    log.fatal({ err: end }, "the bot must be started again; it ends now, with 1");
    setTimeout(() => process.exit(1), MAX_STOP_MS).unref();
  } else log.info({ signal: end[0] }, "stopping");
  await bot.stop();
  log.info("stopped");
  return end instanceof Error || end[0] === UNCAUGHT ? 1 : 0;
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
