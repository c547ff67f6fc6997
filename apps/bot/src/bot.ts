import { isMovedOrDamaged, watchDatabase } from "@media-ops/database";
import { sql } from "kysely";
import type { Logger } from "pino";
import { createApp } from "./app.js";
import { createClaims } from "./claims.js";
import type { Config } from "./config.js";
import { createClients, createListings } from "./connections/clients.js";
import { createConnections } from "./connections/connections.js";
import { createFetch } from "./connections/public-addresses.js";
import { createReadBudget } from "./connections/read-budget.js";
import { createServices } from "./connections/services.js";
import { createEntrance } from "./http/entrance.js";
import { routesOf } from "./http/http-receiver.js";
import { createInstallationStore, createStateStore, forgetting } from "./installations.js";
import type { Parts } from "./request.js";
import { type Access, accessByOAuth, accessByToken } from "./slack/access.js";
import { createPeople } from "./slack/people.js";
import { openStorage, type Storage } from "./storage/open-storage.js";
import { createClockGuard, sweepAll } from "./storage/sweep.js";
import { createMintings } from "./tokens/mintings.js";
import { createJobs } from "./work/jobs.js";

export interface BotOptions {
  config: Config;
  log: Logger;
  /** @default Date.now */
  now?: () => number;
  /** How long one request to a media service may take. @default 8000 */
  serviceTimeoutMs?: number | undefined;
}

/** The bot as it runs. */
export interface Bot {
  /** Where it listens; Slack's requests come to `/slack/events` there. */
  readonly url: string;
  /** Settles when the bot must be stopped and started again; says why. */
  readonly mustRestart: Promise<Error>;
  /** Takes no more requests, finishes what is in flight, and closes. May be called more than once. */
  stop(): Promise<void>;
  /** Waits until all that was asked has been answered. */
  settled(): Promise<void>;
}

// Less than the 10 s after which a supervisor kills.
const FINISH_MS = 8000;
const SWEEP_MS = 10 * 60_000;
// Whoever asks whether the bot is ready does not wait much longer than that.
const READY_MS = 3000;

/** Starts the bot: opens its database, asks Slack who it is, and listens. */
export async function startBot({ now = Date.now, ...options }: BotOptions): Promise<Bot> {
  const { log } = options;
  const { watcher, mustRestart } = watchDatabase(log);
  const storage = await openStorage(options.config, { ...watcher, warn: (text) => log.warn(text) });
  try {
    return { ...(await startWith(storage, { ...options, now })), mustRestart };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function startWith(
  storage: Storage,
  options: BotOptions & { now: () => number },
): Promise<Omit<Bot, "mustRestart">> {
  const { config, log, now, serviceTimeoutMs } = options;
  const installations = createInstallationStore(storage, now);
  const access = await accessFor(config, storage, { installations, log, now });
  const connections = createConnections(storage, config.media, now);
  const claims = createClaims(storage, now);
  const services = createServices({ now, log, timeoutMs: serviceTimeoutMs });
  const fetch = createFetch(config.allowPrivateAddresses);
  const jobs = createJobs((error) => log.error({ err: error }, "work ended in an error that nobody was told of"));
  const parts: Parts = {
    config,
    log,
    now,
    connections,
    clients: createClients({ connections, services, log, fetch }),
    reads: createReadBudget(),
    mintings: createMintings(storage),
    claims,
    people: createPeople({ log }),
    listings: createListings(),
    later: (task) => void jobs.add(task),
  };
  let isStopping = false;

  const notReady = async (): Promise<string | undefined> => {
    if (isStopping) return "stopping";
    try {
      await inTime(storage.database.check());
      await inTime(sql`select 1`.execute(storage.query));
    } catch (error) {
      // Everyone can ask this, so that only the log names the file.
      return isMovedOrDamaged(error)
        ? `the database is ${error.code}; the log says what to do`
        : "no answer from the database";
    }
    return entrance.fault();
  };
  const entrance = createEntrance(config, routesOf({ access, notReady }), log);
  createApp({ parts, jobs, receiver: entrance.receiver, access, forget: forgetting(storage, parts) });

  const url = await entrance.open();
  const clock = createClockGuard(storage.database, log, now);
  const sweep = async (): Promise<void> => {
    const time = await clock.check();
    if (time !== undefined) await sweepAll(storage.database, time);
  };
  const sweeping = setInterval(() => jobs.add(sweep), SWEEP_MS).unref();
  log.info(`the bot listens at ${url}; Slack's requests come to ${url}/slack/events`);

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    isStopping = true;
    clearInterval(sweeping);
    // A client that never finishes its request would hold up the entrance, too.
    const finished = entrance.close().then(() => jobs.settled());
    await Promise.race([finished, elapsed(FINISH_MS)]);
    if (jobs.size > 0) log.error({ jobs: jobs.size }, "stopping took too long; some people get no answer");
    await claims.settled();
    await storage.close();
  }
  return {
    url,
    settled: () => jobs.settled(),
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

interface AccessParts {
  installations: ReturnType<typeof createInstallationStore>;
  log: Logger;
  now: () => number;
}

async function accessFor(config: Config, storage: Storage, { installations, log, now }: AccessParts): Promise<Access> {
  const { access } = config.slack;
  if (access.kind === "token") return accessByToken(access.botToken, config, log);
  const states = createStateStore(storage, access.stateSecret, now);
  return accessByOAuth({ installations, states }, access, config, log);
}

/** A database that is silent may answer much later. */
async function inTime(answer: Promise<unknown>): Promise<void> {
  const late = elapsed(READY_MS).then(() => Promise.reject(new Error("no answer in time")));
  await Promise.race([answer, late]);
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
