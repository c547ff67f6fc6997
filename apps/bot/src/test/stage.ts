import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import {
  type FakeSlack,
  type Person,
  type Place,
  type SeenMessage,
  startFakeSlack,
  type Workspace,
} from "@media-ops/fake-slack";
import { createLog } from "@media-ops/secrets";
import { expect, onTestFinished, vi } from "vitest";
import { type Bot, startBot } from "../bot.js";
import { readConfig } from "../config/config.js";
import { SCOPES } from "../slack/scopes.js";
import { type RunningService, startRunningService } from "./service.js";
import { type AtEnd, temporaryFolder } from "./storage.js";

export interface StageOptions {
  env?: Record<string, string>;
  /** What the command is called in Slack. @default /media */
  command?: string;
  /** What the present is for Slack and for the bot. @default Date.now */
  now?: () => number;
  atEnd?: AtEnd;
  /** Whether the bot opens sockets instead of being called. @default false */
  socketMode?: boolean;
  /** Whether workspaces install the bot themselves; none has at first, and no project is connected. @default false */
  oauth?: boolean;
  /** How long the bot waits for the service. @default as long as it does by itself */
  serviceTimeoutMs?: number;
}

/** A real service, a workspace with people in it, and the bot between them. */
export interface Stage {
  readonly slack: FakeSlack;
  readonly team: Workspace;
  /** An admin. */
  readonly ann: Person;
  readonly bob: Person;
  /** Both are in it; the bot is not. */
  readonly general: Place;
  readonly random: Place;
  readonly service: RunningService;
  readonly bot: Bot;
  /** The folder with the bot's database. */
  readonly folder: string;
  /** All that the bot has logged. */
  logged(): string;
  /** Types a command, and gives the message that comes of it. */
  ask(person: Person, text: string, place?: Place): Promise<SeenMessage>;
  /** Waits until the bot has done all that it was asked. */
  settled(): Promise<void>;
  /** Waits until the bot says that it is ready. */
  ready(): Promise<void>;
  /** Connects the project "demo" by the window, as somebody who may. */
  connectDemo(person: Person, place: Place): Promise<void>;
  /** Does something, and gives the message that is new or changed for somebody in a place. */
  next(person: Person, place: Place, act: () => Promise<unknown>): Promise<SeenMessage>;
}

/** Starts all of it on free ports; it is stopped after the test. */
export async function startStage({
  env = {},
  command = "/media",
  now = Date.now,
  atEnd = onTestFinished,
  socketMode = false,
  oauth = false,
  serviceTimeoutMs,
}: StageOptions = {}): Promise<Stage> {
  const folder = await temporaryFolder(atEnd);
  const service = await startRunningService(join(folder, "media.db"), atEnd);
  const slack = await startFakeSlack({ scopes: [...SCOPES], commands: [command], now });
  atEnd(() => slack.stop());
  const team = slack.addWorkspace({ name: "acme", installed: !oauth });
  const ann = team.addUser({ name: "ann", isAdmin: true });
  const bob = team.addUser({ name: "bob" });
  const general = team.addChannel({ name: "general", members: [ann, bob] });
  const random = team.addChannel({ name: "random", members: [ann, bob] });

  const lines: string[] = [];
  const port = oauth ? await freePort() : 0;
  const config = readConfig({
    BOT_PORT: String(port),
    BOT_DATABASE_URL: `sqlite:${join(folder, "bot.db")}`,
    // That of openTestStorage, too.
    BOT_MASTER_KEY: "05".repeat(32),
    SLACK_API_URL: slack.apiUrl,
    SLACK_SIGNING_SECRET: slack.app.signingSecret,
    ...(socketMode && { SLACK_APP_TOKEN: slack.app.appToken }),
    ...(oauth ? manyWorkspaces(slack, port) : oneWorkspace(team, service)),
    ...env,
  });
  const log = createLog({ level: "debug", to: { write: (line) => void lines.push(line) } });
  const bot = await startBot({ config, log, now, serviceTimeoutMs });
  atEnd(() => bot.stop());
  if (!socketMode) slack.app.requestUrl = `${bot.url}/slack/events`;
  slack.app.redirectUrl = `${bot.url}/slack/oauth_redirect`;

  const next = async (person: Person, place: Place, act: () => Promise<unknown>): Promise<SeenMessage> => {
    const before = new Map(person.sees(place).map((message) => [message.ts, JSON.stringify(message)]));
    await act();
    return slack.until(() => person.sees(place).find((message) => before.get(message.ts) !== JSON.stringify(message)));
  };
  return {
    slack,
    team,
    ann,
    bob,
    general,
    random,
    service,
    bot,
    folder,
    logged: () => lines.join(""),
    settled: () => bot.settled(),
    ready: () =>
      vi.waitFor(async () => expect((await fetch(`${bot.url}/readyz`)).status).toBe(200), { timeout: 10_000 }),
    async connectDemo(person, place) {
      await person.command("/media connect", { in: place });
      await slack.until(() => person.modal?.submit);
      await person.submit({ Address: service.url, Project: "demo", "API key": service.apiKey });
      await slack.until(() => person.modal?.title === "Connected");
      await person.close();
    },
    next,
    ask: (person, text, place = general) => next(person, place, () => person.command(text, { in: place })),
  };
}

const oneWorkspace = (team: Workspace, service: RunningService) => ({
  SLACK_BOT_TOKEN: team.botToken,
  MEDIA_BASE_URL: service.url,
  MEDIA_API_KEY: service.apiKey,
  MEDIA_PROJECT_ID: "demo",
});

const manyWorkspaces = (slack: FakeSlack, port: number) => ({
  SLACK_CLIENT_ID: slack.app.clientId,
  SLACK_CLIENT_SECRET: slack.app.clientSecret,
  SLACK_STATE_SECRET: "a long random text",
  BOT_PUBLIC_URL: `http://127.0.0.1:${port}`,
  // The service of the tests is on this machine.
  BOT_ALLOW_PRIVATE_ADDRESSES: "true",
});

/** A port that is free at this moment: the address under which the bot is reached must be known before it starts. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
