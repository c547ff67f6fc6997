import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { FakeSlack, Workspace } from "@media-ops/fake-slack";
import type { ProgramRun } from "../service/program-run.js";
import type { Sandbox } from "../service/sandbox.js";
import { startBareServer } from "../service/start-bare.js";

const program = fileURLToPath(new URL("main.js", import.meta.resolve("@media-ops/bot")));

/** What the bot asks for where it is installed. */
export const SCOPES = ["commands", "chat:write", "files:write", "im:write", "usergroups:read", "users:read"];

export interface Connected {
  slack: FakeSlack;
  team: Workspace;
  service: { url: string; apiKey: string; projectId: string };
}

/** The bot as it is run, in a process of its own; gives where Slack sends to. */
export async function startBotProcess(
  { folder, adopt }: Sandbox,
  { slack, team, service }: Connected,
  { nodeArgs = [], settings = {}, stdio = ["ignore", "pipe", "inherit"] }: ProgramRun = {},
): Promise<string> {
  const child = spawn(process.execPath, [...nodeArgs, program], {
    cwd: folder,
    env: {
      BOT_PORT: "0",
      BOT_DATABASE_URL: `sqlite:${folder}/bot.db`,
      SLACK_API_URL: slack.apiUrl,
      SLACK_SIGNING_SECRET: slack.app.signingSecret,
      SLACK_BOT_TOKEN: team.botToken,
      MEDIA_BASE_URL: service.url,
      MEDIA_API_KEY: service.apiKey,
      MEDIA_PROJECT_ID: service.projectId,
      ...settings,
    },
    stdio,
  });
  adopt(child);
  if (!child.stdout) throw new Error("The bot says on its standard output where it listens.");
  for await (const line of createInterface(child.stdout)) {
    const [, address] = /requests come to (http:[^"]+)/.exec(line) ?? [];
    if (address === undefined) continue;
    child.stdout.resume();
    return address;
  }
  throw new Error("The bot ended before it listened. What it said about it stands above.");
}

/** The floor; gives where Slack sends to. */
export async function startBareBolt(sandbox: Sandbox, { app }: FakeSlack): Promise<string> {
  const { url } = await startBareServer(sandbox, new URL("bare-bolt.js", import.meta.url), app.signingSecret);
  return `${url}/slack/events`;
}
