import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Bot, createLog, readConfig, startBot } from "@media-ops/bot";
import { type Person, startFakeSlack, type Workspace } from "@media-ops/fake-slack";
import { redact } from "@media-ops/secrets";
import type { LiveIncident } from "./demo/live.js";
import { createKeeper, putAside, SLACK_FILE, writeWhole } from "./kept.js";
import { type AppInfo, readAppInfo, type Start } from "./settings.js";
import { within } from "./stops.js";
import { suggest } from "./suggest.js";
import type { Log } from "./window/records.js";
import { startWindow } from "./window/server.js";

const PAGE_FOLDER = join(import.meta.dirname, "../dist/page");

/** Starts a fake Slack with the bot in it, and the page that shows it. */
export async function startLocalSlack(
  start: Start & { readonly log: Log },
  botEnv: Readonly<Record<string, string>>,
  incident: LiveIncident,
) {
  const { folder, ports, env, incidentPace, log, stops, report } = start;
  const app = await readAppInfo();
  const { slack, team, people, isNew } = await startWorld(start, app);
  const keeper = createKeeper(
    // Saved without tokens, which are shown only once.
    () => writeWhole(join(folder, SLACK_FILE), redact(JSON.stringify(slack.save()))),
    (error) =>
      report(`The conversations could not be saved: ${error instanceof Error ? error.message : String(error)}`),
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

  const audit = team.places.find(({ name }) => name === AUDIT);
  const config = readConfig({
    ...botEnv,
    ...(env.BOT_LOG_LEVEL && { BOT_LOG_LEVEL: env.BOT_LOG_LEVEL }),
    SLACK_API_URL: slack.apiUrl,
    SLACK_SIGNING_SECRET: slack.app.signingSecret,
    SLACK_BOT_TOKEN: team.botToken,
    ...(audit && { BOT_AUDIT_CHANNEL: audit.id }),
  });
  const bot = await startBot({ config, log: createLog({ level: config.logLevel, to: log.to("bot") }) });
  slack.app.requestUrl = `${bot.url}/slack/events`;
  const messageShortcuts = app.messageShortcuts.map(({ callback_id: callbackId, name }) => ({ callbackId, name }));
  const window = await startWindow({
    ...{ slack, team, people, incident, log },
    app: { name: app.name, messageShortcuts },
    suggest: (line) => suggest(app, line),
    pageFolder: PAGE_FOLDER,
    port: ports.page,
  }).catch(async (error: unknown) => {
    await bot.stop();
    throw error;
  });
  stops.add(window.stop, bot.stop);
  if (isNew) await openWorkspace(team, people, bot, incidentPace.watchedOver);
  return { url: window.url, botUrl: bot.url, app, slack, team, people, bot };
}

const TEAM = "Acme";
const ANN = { name: "ann", realName: "Ann Meyer", isAdmin: true, timeZone: "Europe/Berlin" };
const BOB = { name: "bob", realName: "Bob Ortiz", timeZone: "America/New_York" };
const INCIDENTS = "incidents";
// Everybody is in it, so that each window shows who did what, and who asks for approval.
const AUDIT = "audit";
const CHANNELS = ["general", INCIDENTS, AUDIT];
// The page shows the last of them.
const KEPT_TRANSCRIPT = 1000;
// More than a person scrolls through. All of them are written after each change.
const KEPT_MESSAGES = 200;

/** Starts a fake Slack with the stored world, or with a new one if there is none or it is unreadable. */
async function startWorld({ folder, ports, report }: Start, app: AppInfo) {
  const options = { ...app.slack, port: ports.slack, keeps: KEPT_TRANSCRIPT, keepsMessages: KEPT_MESSAGES };
  const file = join(folder, SLACK_FILE);
  try {
    // The fake refuses state that it did not save.
    const slack = await startFakeSlack({ ...options, saved: JSON.parse(await readFile(file, "utf8")) });
    const [team] = slack.workspaces;
    const people = [ANN, BOB].flatMap(({ name }) => team?.person(name) ?? []);
    if (team?.isInstalled && people.length === 2) {
      // Earlier versions had fewer channels, and some without the bot.
      for (const place of team.places) team.inviteBot(place);
      addChannels(team, people);
      return { slack, team, people, isNew: false };
    }
    await slack.stop();
    throw new Error("Not all people of the demo are in it.");
  } catch (error) {
    // A port conflict says nothing about the file.
    if (error instanceof Error && "syscall" in error && error.syscall === "listen") throw error;
    const problem = await putAside(file, error);
    if (problem !== undefined) report(`${problem} All conversations are gone.`);
  }
  const slack = await startFakeSlack(options);
  const team = slack.addWorkspace({ name: TEAM });
  const people = [team.addUser(ANN), team.addUser(BOB)];
  addChannels(team, people);
  return { slack, team, people, isNew: true };
}

function addChannels(team: Workspace, people: readonly Person[]): void {
  const known = new Set(team.places.map(({ name }) => name));
  for (const name of CHANNELS) if (!known.has(name)) team.addChannel({ name, members: people, withBot: true });
}

// The page is shown by then. What the bot posts after that appears on it later.
const MOST_MS = 3000;

/**
 * Lets the people of a new workspace do what a visitor then sees: a watch notifies #incidents when webhooks fail, and in
 * the thread of a question, the bot answers a mention.
 */
async function openWorkspace(
  team: Workspace,
  [ann, bob]: readonly Person[],
  bot: Pick<Bot, "settled">,
  watchedOver: string,
): Promise<void> {
  const incidents = team.places.find(({ name }) => name === INCIDENTS);
  if (!ann || !bob || !incidents) return;
  const act = (action: Promise<unknown>): Promise<boolean> =>
    within(
      MOST_MS,
      action.then(() => bot.settled()),
    );
  const watch = `/media watch webhooks when:failed>50% over:${watchedOver}`;
  await act(ann.command(watch, { in: incidents }));
  const question = await bob.says("Do all of our webhooks arrive? Some orders were late today.", { in: incidents });
  const mention = `${team.botMention} summary webhooks since:1h`;
  await act(ann.says(mention, { in: incidents, thread: question }));
}
