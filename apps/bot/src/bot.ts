import { setTimeout as wait } from "node:timers/promises";
import { isMovedOrDamaged, watchDatabase } from "@media-ops/database";
import { sql } from "kysely";
import type { Logger } from "pino";
import { createApp } from "./app.js";
import { keepRequests } from "./approvals/approvals.js";
import { RequestStore } from "./approvals/request-store.js";
import { AuditLog } from "./audit/audit-log.js";
import type { Config } from "./config.js";
import { Connections, createClients, createReadBudget, createServices } from "./connections/connections.js";
import { createFetch } from "./connections/public-addresses.js";
import { createEntrance } from "./http/entrance.js";
import type { BotParts } from "./request.js";
import { forgetWorkspace, openAccess } from "./slack/access.js";
import { People } from "./slack/people.js";
import { openStorage, type Storage } from "./storage/open-storage.js";
import { Mintings, Questions } from "./storage/records.js";
import { createClockGuard, sweepAll } from "./storage/sweep.js";
import { createDigestPoster } from "./watches/digest.js";
import { WatchKeeper } from "./watches/keeper.js";
import type { WatchPace } from "./watches/run.js";
import { TargetSender } from "./watches/target.js";
import { WatchStore } from "./watches/watch-store.js";
import { Claims, createJobs, within } from "./work/jobs.js";

/** Options of {@link startBot}. */
export interface BotOptions {
  config: Config;
  log: Logger;
  /** An open database, which stays open when the bot stops. @default opens that of `config` */
  storage?: Storage | undefined;
  now?: () => number;
  /** The timeout of one request to a media service. @default 8000 */
  serviceTimeoutMs?: number | undefined;
  /** How fast logs are watched and incidents reported. @default suits people and services */
  watchPace?: WatchPace | undefined;
}

/** A running bot. */
export interface Bot {
  /** The bot's URL; Slack sends its requests to `/slack/events` there. */
  readonly url: string;
  /** Resolves with the reason when the bot must be restarted. */
  readonly mustRestart: Promise<Error>;
  /** Stops accepting requests, finishes those in progress, and closes. May be called more than once. */
  stop(): Promise<void>;
  settled(): Promise<void>;
  /** Resolves once Slack shows what watches have to report by now, and which requests for approval are over. */
  watched(): Promise<void>;
}

// Less than the 10 s after which a supervisor kills the process.
const FINISH_MS = 8000;
const SWEEP_MS = 10 * 60_000;
// A readiness probe times out after little more than this.
const READY_MS = 3000;

/** Starts the bot: opens its database, verifies Slack's token, and listens. */
export async function startBot({ now = Date.now, ...options }: BotOptions): Promise<Bot> {
  const { config, log } = options;
  const { watcher, mustRestart } = watchDatabase(log);
  const given = options.storage && { ...options.storage, close: async () => {} };
  const storage = given ?? (await openStorage(config, { ...watcher, warn: (text) => log.warn(text) }));
  try {
    return { ...(await startWith(storage, { ...options, now })), mustRestart };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function startWith(
  storage: Storage,
  { config, log, now, serviceTimeoutMs, watchPace }: BotOptions & { now: () => number },
): Promise<Omit<Bot, "mustRestart">> {
  const access = await openAccess(config, log, storage, now);
  const { vault } = storage;
  const jobs = createJobs((error) => log.error({ err: error }, "work failed with an error that was not handled"));
  const connections = new Connections(storage, config.media, now);
  const services = createServices(now, log, serviceTimeoutMs);
  const claims = new Claims(storage, now);
  const fetch = createFetch(config.allowPrivateAddresses);
  const clients = createClients({ connections, services, log, now, fetch });
  const reads = createReadBudget();
  const watches = new WatchStore(storage, now);
  const parts: BotParts = {
    config,
    log,
    now,
    connections,
    clients,
    reads,
    watches,
    questions: new Questions(storage, now),
    vault,
    mintings: new Mintings(storage),
    audit: new AuditLog(storage, now),
    approvals: new RequestStore(storage, now),
    claims,
    people: new People(log),
    jobs,
  };
  const entrance = createEntrance(config, { access, log, fault: () => databaseFault(storage) });
  const forget = forgetWorkspace(storage, parts);
  createApp({ parts, receiver: entrance.receiver, access, forget });
  const url = await entrance.open();

  const targets = new TargetSender({ vault, fetch: createFetch(config.allowPrivateWatchUrls), log, now });
  const keeper = new WatchKeeper({
    ...parts,
    access,
    targets,
    pace: watchPace,
    postDigests: createDigestPoster(parts),
  });
  const requests = keepRequests({ ...parts, access });
  const clock = createClockGuard(storage.database, log, { now });
  const sweep = async (): Promise<void> => sweepAll(storage.database, await clock.check());
  const sweeping = setInterval(() => jobs.add(sweep), SWEEP_MS).unref();
  log.info(`the bot listens at ${url}; Slack's requests come to ${url}/slack/events`);

  const close = async (): Promise<void> => {
    clearInterval(sweeping);
    const kept = Promise.all([keeper.stop(), requests.stop()]);
    // A client that never finishes its request would also block the close of the entrance.
    const finished = entrance.close().then(() => jobs.settled());
    await Promise.race([finished, wait(FINISH_MS, undefined, { ref: false })]);
    if (jobs.size > 0) log.error({ jobs: jobs.size }, "stopping took too long; some people get no answer");
    await Promise.race([kept, wait(FINISH_MS, undefined, { ref: false })]);
    await claims.settled();
    await storage.close();
  };
  let stopped: Promise<void> | undefined;
  return {
    url,
    settled: () => jobs.settled(),
    async watched() {
      await Promise.all([keeper.settled(), requests.settled()]);
    },
    stop() {
      stopped ??= close();
      return stopped;
    },
  };
}

/** Why the database doesn't answer, if so; the endpoint is public, so only the log has the details. */
async function databaseFault({ database, query }: Storage): Promise<string | undefined> {
  const answer = database.check().then(() => sql`select 1`.execute(query));
  try {
    await within(READY_MS, answer, () => new Error(`no answer within ${READY_MS} ms`));
    return undefined;
  } catch (error) {
    return isMovedOrDamaged(error)
      ? `the database is ${error.code}; the log says what to do`
      : "no answer from the database";
  }
}
