import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createLog, readConfig, startBot } from "@media-ops/bot";
import { type Demo, startDemo } from "./demo/demo.js";
import { beginAnew, KEY_FILE } from "./kept.js";
import { type Lock, lock } from "./lock.js";
import { choosePorts, isTaken, type Ports, wantedPorts } from "./ports.js";
import { startPretendedSlack } from "./pretended-slack.js";
import { botSettings, type Env, type RealSlack, readAppInfo, realSlackIn } from "./settings.js";
import { createStops, type Stops } from "./stops.js";
import { createLogTap } from "./window/log-tap.js";

/** Options of {@link startPlayground}. */
export interface PlaygroundOptions {
  /** Where everything is kept. */
  folder: string;
  /** Where what listens, if it can; 0 is any free port. @default wantedPorts */
  ports?: Partial<Ports>;
  /** Whether what was kept is deleted before. @default false */
  fresh?: boolean;
  env: Env;
  /** Told in a sentence what is otherwise than was wanted. */
  tell(text: string): void;
  /** @default Date.now */
  now?: () => number;
}

/** All of it, as it runs. */
export interface Playground {
  /** Where the page is; undefined where the bot talks to the real Slack. */
  readonly url: string | undefined;
  readonly realSlack: RealSlack | undefined;
  readonly serviceUrl: string;
  /** What the media server sends comes there. */
  readonly insideUrl: string;
  readonly botUrl: string;
  readonly mediaApiUrl: string;
  readonly projectId: string;
  readonly folder: string;
  /** Where the project's API key stands. */
  readonly keyFile: string;
  /** Ends everything within some seconds. May be called more than once. */
  stop(): Promise<void>;
}

/** Nothing can be kept where it is to be kept. */
class FolderError extends Error {
  override readonly name = "FolderError";
}

// What the page shows.
const KEPT_LINES = 300;
const TRIES = 3;

/**
 * Starts the service with a demo project, a media server, and the bot with a Slack of its own, or the real one.
 *
 * @throws {LockedError} where another one runs in this folder.
 * @throws {FolderError} where nothing can be written there.
 * @throws {ConfigError} where the settings for the real Slack are wrong.
 */
export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { env } = options;
  const folder = resolve(options.folder);
  const realSlack = realSlackIn(env);
  // Wrong settings are told before anything is made.
  if (realSlack) readConfig(botSettings(env));
  const held = await takeFolder(folder);
  try {
    if (options.fresh) await beginAnew(folder);
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

/** Ports are looked at before they are used: where somebody else was quicker, all begins again with others. */
async function startWhereFree(options: PlaygroundOptions): Promise<Playground> {
  for (let nth = 1; ; nth++) {
    const stops = createStops(() => options.tell("Something did not end in time, and was cut off."));
    try {
      return await startAll({ ...options, stops });
    } catch (error) {
      await stops.stop();
      if (nth === TRIES || !isTaken(error)) throw error;
    }
  }
}

async function startAll(options: PlaygroundOptions & { stops: Stops }): Promise<Playground> {
  const { folder, env, tell, stops, now = Date.now } = options;
  const realSlack = realSlackIn(env);
  const log = createLogTap({ keeps: KEPT_LINES });
  const ports = await choosePorts({ ...wantedPorts, ...options.ports }, ({ wanted, what, port }) =>
    tell(`${wanted} is taken; ${what} is at ${port}.`),
  );
  const logTo = realSlack ? undefined : log.to("service");
  const demo = await startDemo({ folder, ports, env, logTo, now, stops, tell });
  const botEnv = { BOT_PORT: String(ports.bot), BOT_DATABASE_URL: `sqlite:${join(folder, "bot.db")}` };
  const slackSide = realSlack
    ? await startWithRealSlack(botSettings(env, { ...botEnv, ...projectFor(realSlack, demo) }), stops)
    : await startPretendedSlack({
        ...{ folder, ports, log, stops, tell },
        app: await readAppInfo(),
        botEnv: { ...botEnv, ...projectFor("token", demo), ...levelIn(env) },
      });
  const { service, projectId, mediaApiUrl } = demo;
  return {
    ...slackSide,
    ...{ realSlack, projectId, mediaApiUrl, folder },
    serviceUrl: service.url,
    insideUrl: service.insideUrl,
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

/** The bot knows the project from the beginning; where many workspaces may install it, each connects its own. */
function projectFor(access: RealSlack, { service, apiKey, projectId }: Demo): Record<string, string> {
  if (access === "oauth") return {};
  return { MEDIA_BASE_URL: service.url, MEDIA_API_KEY: apiKey, MEDIA_PROJECT_ID: projectId };
}

function levelIn({ BOT_LOG_LEVEL: level }: Env): Record<string, string> {
  return level ? { BOT_LOG_LEVEL: level } : {};
}
