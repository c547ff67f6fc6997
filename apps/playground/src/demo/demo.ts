import { join } from "node:path";
import { startFakeMedia } from "@media-ops/fake-media";
import { createLog, readConfig, runCli, type Service, startService } from "@media-ops/service";
import * as z from "zod";
import { type KeptDemo, keepDemo, readDemo } from "../kept.js";
import { isSet, type Start } from "../settings.js";
import { createLiveIncident, startLife, startReceiver } from "./live.js";
import { pastOf } from "./past.js";
import { nodes } from "./visitors.js";

export const PROJECT_ID = "demo";

/** Starts the service, creates the demo project if there is none, and generates activity in it. */
export async function startDemo({ folder, ports, env, log: shown, incidentPace, stops, report }: Start) {
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
  const log = createLog({ level: config.logLevel, ...(shown && { to: shown.to("service") }) });
  // Differs for each start, so that ids never repeat.
  const seed = Date.now() % 2 ** 31;

  const receiver = await startReceiver(ports.receiver, seed);
  stops.add(receiver.stop);
  const kept = await openProject(serviceEnv, await readDemo(folder, report), receiver.hooks);
  // Stored first, because the service shows a key only once.
  await keepDemo(folder, kept);
  const service = await startService({ config, log });
  stops.add(service.stop);
  await givePast(service, kept);

  const { apiKey, intakeKey } = kept;
  const media = await startFakeMedia({
    ...{ intakeUrl: `${service.internalUrl}/intake`, intakeKey, seed, apiPort: ports.mediaApi, keepsRecords: false },
    nodeName: nodes[0],
  });
  const lifeLog = log.child({ part: "demo" });
  const life = startLife({ serviceUrl: service.url, media, apiKey, projectId: PROJECT_ID, seed, log: lifeLog });
  const incident = createLiveIncident(incidentPace, receiver, life);
  // Called before the bot stops: the service then answers the call that it holds for the bot's watches. If the bot broke
  // that off, its HTTP client would open a connection that it never uses, and the service would wait for it.
  const stop = async (): Promise<void> => {
    incident.stop();
    await life.stop();
    await service.stop();
  };
  stops.add(stop);
  return { service, apiKey, mediaApiUrl: media.apiUrl, incident, stop };
}

// The service keeps delivered events for a day, and lists the entries of 30.
const DAY_MS = 24 * 60 * 60_000;

/** Fills the logs if they are empty, and the deliveries, so that the failed ones can be sent again. */
async function givePast({ url, storage, store }: Service, { apiKey, hooks }: KeptDemo): Promise<void> {
  const now = Date.now();
  const entries = storage.query.selectFrom("log_entry").select("seq").where("project_id", "=", PROJECT_ID);
  if (await entries.where("at", ">", new Date(now - 30 * DAY_MS).toISOString()).executeTakeFirst()) return;
  const past = pastOf({ now, seed: 1, projectId: PROJECT_ID, keyId: keyIdOf(apiKey), serviceUrl: url, hooks });
  const kept = past.deliveries.filter(
    ({ state, ended_at }) => state !== "delivered" || (ended_at ?? now) > now - DAY_MS,
  );
  await storage.query.transaction().execute(async (transaction) => {
    // Those of an interrupted attempt.
    await transaction.deleteFrom("delivery").where("project_id", "=", PROJECT_ID).execute();
    await transaction.insertInto("delivery").values(kept).execute();
    // Due at once: the service then finds out by itself when the next one is due.
    await transaction
      .insertInto("delivery_queue")
      .values({ project_id: PROJECT_ID, due_at: now, owner: "", owned_until: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
  // Last, and committed as a whole, so that the next start repeats an interrupted attempt.
  await store.append(past.entries.map((entry) => ({ projectId: PROJECT_ID, ...entry })));
}

class DemoError extends Error {
  override readonly name = "DemoError";
}

const projectKey = z.object({ api_key: z.string() });
const intakeKey = z.object({ intake_key: z.string() });
const keys = z.array(z.object({ key_id: z.string(), revoked_at: z.string().nullable() }));

/** Returns the stored project, or a new one, with valid keys. Keeps webhooks that were changed by hand. */
async function openProject(
  env: Readonly<Record<string, string>>,
  kept: KeptDemo | undefined,
  hooks: KeptDemo["hooks"],
): Promise<KeptDemo> {
  const run = async <T>(schema: z.ZodType<T>, ...args: readonly string[]): Promise<T> => {
    const said: string[] = [];
    const complaints: string[] = [];
    const exitCode = await runCli([...args, "--json"], {
      ...{ env, now: Date.now },
      write: (text) => void said.push(text),
      complain: (text) => void complaints.push(text),
    });
    if (exitCode === 0) return schema.parse(JSON.parse(said.join("")));
    throw new DemoError(`The demo project can't be opened: ${complaints.join("").trim()}
To delete its data and start again, run: npx -y pnpm@12 start --fresh`);
  };
  const isGood = (key: string | undefined, known: z.infer<typeof keys> | undefined): key is string =>
    known?.some(({ key_id, revoked_at }) => key_id === keyIdOf(key ?? "") && revoked_at === null) === true;

  const known = await run(keys, "keys", "list", PROJECT_ID).catch(() => undefined);
  const apiKey = isGood(kept?.apiKey, known)
    ? kept.apiKey
    : (await run(projectKey, known ? "keys" : "projects", "create", PROJECT_ID)).api_key;
  // A different key means that the database was replaced, or changed by hand.
  const same = apiKey === kept?.apiKey ? kept : undefined;
  for (const kind of ["session", "event"] as const) {
    if (known && same?.hooks[kind] === hooks[kind]) continue;
    await run(z.unknown(), "webhooks", "set", PROJECT_ID, kind, hooks[kind]);
  }
  if (same && isGood(same.intakeKey, await run(keys, "intake-keys", "list"))) return { ...same, hooks };
  return { apiKey, intakeKey: (await run(intakeKey, "intake-keys", "create", "playground")).intake_key, hooks };
}

/** Returns the id in a key; empty if it is none. */
const keyIdOf = (key: string): string => /^m[oi]_([^_]+)_/.exec(key)?.[1] ?? "";
