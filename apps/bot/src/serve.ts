import { createLog } from "@media-ops/secrets";
import { StopSignal } from "@media-ops/settings";
import type { Logger } from "pino";
import { startBot } from "./bot.js";
import { readConfig } from "./config/config.js";

// Supervisors kill after 10 s.
const MAX_STOP_MS = 9500;
const UNCAUGHT = "an error that was caught nowhere";

/** Runs the bot until the process is told to end; gives its exit code. */
export async function serve(): Promise<number> {
  const config = readConfig(process.env);
  const log = createLog({ level: config.logLevel });
  const stop = new StopSignal((signal) => log.info({ signal }, "stopped before the bot had started"));
  const stopped = Promise.race([stop.received, uncaught(log)]);
  // It may come while the bot still starts.
  void stopped.then(() => setTimeout(() => process.exit(1), MAX_STOP_MS).unref());
  const bot = await startBot({ config, log });
  stop.started();
  const signal = await stopped;
  log.info({ signal }, "stopping");
  await bot.stop();
  log.info("stopped");
  return signal === UNCAUGHT ? 1 : 0;
}

/**
 * Where an error is caught nowhere, which happens in libraries, the bot finishes what is in flight; whoever supervises it
 * starts it anew.
 */
function uncaught(log: Logger): Promise<typeof UNCAUGHT> {
  return new Promise((resolve) => {
    process.on("unhandledRejection", (error) => {
      log.fatal({ err: error }, "an error was caught nowhere");
      resolve(UNCAUGHT);
    });
  });
}
