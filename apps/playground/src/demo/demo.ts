import { join } from "node:path";
import { createLog, readConfig, type Service, startService } from "@media-ops/service";
import type { Logger } from "pino";
import { keepDemo, readDemo } from "../kept.js";
import type { Ports } from "../ports.js";
import { type Env, isSet } from "../real-slack.js";
import type { Stops } from "../stops.js";
import { startLife, startMedia } from "./life.js";
import { type Hooks, pastOf } from "./past.js";
import { openProject, PROJECT_ID } from "./project.js";
import { createRandom } from "./random.js";
import { startReceiver } from "./receiver.js";

/** Options of {@link startDemo}. */
export interface DemoOptions {
  readonly folder: string;
  readonly ports: Ports;
  readonly env: Env;
  /** Where the service's log goes. @default as the service logs by itself */
  readonly logTo: { write(line: string): void } | undefined;
  readonly now: () => number;
  readonly stops: Stops;
  tell(text: string): void;
}

/** The service with its demo project, in which something goes on. */
export interface Demo {
  readonly service: Service;
  readonly projectId: string;
  readonly apiKey: string;
  readonly mediaApiUrl: string;
}

/** Starts the service, makes the demo project where there is none, and lets something go on in it. */
export async function startDemo({ folder, ports, env, logTo, now, stops, tell }: DemoOptions): Promise<Demo> {
  const serviceEnv = {
    MEDIA_PORT: String(ports.service),
    MEDIA_INTAKE_PORT: String(ports.intake),
    MEDIA_DATABASE_URL: `sqlite:${join(folder, "media.db")}`,
    MEDIA_UPSTREAM_URL: `http://127.0.0.1:${ports.mediaApi}`,
    MEDIA_ALLOW_PRIVATE_WEBHOOKS: "true",
    // Everything shares one process here, and nobody is to be turned away for it.
    MEDIA_MAX_LAG_MS: "0",
    ...(isSet(env.MEDIA_LOG_LEVEL) && { MEDIA_LOG_LEVEL: env.MEDIA_LOG_LEVEL ?? "" }),
  };
  const config = readConfig(serviceEnv);
  const log = createLog({ level: config.logLevel, ...(logTo && { to: logTo }) });
  // With another one at each start, so that no id comes twice.
  const seed = now() % 2 ** 31;

  const receiver = await startReceiver(ports.receiver, createRandom(seed));
  stops.add(receiver.stop);
  const kept = await openProject(serviceEnv, await readDemo(folder, tell), receiver.hooks);
  // Kept before all else: the service shows a key but once.
  await keepDemo(folder, kept);
  const service = await startService({ config, log, now });
  stops.add(service.stop);
  await givePast(service, kept.hooks, now());

  const { url: serviceUrl, insideUrl } = service;
  const media = await startMedia(insideUrl, kept.intakeKey, seed, ports.mediaApi);
  const life = startLife({ serviceUrl, media, apiKey: kept.apiKey, projectId: PROJECT_ID, seed, log: quiet(log) });
  stops.add(life.stop);
  return { service, projectId: PROJECT_ID, apiKey: kept.apiKey, mediaApiUrl: media.apiUrl };
}

const quiet = (log: Logger): Logger => log.child({ part: "demo" });

/** Fills the logs of a project that is new, or in which nothing has happened for as long as logs are kept. */
async function givePast({ url, store }: Service, hooks: Hooks, now: number): Promise<void> {
  const { body } = await store.list(PROJECT_ID, "sessions");
  if (body.toString() !== "[]") return;
  const past = pastOf({ now, seed: 1, projectId: PROJECT_ID, serviceUrl: url, hooks });
  // All of it or nothing: where this is interrupted, it is done at the next start.
  await store.append(past.map((entry) => ({ projectId: PROJECT_ID, ...entry })));
}
