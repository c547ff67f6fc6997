import { createLog, refuseLostDatabase } from "@media-ops/secrets";
import { StopSignal } from "@media-ops/settings/process";
import { startBot } from "./bot.js";
import { readConfig } from "./config/config.js";

/**
 * Runs the bot until it must stop; gives its exit code.
 *
 * @param isNew Whether an empty database may be made though a master key shows that there was one.
 */
export async function serve(isNew: boolean): Promise<number> {
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
