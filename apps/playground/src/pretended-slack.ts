import { join } from "node:path";
import { createLog, readConfig, startBot } from "@media-ops/bot";
import type { AppInfo } from "./app-info.js";
import { createKeeper } from "./keeper.js";
import type { Ports } from "./ports.js";
import { keepSlackWorld, startSlackWorld } from "./slack-world.js";
import type { Stops } from "./stops.js";
import { suggest } from "./suggestions.js";
import type { LogTap } from "./window/log-tap.js";
import { startWindow } from "./window/server.js";

/** Options of {@link startPretendedSlack}. */
export interface PretendedSlackOptions {
  readonly folder: string;
  readonly ports: Ports;
  readonly app: AppInfo;
  /** The settings with which the bot knows the demo project. */
  readonly botEnv: Readonly<Record<string, string>>;
  readonly log: LogTap;
  readonly stops: Stops;
  tell(text: string): void;
}

const PAGE_FOLDER = join(import.meta.dirname, "../dist/page");

/** Starts a Slack of its own with the bot in it, and the page that shows it. */
export async function startPretendedSlack(options: PretendedSlackOptions): Promise<{ url: string; botUrl: string }> {
  const { folder, ports, app, botEnv, log, stops, tell } = options;
  const world = await startSlackWorld({ folder, app, port: ports.slack, onBroken: tell });
  const { slack, team, people } = world;
  const keeper = createKeeper(
    () => keepSlackWorld(folder, world),
    (error) => tell(`The conversations could not be kept: ${error instanceof Error ? error.message : String(error)}`),
  );
  const unwatch = slack.watch(({ what }) => {
    if (what === "shown" || what === "hidden") keeper.changed();
  });
  stops.add(async () => {
    unwatch();
    await keeper.stop();
    await slack.stop();
  });
  keeper.changed();

  const config = readConfig({
    ...botEnv,
    SLACK_API_URL: slack.apiUrl,
    SLACK_SIGNING_SECRET: slack.app.signingSecret,
    SLACK_BOT_TOKEN: team.botToken,
  });
  const bot = await startBot({ config, log: createLog({ level: config.logLevel, to: log.to("bot") }) });
  slack.app.requestUrl = `${bot.url}/slack/events`;
  const window = await startWindow({
    slack,
    team,
    people,
    app: { name: app.name },
    commands: app.commands,
    shortcuts: app.shortcuts,
    suggest,
    log,
    pageFolder: PAGE_FOLDER,
    port: ports.page,
  }).catch(async (error: unknown) => {
    await bot.stop();
    throw error;
  });
  stops.add(window.stop, bot.stop);
  return { url: window.url, botUrl: bot.url };
}
