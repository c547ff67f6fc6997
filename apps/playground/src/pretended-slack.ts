import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createLog, language, readConfig, startBot } from "@media-ops/bot";
import { type FakeSlack, type Person, type SavedSlack, startFakeSlack, type Workspace } from "@media-ops/fake-slack";
import { redact } from "@media-ops/secrets";
import * as z from "zod";
import { createKeeper, putAside, writeWhole } from "./kept.js";
import type { Ports } from "./ports.js";
import type { AppInfo } from "./settings.js";
import type { Stops } from "./stops.js";
import type { LogTap } from "./window/log-tap.js";
import type { Suggestion } from "./window/protocol.js";
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

/** The pretended Slack of the playground, with the people whose windows can be looked through. */
export interface SlackWorld {
  readonly slack: FakeSlack;
  readonly team: Workspace;
  readonly people: readonly Person[];
}

/** Options of {@link startSlackWorld}. */
export interface SlackWorldOptions {
  readonly folder: string;
  readonly app: AppInfo;
  readonly port: number;
  /** Told where what was kept could not be used. */
  onBroken(told: string): void;
}

export const SLACK_FILE = "slack.json";

const TEAM = "Acme";
const ANN = { name: "ann", realName: "Ann Meyer", isAdmin: true, timeZone: "Europe/Berlin" };
const BOB = { name: "bob", realName: "Bob Ortiz", timeZone: "America/New_York" };
const CHANNELS = ["general", "incidents"];
// The page shows the last of them; all of them are never asked for.
const KEPT_TRANSCRIPT = 1000;
// More than anybody scrolls through, of each conversation. All of it is written after each change.
const KEPT_MESSAGES = 200;

/** What a world is at least made of; the fake Slack checks its version. */
const shape = z.object({
  version: z.literal(1),
  appId: z.string(),
  counted: z.object({ ids: z.number() }),
  teams: z.array(
    z.object({
      id: z.string(),
      users: z.array(z.object({ id: z.string(), name: z.string() })),
      channels: z.array(
        z.object({
          id: z.string(),
          members: z.array(z.string()),
          messages: z.array(
            z.object({ ts: z.string(), text: z.string(), blocks: z.array(z.unknown()), files: z.array(z.unknown()) }),
          ),
        }),
      ),
    }),
  ),
});
const savedSchema = z.custom<SavedSlack>((value) => shape.safeParse(value).success);

/** Starts a Slack with the world that was kept; with a new one where there is none, or none that can be used. */
export async function startSlackWorld(options: SlackWorldOptions): Promise<SlackWorld> {
  const file = join(options.folder, SLACK_FILE);
  try {
    const saved = savedSchema.parse(JSON.parse(await readFile(file, "utf8")));
    return await restored(saved, options);
  } catch (error) {
    // That the port is taken is not the file's fault.
    if (error instanceof Error && "syscall" in error && error.syscall === "listen") throw error;
    const told = await putAside(file, error);
    if (told !== undefined) options.onBroken(`${told} Its conversations begin anew.`);
    return begun(options);
  }
}

/** Keeps what all may see; a token in somebody's conversation with the bot is shown once, and not kept. */
export const keepSlackWorld = (folder: string, { slack }: SlackWorld): Promise<void> =>
  writeWhole(join(folder, SLACK_FILE), redact(JSON.stringify(slack.save())));

async function restored(saved: SavedSlack, options: SlackWorldOptions): Promise<SlackWorld> {
  const slack = await start(options, saved);
  const [team] = slack.workspaces;
  const people = [ANN, BOB].flatMap(({ name }) => team?.person(name) ?? []);
  if (team?.isInstalled && people.length === 2) return { slack, team, people };
  await slack.stop();
  throw new Error("Somebody is missing.");
}

async function begun(options: SlackWorldOptions): Promise<SlackWorld> {
  const slack = await start(options);
  const team = slack.addWorkspace({ name: TEAM });
  const people = [team.addUser(ANN), team.addUser(BOB)];
  for (const name of CHANNELS) team.addChannel({ name, members: people });
  return { slack, team, people };
}

function start({ app, port }: SlackWorldOptions, saved?: SavedSlack): Promise<FakeSlack> {
  const commands = app.commands.map(({ name }) => name);
  return startFakeSlack({
    ...{ scopes: app.scopes, commands, port, saved },
    keeps: KEPT_TRANSCRIPT,
    keepsMessages: KEPT_MESSAGES,
  });
}

const COMMAND = "/media";
/** What stands behind these goes on without a space. */
const IS_OPEN = /[:=~<>,]$/;

/** The ways in which a line could go on that is being typed: first the command, then what it understands. */
export function suggest(line: string): readonly Suggestion[] {
  const typed = /^(\/\S*)(\s+)(.*)$/s.exec(line);
  if (!typed) {
    const isBegun = line.startsWith("/") && COMMAND.startsWith(line.toLowerCase());
    return isBegun
      ? [{ line: `${COMMAND} `, word: COMMAND, about: "Logs and access tokens of your media service" }]
      : [];
  }
  const [, command = "", , rest = ""] = typed;
  if (command.toLowerCase() !== COMMAND) return [];
  const words = rest.split(/\s+/);
  const last = words.at(-1) ?? "";
  const before = line.slice(0, line.length - last.length);
  return language
    .complete(words, { now: Date.now() })
    .filter(({ text }) => text !== last)
    .map(({ text, about }) => ({ line: `${before}${text}${IS_OPEN.test(text) ? "" : " "}`, word: text, about }));
}
