import { join } from "node:path";
import { startFakeMedia } from "@media-ops/fake-media";
import { createLog, readConfig, runCli, type Service, startService } from "@media-ops/service";
import * as z from "zod";
import { type KeptDemo, keepDemo, readDemo } from "../kept.js";
import type { Ports } from "../ports.js";
import { type Env, isSet } from "../settings.js";
import type { Stops } from "../stops.js";
import { startLife } from "./life.js";
import { createLiveIncident, type IncidentPace, type LiveIncident } from "./live-incident.js";
import { pastOf } from "./past.js";
import { addDeliveries } from "./past-deliveries.js";
import type { Hooks } from "./past-log.js";
import { startReceiver } from "./receiver.js";
import { nodes } from "./visitors.js";

/** Options of {@link startDemo}. */
export interface DemoOptions {
  readonly folder: string;
  readonly ports: Ports;
  readonly env: Env;
  /** Receives the service's log. @default the service's own output */
  readonly logTo: { write(line: string): void } | undefined;
  readonly incidentPace: IncidentPace;
  readonly now: () => number;
  readonly stops: Stops;
  report(text: string): void;
}

/** The service with an active demo project. */
export interface Demo {
  readonly service: Service;
  readonly apiKey: string;
  readonly mediaApiUrl: string;
  readonly incident: LiveIncident;
  /**
   * Stops the activity, then the service. Call it before the bot stops: the service then answers the call that it holds
   * for the bot's watches. If the bot broke that off, its HTTP client would open a connection that it never uses, and the
   * service would wait for it. Can be called more than once.
   */
  stop(): Promise<void>;
}

export const PROJECT_ID = "demo";

/** Starts the service, creates the demo project if there is none, and generates activity in it. */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const { folder, ports, env, logTo, incidentPace, now, stops, report } = options;
  const serviceEnv = {
    MEDIA_PORT: String(ports.service),
    MEDIA_INTAKE_PORT: String(ports.intake),
    MEDIA_DATABASE_URL: `sqlite:${join(folder, "media.db")}`,
    MEDIA_UPSTREAM_URL: `http://127.0.0.1:${ports.mediaApi}`,
    MEDIA_ALLOW_PRIVATE_WEBHOOKS: "true",
    // All programs share this process, so its lag must not cause refusals.
    MEDIA_MAX_LAG_MS: "0",
    ...(isSet(env.MEDIA_LOG_LEVEL) && { MEDIA_LOG_LEVEL: env.MEDIA_LOG_LEVEL ?? "" }),
  };
  const config = readConfig(serviceEnv);
  const log = createLog({ level: config.logLevel, ...(logTo && { to: logTo }) });
  // Differs for each start, so that ids never repeat.
  const seed = now() % 2 ** 31;

  const receiver = await startReceiver(ports.receiver, seed);
  stops.add(receiver.stop);
  const kept = await openProject(serviceEnv, await readDemo(folder, report), receiver.hooks);
  // Stored first, because the service shows a key only once.
  await keepDemo(folder, kept);
  const service = await startService({ config, log, now });
  stops.add(service.stop);
  await givePast(service, kept, now());

  const { apiKey, intakeKey } = kept;
  const intakeUrl = `${service.internalUrl}/intake`;
  const media = await startFakeMedia({
    ...{ intakeUrl, intakeKey, seed, apiPort: ports.mediaApi, keepsRecords: false },
    nodeName: nodes[0],
  });
  const lifeLog = log.child({ part: "demo" });
  const life = startLife({ serviceUrl: service.url, media, apiKey, projectId: PROJECT_ID, seed, log: lifeLog });
  const incident = createLiveIncident({ pace: incidentPace, receiver, life, now });
  const stop = async (): Promise<void> => {
    incident.stop();
    await life.stop();
    await service.stop();
  };
  stops.add(stop);
  return { service, apiKey, mediaApiUrl: media.apiUrl, incident, stop };
}

/** Fills the logs if they are empty. */
async function givePast({ url, storage, store }: Service, { apiKey, hooks }: KeptDemo, now: number): Promise<void> {
  const { body } = await store.list(PROJECT_ID, "sessions");
  if (body.toString() !== "[]") return;
  const past = pastOf({ now, seed: 1, projectId: PROJECT_ID, keyId: keyIdOf(apiKey), serviceUrl: url, hooks });
  await addDeliveries(storage, PROJECT_ID, past.deliveries, now);
  // Last, and committed as a whole, so that the next start repeats an interrupted attempt.
  await store.append(past.entries.map((entry) => ({ projectId: PROJECT_ID, ...entry })));
}

/** The service's settings by name. */
type ServiceEnv = Readonly<Record<string, string>>;

/** The stored demo project can't be opened. */
class DemoError extends Error {
  override readonly name = "DemoError";
}

const projectKey = z.object({ api_key: z.string() });
const intakeKey = z.object({ intake_key: z.string() });
const keys = z.array(z.object({ key_id: z.string(), revoked_at: z.string().nullable() }));

/**
 * Returns the stored demo project, or a new one, with valid keys and with webhooks to the receiver. Keeps webhooks that
 * were changed by hand.
 */
async function openProject(env: ServiceEnv, kept: KeptDemo | undefined, hooks: Hooks): Promise<KeptDemo> {
  const known = await run(env, ["keys", "list", PROJECT_ID], keys).catch(() => undefined);
  const apiKey = isGood(kept?.apiKey, known)
    ? kept.apiKey
    : (await run(env, known ? ["keys", "create", PROJECT_ID] : ["projects", "create", PROJECT_ID], projectKey)).api_key;
  // A different key means that the database was replaced, or changed by hand.
  const isSame = apiKey === kept?.apiKey;
  const forIntake = isSame && isGood(kept.intakeKey, await run(env, ["intake-keys", "list"], keys));
  for (const kind of ["session", "event"] as const) {
    if (known && isSame && kept.hooks[kind] === hooks[kind]) continue;
    await run(env, ["webhooks", "set", PROJECT_ID, kind, hooks[kind]], z.unknown());
  }
  return {
    apiKey,
    intakeKey: forIntake
      ? kept.intakeKey
      : (await run(env, ["intake-keys", "create", "playground"], intakeKey)).intake_key,
    hooks,
  };
}

/** Returns whether the service still accepts a key. */
function isGood(key: string | undefined, known: z.infer<typeof keys> | undefined): key is string {
  const id = keyIdOf(key ?? "");
  return known?.some(({ key_id, revoked_at }) => key_id === id && revoked_at === null) === true;
}

/** Returns the id in a key; empty if it is none. */
const keyIdOf = (key: string): string => /^m[oi]_([^_]+)_/.exec(key)?.[1] ?? "";

/** Runs a `media-ops` command and returns its output. */
async function run<T>(env: ServiceEnv, args: readonly string[], schema: z.ZodType<T>): Promise<T> {
  const said: string[] = [];
  const complaints: string[] = [];
  const exitCode = await runCli([...args, "--json"], {
    env,
    now: Date.now,
    write: (text) => void said.push(text),
    complain: (text) => void complaints.push(text),
  });
  if (exitCode !== 0) {
    throw new DemoError(`The demo project can't be opened: ${complaints.join("").trim()}
To delete its data and start again, run: npx -y pnpm@12 start --fresh`);
  }
  return schema.parse(JSON.parse(said.join("")));
}
