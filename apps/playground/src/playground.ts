import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createLog, readConfig, startBot } from "@media-ops/bot";
import { readAppInfo } from "./app-info.js";
import { type Demo, startDemo } from "./demo/demo.js";
import { beginAnew } from "./fresh.js";
import { KEY_FILE } from "./kept.js";
import { lock } from "./lock.js";
import { choosePorts, type Ports, wantedPorts } from "./ports.js";
import { startPretendedSlack } from "./pretended-slack.js";
import { botSettings, type Env, type RealSlack, realSlackIn } from "./real-slack.js";
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

// What the page shows.
const KEPT_LINES = 300;

/**
 * Starts the service with a demo project, a media server, and the bot with a Slack of its own, or the real one.
 *
 * @throws {LockedError} where another one runs in this folder.
 * @throws {ConfigError} where the settings for the real Slack are wrong.
 */
export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { env, tell } = options;
  const folder = resolve(options.folder);
  const realSlack = realSlackIn(env);
  // Wrong settings are told before anything is made.
  if (realSlack) readConfig(botSettings(env));
  const stops = createStops(() => tell("Something did not end in time, and was cut off."));
  await mkdir(folder, { recursive: true });
  const held = await lock(folder);
  stops.add(held.release);
  try {
    if (options.fresh) await beginAnew(folder);
    const playground = await startAll({ ...options, folder, stops });
    held.runsAt(playground.url ?? playground.serviceUrl);
    return playground;
  } catch (error) {
    await stops.stop();
    throw error;
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
