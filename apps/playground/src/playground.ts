import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createLog, readConfig, startBot } from "@media-ops/bot";
import { PROJECT_ID, startDemo } from "./demo/demo.js";
import { type IncidentPace, USUAL_INCIDENT } from "./demo/live.js";
import { deleteData, KEY_FILE } from "./kept.js";
import { startLocalSlack } from "./local-slack.js";
import { lock } from "./lock.js";
import { choosePorts, isTaken, type Ports, wantedPorts } from "./ports.js";
import { botSettings, type Env, realSlackIn } from "./settings.js";
import { Stops } from "./stops.js";
import { Log } from "./window/records.js";

/** Options of {@link startPlayground}. */
export interface PlaygroundOptions {
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
}

/** A running playground. The page's URL is undefined if the bot is connected to the real Slack. */
export type Playground = Awaited<ReturnType<typeof startAll>>;

class FolderError extends Error {
  override readonly name = "FolderError";
}

// The number of lines that the page shows.
const KEPT_LINES = 500;
const TRIES = 3;

/** Starts the service with a demo project, a media server, and the bot with its own fake Slack or the real one. */
export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { env } = options;
  const folder = resolve(options.folder);
  // Reports wrong settings before anything is created.
  if (realSlackIn(env)) readConfig(botSettings(env));
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

async function takeFolder(folder: string) {
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
    const stops = new Stops(
      () => options.report("A part of the playground did not stop in time."),
      options.stopWithinMs,
    );
    try {
      return await startAll(options, stops);
    } catch (error) {
      await stops.stop();
      if (nth === TRIES || !isTaken(error)) throw error;
    }
  }
}

async function startAll(options: PlaygroundOptions, stops: Stops) {
  const { folder, env, report, incidentPace = USUAL_INCIDENT } = options;
  const realSlack = realSlackIn(env);
  const ports = await choosePorts({ ...wantedPorts, ...options.ports }, report);
  const start = { folder, env, ports, log: new Log(KEPT_LINES), incidentPace, stops, report };
  const demo = await startDemo({ ...start, log: realSlack ? undefined : start.log });
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
  const { url, botUrl } = realSlack
    ? await startWithRealSlack(botSettings(env, botEnv), stops)
    : await startLocalSlack(start, botEnv, incident);
  stops.add(demo.stop);
  return {
    ...{ url, botUrl, realSlack, projectId: PROJECT_ID, mediaApiUrl, folder },
    serviceUrl: service.url,
    internalUrl: service.internalUrl,
    keyFile: join(folder, KEY_FILE),
    /** Stops everything within a few seconds. Can be called more than once. */
    stop: () => stops.stop(),
  };
}

async function startWithRealSlack(env: Env, stops: Stops): Promise<{ url?: string; botUrl: string }> {
  const config = readConfig(env);
  const bot = await startBot({ config, log: createLog({ level: config.logLevel }) });
  stops.add(bot.stop);
  return { botUrl: bot.url };
}
