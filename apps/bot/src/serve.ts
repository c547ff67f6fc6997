import { createLog } from "@media-ops/secrets";
import { StopSignal } from "@media-ops/settings/process";
import { startBot } from "./bot.js";
import { readConfig } from "./config/config.js";

/** Runs the bot until the process is told to end; gives its exit code. */
export async function serve(): Promise<number> {
  const config = readConfig(process.env);
  const log = createLog({ level: config.logLevel });
  const stop = new StopSignal(log);
  const bot = await startBot({ config, log });
  stop.started();
  const { reason, exitCode } = await stop.received;
  log.info({ reason }, "stopping");
  await bot.stop();
  log.info("stopped");
  return exitCode;
}
