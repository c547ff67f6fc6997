import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { FakeSlack, Workspace } from "@media-ops/fake-slack";
import type { Sandbox } from "../service/sandbox.js";

const program = fileURLToPath(new URL("main.js", import.meta.resolve("@media-ops/bot")));

export interface Connected {
  slack: FakeSlack;
  team: Workspace;
  service: { url: string; apiKey: string; projectId: string };
}

/** The bot as it is run, in a process of its own; gives where Slack sends to. */
export async function startBotProcess(
  { folder, adopt }: Sandbox,
  { slack, team, service }: Connected,
): Promise<string> {
  const child = spawn(process.execPath, [program], {
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
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  adopt(child);
  for await (const line of createInterface(child.stdout)) {
    const [, address] = /requests come to (http:[^"]+)/.exec(line) ?? [];
    if (address === undefined) continue;
    child.stdout.resume();
    return address;
  }
  throw new Error("The bot ended before it listened. What it said about it stands above.");
}

/** The floor; gives where Slack sends to. */
export async function startBareBolt({ adopt }: Sandbox, { app }: FakeSlack): Promise<string> {
  const child: ChildProcess = adopt(fork(fileURLToPath(new URL("bare-bolt.js", import.meta.url))));
  child.send(app.signingSecret);
  const [port] = await once(child, "message");
  return `http://127.0.0.1:${port}/slack/events`;
}
