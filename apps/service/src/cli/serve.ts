import { stopRequest } from "@media-ops/settings/process";
import { createLog } from "../log.js";
import { listProjects } from "../projects/projects.js";
import type { Command } from "./command.js";

export const serveCommand: Command = {
  name: "serve",
  parameters: [],
  summary: "Runs the service until SIGTERM or Ctrl-C.",
  help: "Settings come from the environment, or from a file .env: .env.example lists them all.",
  async run({ config: read, now }) {
    const config = read();
    const log = createLog({ level: config.logLevel });
    const stopped = stopRequest(log);
    // The other commands need neither, and would have to wait until they are loaded.
    const [{ startService }, { collectDefaultMetrics }] = await Promise.all([
      import("../service.js"),
      import("prom-client"),
    ]);
    const service = await startService({ config, log, now });
    collectDefaultMetrics({ register: service.metrics.registry });
    if ((await listProjects(service.storage.query)).length === 0) {
      log.info("there is no project yet; make one in another terminal: media-ops projects create demo");
    }
    const { reason, exitCode } = await stopped;
    log.info({ reason }, "stopping");
    await service.stop();
    log.info("stopped");
    return { text: "", json: undefined, exitCode };
  },
};
