import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createLog, readConfig, startBot } from "@media-ops/bot";
import { PROJECT_ID, startDemo } from "./demo/demo.js";
import { type IncidentPace, USUAL_INCIDENT } from "./demo/live-incident.js";
import { deleteData, KEY_FILE } from "./kept.js";
import { startLocalSlack } from "./local-slack.js";
import { type Lock, lock } from "./lock.js";
import { choosePorts, isTaken, type Ports, wantedPorts } from "./ports.js";
import { botSettings, type Env, type RealSlack, readAppInfo, realSlackIn } from "./settings.js";
import { createStops, type Stops } from "./stops.js";
import { createLogTap } from "./window/log-tap.js";

/** Options of {@link startPlayground}. */
export interface PlaygroundOptions {
  /** The folder for all data. */
  folder: string;
  /** The preferred ports. 0 selects a free one. @default wantedPorts */
  ports?: Partial<Ports>;
  /** Whether to delete all stored data first. @default false */
  fresh?: boolean;
  env: Env;
  /** How the incident proceeds that a person can begin on the page. @default USUAL_INCIDENT */
  incidentPace?: IncidentPace;
  /** How long stopping may take. @default a few seconds */
  stopWithinMs?: number;
  /** Receives a sentence about each deviation from the requested options. */
  report(text: string): void;
  /** @default Date.now */
  now?: () => number;
}

/** A running playground. */
export interface Playground {
  /** The page's URL, or undefined if the bot is connected to the real Slack. */
  readonly url: string | undefined;
  readonly realSlack: RealSlack | undefined;
  readonly serviceUrl: string;
  /** The URL of the service's internal listener. */
  readonly internalUrl: string;
  readonly botUrl: string;
  readonly mediaApiUrl: string;
  readonly projectId: string;
  readonly folder: string;
  /** The file with the project's API key. */
  readonly keyFile: string;
  /** Stops everything within a few seconds. Can be called more than once. */
  stop(): Promise<void>;
}

/** The data folder can't be written to. */
class FolderError extends Error {
  override readonly name = "FolderError";
}

// The number of lines that the page shows.
const KEPT_LINES = 300;
const TRIES = 3;

/**
 * Starts the service with a demo project, a media server, and the bot with its own fake Slack or the real one.
 *
 * @throws {LockedError} if another playground uses the folder.
 * @throws {FolderError} if the folder can't be written to.
 * @throws {ConfigError} if the settings for the real Slack are wrong.
 */
export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { env } = options;
  const folder = resolve(options.folder);
  const realSlack = realSlackIn(env);
  // Reports wrong settings before anything is created.
  if (realSlack) readConfig(botSettings(env));
  const held = await takeFolder(folder);
  try {
    if (options.fresh) await deleteData(folder);
    const playground = await startWhereFree({ ...options, folder });
    held.runsAt(playground.url ?? playground.serviceUrl);
    return { ...playground, stop: () => playground.stop().finally(held.release) };
  } catch (error) {
    held.release();
    throw error;
  }
}

async function takeFolder(folder: string): Promise<Lock> {
  try {
    await mkdir(folder, { recursive: true });
    return await lock(folder);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new FolderError(`The folder ${folder} can't be written to: ${error.message}.`, { cause: error });
  }
}

/** Restarts everything with other ports if another process takes a port between the check and its use. */
async function startWhereFree(options: PlaygroundOptions): Promise<Playground> {
  for (let nth = 1; ; nth++) {
    const onLate = (): void => options.report("A part of the playground did not stop in time.");
    const stops = createStops(onLate, options.stopWithinMs);
    try {
      return await startAll(options, stops);
    } catch (error) {
      await stops.stop();
      if (nth === TRIES || !isTaken(error)) throw error;
    }
  }
}

async function startAll(options: PlaygroundOptions, stops: Stops): Promise<Playground> {
  const { folder, env, report, incidentPace = USUAL_INCIDENT, now = Date.now } = options;
  const realSlack = realSlackIn(env);
  const log = createLogTap({ keeps: KEPT_LINES });
  const ports = await choosePorts({ ...wantedPorts, ...options.ports }, ({ wanted, what, port }) =>
    report(`${wanted} is taken; ${what} is at ${port}.`),
  );
  const logTo = realSlack ? undefined : log.to("service");
  const demo = await startDemo({ folder, ports, env, logTo, incidentPace, now, stops, report });
  const { service, apiKey, mediaApiUrl, incident } = demo;
  const botEnv = {
    BOT_PORT: String(ports.bot),
    BOT_DATABASE_URL: `sqlite:${join(folder, "bot.db")}`,
    // With OAuth, each workspace connects a project itself.
    ...(realSlack !== "oauth" && {
      MEDIA_BASE_URL: service.url,
      MEDIA_API_KEY: apiKey,
      MEDIA_PROJECT_ID: PROJECT_ID,
    }),
  };
  const slackSide = realSlack
    ? await startWithRealSlack(botSettings(env, botEnv), stops)
    : await startLocalSlack({
        ...{ folder, ports, log, incident, stops, report },
        watchedOver: incidentPace.watchedOver,
        app: await readAppInfo(),
        botEnv: { ...botEnv, ...(env.BOT_LOG_LEVEL && { BOT_LOG_LEVEL: env.BOT_LOG_LEVEL }) },
      });
  stops.add(demo.stop);
  return {
    ...slackSide,
    ...{ realSlack, projectId: PROJECT_ID, mediaApiUrl, folder },
    serviceUrl: service.url,
    internalUrl: service.internalUrl,
    keyFile: join(folder, KEY_FILE),
    stop: stops.stop,
  };
}

async function startWithRealSlack(env: Env, stops: Stops): Promise<{ url: undefined; botUrl: string }> {
  const config = readConfig(env);
  const bot = await startBot({ config, log: createLog({ level: config.logLevel }) });
  stops.add(bot.stop);
  return { url: undefined, botUrl: bot.url };
}
