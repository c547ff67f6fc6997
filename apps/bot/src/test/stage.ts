import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  buttonsOf,
  type FakeSlack,
  type Person,
  type Place,
  type SeenMessage,
  type SeenView,
  startFakeSlack,
  textOf,
  type Workspace,
} from "@media-ops/fake-slack";
import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import { createLog } from "@media-ops/secrets";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { freePort } from "@media-ops/testing/servers";
import type { TokenClaims } from "@media-ops/tokens";
import { WebClient } from "@slack/web-api";
import { expect, onTestFinished, vi } from "vitest";
import { type Bot, startBot } from "../bot.js";
import { readConfig } from "../config.js";
import { Connections } from "../connections/connections.js";
import { SCOPES } from "../slack/client.js";
import type { Storage } from "../storage/open-storage.js";
import type { WatchPace } from "../watches/run.js";
import { type PlainServiceOptions, type RunningService, startPlainService, startRunningService } from "./services.js";
import {
  type AtEnd,
  botDatabaseUrl,
  bytesIn,
  MASTER_KEY,
  openTestStorage,
  storedIn,
  temporaryFolder,
} from "./storage.js";

export interface StageOptions {
  env?: Record<string, string>;
  /** The command's name in Slack. @default /media */
  command?: string;
  /** The clock of Slack, of the bot and of the service. @default Date.now */
  now?: () => number;
  /** The clock of Slack, whose requests must be young. @default now */
  slackNow?: () => number;
  atEnd?: AtEnd;
  /** Whether the bot uses Socket Mode instead of HTTP. @default false */
  socketMode?: boolean;
  /** Whether workspaces install the bot themselves; none has at first, and no project is connected. @default false */
  oauth?: boolean;
  /** Whether an organization has the workspace, and has installed the bot for all of its own. @default none */
  organization?: "some" | "installed";
  /** The timeout of requests to the service. @default the bot's own */
  serviceTimeoutMs?: number;
  /** How fast logs are watched and incidents reported. @default quickly */
  watchPace?: WatchPace;
  /** A service that the test has started, or "none" for a bot without projects. @default a real one */
  media?: { readonly url: string; readonly apiKey?: string } | "none";
  /** The bot's database. @default a new one */
  databaseUrl?: string;
  /** Whether the service uses the same database. @default false: it has a file of its own */
  sharesDatabase?: boolean;
  /** Whether the bot and the service use files, which other processes can open, instead of memory. @default false */
  onDisk?: boolean;
}

type NextMessage = (person: Person, place: Place, act: () => Promise<unknown>) => Promise<SeenMessage>;

/** The settings of a bot whose project is connected later. */
export const NOT_CONNECTED = { MEDIA_BASE_URL: "", MEDIA_API_KEY: "", MEDIA_PROJECT_ID: "" };

/** A real service, a Slack workspace with people, and a bot that connects them. */
export type Stage = Awaited<ReturnType<typeof startStage>>;

/** Starts a stage on free ports; it is stopped after the test. */
export async function startStage({
  env = {},
  command = "/media",
  now = Date.now,
  slackNow = now,
  atEnd = onTestFinished,
  socketMode = false,
  organization: grid,
  oauth = grid === "installed",
  serviceTimeoutMs,
  watchPace = { waitSeconds: 1, collectMs: 0, pollMs: 100, retryMs: 50, channelMs: 0, tickMs: 50 },
  media,
  databaseUrl: givenDatabase,
  sharesDatabase = false,
  onDisk = sharesDatabase,
}: StageOptions = {}) {
  const folder = await temporaryFolder(atEnd);
  const databaseUrl = givenDatabase ?? (await botDatabaseUrl({ onDisk, atEnd }));
  // A database in memory can be opened only once.
  const storage = databaseUrl === "sqlite::memory:" ? await openTestStorage(databaseUrl, atEnd) : undefined;
  const openStorage = async (): Promise<Storage> => storage ?? openTestStorage(databaseUrl, atEnd);
  const service = media
    ? serviceOf(media)
    : await startRunningService(folder, {
        databaseUrl: sharesDatabase ? databaseUrl : undefined,
        onDisk,
        now,
        atEnd,
      });
  const slack = await startFakeSlack({
    scopes: [...SCOPES],
    commands: [command],
    messageShortcuts: ["look_up"],
    escapesCommands: true,
    now: slackNow,
  });
  atEnd(() => slack.stop());
  const organization = grid && slack.addOrganization({ name: "acme inc", isOrgWide: grid === "installed" });
  const installed = !oauth || grid === "installed";
  const team = slack.addWorkspace({ name: "acme", installed, ...(organization && { organization }) });
  const ann = team.addUser({ name: "ann", isAdmin: true });
  const bob = team.addUser({ name: "bob" });
  const general = team.addChannel({ name: "general", members: [ann, bob] });
  const random = team.addChannel({ name: "random", members: [ann, bob] });

  const lines: string[] = [];
  const port = oauth ? await freePort() : 0;
  const settings = {
    BOT_DATABASE_URL: databaseUrl,
    BOT_MASTER_KEY: MASTER_KEY,
    SLACK_API_URL: slack.apiUrl,
    SLACK_SIGNING_SECRET: slack.app.signingSecret,
    ...(socketMode && { SLACK_APP_TOKEN: slack.app.appToken }),
    ...(oauth ? manyWorkspaces(slack, port) : oneWorkspace(team, service)),
    ...env,
  };
  const log = createLog({ level: "debug", to: { write: (line) => void lines.push(line) } });
  const start = async (more: Record<string, string>, time = now): Promise<Bot> => {
    const config = readConfig({ ...settings, ...more });
    const started = await startBot({ config, log, storage, now: time, serviceTimeoutMs, watchPace });
    atEnd(() => started.stop());
    return started;
  };
  const bot = await start({ BOT_PORT: String(port) });
  if (!socketMode) slack.app.requestUrl = `${bot.url}/slack/events`;
  slack.app.redirectUrl = `${bot.url}/slack/oauth_redirect`;

  const next = async (person: Person, place: Place, act: () => Promise<unknown>): Promise<SeenMessage> => {
    const before = new Map(person.sees(place).map((message) => [message.ts, message]));
    await act();
    return slack.until(() => person.sees(place).find((message) => isNew(message, before.get(message.ts))));
  };
  const form = (person: Person): Promise<SeenView> =>
    slack.until(() => (person.modal?.submit === undefined ? undefined : person.modal));
  return {
    /** Both channels have both people, but not the bot; the folder is deleted after the test. */
    ...{ slack, team, organization, ann, bob, general, random, service, bot, databaseUrl, folder },
    /** The bot's database: in memory the bot's own, otherwise opened a second time until the test ends. */
    openStorage,
    /** All stored data of the bot and the service. */
    stored: async () => (await storedIn(await openStorage())) + (await bytesIn(folder)),
    /** Starts another bot with the same database; Slack does not send requests to it. */
    startAnother: (more = {}, time = now) => start({ BOT_PORT: "0", ...more }, time),
    /** Starts another bot, with a policy file if one is given, to which Slack then sends its requests. */
    async replaceBot(policy?: object, more: Record<string, string> = {}, time = now): Promise<Bot> {
      const file = join(folder, `policy-${randomUUID()}.json`);
      if (policy) await writeFile(file, JSON.stringify(policy));
      const another = await start({ BOT_PORT: "0", ...(policy && { BOT_TOKEN_POLICY: file }), ...more }, time);
      slack.app.requestUrl = `${another.url}/slack/events`;
      return another;
    },
    /** The logs of all bots with this database. */
    logged: () => lines.join(""),
    /** Waits until the bot has finished all work. */
    settled: () => bot.settled(),
    /** Waits until the bot's watches have seen everything, and Slack shows it. */
    watched: () => bot.watched(),
    ready: () =>
      vi.waitFor(async () => expect((await fetch(`${bot.url}/readyz`)).status).toBe(200), { timeout: 25_000 }),
    /** Connects a project of the service in the window, as a person with permission. */
    async connectDemo(person: Person, place: Place, project = "demo", more: Record<string, string> = {}) {
      await person.command("/media connect", { in: place });
      await form(person);
      const apiKey = project === "demo" ? service.apiKey : service.project(project).apiKey;
      await person.submit({ Address: service.url, Project: project, "API key": apiKey, ...more });
      await slack.until(() => person.modal?.title === "Connected");
      await person.close();
    },
    /** Connects a project without a window; it may be the default of the workspace. */
    async addConnection(
      projectId: string,
      { baseUrl = service.url, apiKey = service.apiKey, isDefault = false } = {},
    ): Promise<void> {
      const connections = new Connections(await openStorage(), undefined, Date.now);
      const to = { teamId: team.id, projectId, userId: ann.id };
      await connections.add({ ...to, baseUrl, apiKey });
      if (isDefault) await connections.setDefault({ ...to, channelId: undefined });
    },
    /** Posts a button "Press" of the bot, in this workspace or another one; anything of it can be forged. */
    async postButton(place: Place, action_id: string, value: string, { botToken } = team) {
      const client = new WebClient(botToken, { slackApiUrl: slack.apiUrl });
      const button = { type: "button", text: { type: "plain_text", text: "Press" }, action_id, value } as const;
      const blocks = [{ type: "actions", elements: [button] }];
      const { ts = "" } = await client.chat.postMessage({ channel: place.id, text: "x", blocks });
      return { channelId: place.id, ts };
    },
    /** Adds a person, with a channel of their own. */
    newcomer(name: string, more: Omit<Parameters<Workspace["addUser"]>[0], "name"> = {}) {
      const person = team.addUser({ name, ...more });
      return { person, place: team.addChannel({ name: `${name}s`, members: [person] }) };
    },
    /** Performs an action, and returns the message that is then new or changed for a person in a conversation. */
    next,
    /** A person's window, once it can be submitted. */
    form,
    ...actionsOf(next, ann, general),
  };
}

/** What people do in a conversation; ann does it in general unless others are named. */
const actionsOf = (next: NextMessage, ann: Person, general: Place) => {
  const ask = (person: Person, text: string, place = general): Promise<SeenMessage> =>
    next(person, place, () => person.command(text, { in: place }));
  return {
    press: (message: SeenMessage, label: string, person = ann, place = general): Promise<SeenMessage> =>
      next(person, place, () => person.press(message, label)),
    ask,
    /** The text of the answer to a command. */
    read: async (person: Person, text: string, place = general): Promise<string> =>
      textOf(await ask(person, text, place)),
  };
};

// A message that wasn't changed still has the same blocks, which are compared quickly.
const isNew = (message: SeenMessage, before: SeenMessage | undefined): boolean =>
  message.blocks !== before?.blocks && JSON.stringify(message) !== JSON.stringify(before);

/** A stage whose project has some entries in one of its logs. */
export async function stageWith<Kind extends LogKind>(kind: Kind, ...entries: LogEntryOf<Kind>[]): Promise<Stage> {
  const stage = await startStage();
  await stage.service.add(kind, ...entries);
  return stage;
}

/** A stage with a service that has the six operations only, or all of them but no database. */
export async function plainStage(options: PlainServiceOptions = {}, more: StageOptions = {}) {
  const media = await startPlainService(options);
  return { ...(await startStage({ media, ...more })), media };
}

/** Connects another project of the stage's service in the window, as an admin. */
export const connectProject = (
  { connectDemo, ann, general }: Stage,
  project: "other" | "third",
  reach: "In the whole workspace" | "Only for commands that name it",
): Promise<void> => connectDemo(ann, general, project, { "Use it for commands that name no project": reach });

/** A token as it is shown. */
export const TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]+/;

/** The token in a message, or an empty text. */
export const tokenIn = (message: SeenMessage): string => TOKEN.exec(textOf(message))?.[0] ?? "";

// The bot counts from the request; the service signs later, by seconds on a busy machine.
const LATE = 10;

/** Checks a token's lifetime: never longer than expected, and hardly shorter. */
export function expectLife({ iat = 0, exp = 0 }: Pick<TokenClaims, "iat" | "exp">, seconds: number): void {
  expect(exp - iat).toBeLessThanOrEqual(seconds);
  expect(exp - iat).toBeGreaterThan(seconds - LATE);
}

/** Checks that a message or a window has all these words. */
export function expectWords(seen: Parameters<typeof textOf>[0], ...words: (string | RegExp)[]): void {
  for (const one of words) expect(textOf(seen)).toMatch(one);
}

/** The labels of a message's or a window's buttons. */
export const labelsOf = (seen: Parameters<typeof buttonsOf>[0]): string[] => buttonsOf(seen).map(({ text }) => text);

/** A service that the test has started, and fills itself. */
function serviceOf(media: NonNullable<StageOptions["media"]>): RunningService {
  const { url, apiKey = "mo_any_key" } = media === "none" ? { url: "" } : media;
  const fail = (): never => {
    throw new Error("This stage has no service of its own.");
  };
  return { url, apiKey, add: fail, project: fail, stop: async () => {} };
}

let rooms = 0;

/** Two new people, the first of them an admin, with channels of their own, in a stage that several tests share. */
export function newRoom(stage: Stage): Stage {
  const { team } = stage;
  rooms += 1;
  const [ann, bob] = [team.addUser({ name: `ann${rooms}`, isAdmin: true }), team.addUser({ name: `bob${rooms}` })];
  const general = team.addChannel({ name: `general${rooms}`, members: [ann, bob] });
  const random = team.addChannel({ name: `random${rooms}`, members: [ann, bob] });
  return {
    ...stage,
    ...{ ann, bob, general, random },
    ...actionsOf(stage.next, ann, general),
  };
}

/** New rooms in a stage that the tests of a file share: for tests that neither log anything nor change the workspace. */
export async function roomsIn(start: (options: StageOptions) => Promise<Stage>): Promise<() => Stage> {
  const stage = await start({ atEnd: closeAfterAll() });
  return () => newRoom(stage);
}

const oneWorkspace = (team: Workspace, service: RunningService) => ({
  SLACK_BOT_TOKEN: team.botToken,
  ...(service.url && { MEDIA_BASE_URL: service.url, MEDIA_API_KEY: service.apiKey, MEDIA_PROJECT_ID: "demo" }),
});

const manyWorkspaces = (slack: FakeSlack, port: number) => ({
  SLACK_CLIENT_ID: slack.app.clientId,
  SLACK_CLIENT_SECRET: slack.app.clientSecret,
  SLACK_STATE_SECRET: "a long random text",
  BOT_PUBLIC_URL: `http://127.0.0.1:${port}`,
  // The tests' service is on this machine.
  BOT_ALLOW_PRIVATE_ADDRESSES: "true",
});

/** Opens a person's app home; returns what it shows at once. */
export async function homeOf({ slack }: Stage, person: Person): Promise<SeenView> {
  await person.openHome();
  return slack.until(() => person.home);
}

/** Opens a person's app home, and waits for the health of the projects. */
export async function wholeHomeOf(stage: Stage, person: Person): Promise<SeenView> {
  const shown = homesShown(stage).length;
  await person.openHome();
  return stage.slack.until(() =>
    homesShown(stage).length > shown && !textOf(person.home ?? []).includes("checking…") ? person.home : undefined,
  );
}

/** The text of all app homes that were shown, the first one first. */
export const homesShown = ({ slack }: Stage): string[] =>
  slack.transcript
    .filter(({ what, name }) => what === "shown" && name === "home")
    .map(({ detail }) => textOf((detail as { blocks: unknown[] }).blocks));
