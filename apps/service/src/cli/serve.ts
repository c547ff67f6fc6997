import { once } from "node:events";
import { createLog } from "../log.js";
import { listProjects } from "../projects/projects.js";
import { type Command, newOption } from "./command.js";

// Supervisors kill after 10 s.
const MAX_STOP_MS = 9500;

export const serveCommand: Command = {
  name: "serve",
  parameters: [],
  options: [newOption],
  summary: "Runs the service until SIGTERM or Ctrl-C.",
  help: "Settings come from the environment, or from a file .env: .env.example lists them all.",
  async run({ config: read, now, refuseLost }) {
    const config = read();
    await refuseLost("media-ops serve --new");
    const log = createLog({ level: config.logLevel });
    const stopped = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
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
    const end = await Promise.race([stopped, service.mustRestart]);
    const mustRestart = end instanceof Error;
    if (mustRestart) log.fatal({ err: end }, "the service must be started again; it ends now, with 1");
    else log.info({ signal: end[0] }, "stopping");
    setTimeout(() => {
      log.error("stopping took too long; what was not yet written is lost");
      process.exit(1);
    }, MAX_STOP_MS).unref();
    await service.stop();
    log.info("stopped");
    return { text: "", json: undefined, exitCode: mustRestart ? 1 : 0 };
  },
};
