import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type FakeSlack, type Person, type SavedSlack, startFakeSlack, type Workspace } from "@media-ops/fake-slack";
import { redact } from "@media-ops/secrets";
import * as z from "zod";
import type { AppInfo } from "./app-info.js";
import { putAside, writeWhole } from "./whole-file.js";

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
