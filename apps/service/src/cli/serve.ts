import { setFlagsFromString } from "node:v8";
import { placeOf } from "@media-ops/database";
import { StopSignal } from "@media-ops/settings/process";
import { createLog } from "../log.js";
import { listProjects } from "../projects/projects.js";
import { type Command, CommandError, newOption } from "./command.js";

const LEAST_CONNECTIONS = 3;

/** `serve`. */
export const serveCommand: Command = {
  name: "serve",
  parameters: [],
  options: [newOption],
  summary: "Runs the service until SIGTERM or Ctrl-C.",
  help: "Settings are read from the environment, or from a file .env; .env.example lists them all.",
  async run({ config: read, now, refuseLost }) {
    // Calls that wait for a commit live long enough for V8 to allocate such objects in its old space, whose garbage then
    // keeps all finished calls alive until the next full collection.
    setFlagsFromString("--no-allocation-site-pretenuring");
    const config = read();
    await refuseLost("media-ops serve --new");
    const log = createLog({ level: config.logLevel });
    const stop = new StopSignal(log);
    // Loaded here so that the other commands start faster.
    const { PublicThread } = await import("../threads/child-thread.js");
    const { file, isShared, connections } = placeOf(config.databaseUrl);
    if (connections !== undefined && connections < LEAST_CONNECTIONS) {
      const detail = `The service needs at least ${LEAST_CONNECTIONS} connections to PostgreSQL, one for each of its threads, but MEDIA_DATABASE_URL has connections=${connections}.`;
      throw new CommandError(detail);
    }
    // Shared by the public listener's thread and that for reads.
    const forPublic = connections && Math.max(2, Math.floor(connections / 2));
    // Only one thread can read a database in memory.
    const thread = file === undefined && !isShared ? undefined : new PublicThread({ config, log }, forPublic);
    const [{ startService }, { collectDefaultMetrics }] = await Promise.all([
      import("../service.js"),
      import("prom-client"),
    ]);
    const service = await startService({
      config,
      log,
      now,
      ...(thread && { startPublic: (parts) => thread.start(parts) }),
      ...(connections && forPublic && { connections: connections - forPublic }),
    }).catch(async (error: unknown) => {
      await thread?.stop();
      throw error;
    });
    stop.started();
    void service.failed.then((error) => stop.fail(error));
    collectDefaultMetrics({ register: service.metrics.registry });
    // Only a hint, so an error is ignored.
    const projects = await listProjects(service.storage.query).catch(() => undefined);
    if (projects?.length === 0) {
      log.info("there is no project yet; to create one, run in another terminal: media-ops projects create demo");
    }
    const { reason, exitCode } = await stop.received;
    log.info({ reason }, "stopping");
    await service.stop();
    log.info("stopped");
    return { text: "", json: undefined, exitCode };
  },
};
