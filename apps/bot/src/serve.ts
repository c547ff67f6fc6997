import { createLog } from "@media-ops/secrets";
import { stopRequest } from "@media-ops/settings/process";
import { startBot } from "./bot.js";
import { readConfig } from "./config/config.js";

/** Runs the bot until the process is told to end; gives its exit code. */
export async function serve(): Promise<number> {
  const config = readConfig(process.env);
  const log = createLog({ level: config.logLevel });
  // It may come while the bot still starts.
  const stopped = stopRequest(log);
  const bot = await startBot({ config, log });
  const { reason, exitCode } = await stopped;
  log.info({ reason }, "stopping");
  await bot.stop();
  log.info("stopped");
  return exitCode;
}
