import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startFakeSlack } from "@media-ops/fake-slack";
import { databaseUrl } from "@media-ops/testing";
import { onTestFinished } from "vitest";
import { SCOPES } from "../slack/client.js";
import { MASTER_KEY, temporaryFolder } from "./storage.js";

const main = join(import.meta.dirname, "../../dist/main.js");

/** A Slack workspace with ann, and the environment of a bot there whose project "demo" is on a service. */
export async function slackForBot(serviceUrl: string, { isSocketMode = false } = {}) {
  const slack = await startFakeSlack({ scopes: [...SCOPES] });
  onTestFinished(() => slack.stop());
  const team = slack.addWorkspace({ name: "acme" });
  const ann = team.addUser({ name: "ann" });
  const general = team.addChannel({ name: "general", members: [ann] });
  const env = {
    SLACK_API_URL: slack.apiUrl,
    ...(isSocketMode ? { SLACK_APP_TOKEN: slack.app.appToken } : { SLACK_SIGNING_SECRET: slack.app.signingSecret }),
    SLACK_BOT_TOKEN: team.botToken,
    MEDIA_BASE_URL: serviceUrl,
    MEDIA_API_KEY: "mo_any_key",
    MEDIA_PROJECT_ID: "demo",
  };
  return { slack, team, ann, general, env };
}

/** Runs the published bot with only these environment variables, flags of Node and a limit of open files. */
export async function runBot(env: Record<string, string>, flags: readonly string[] = [], maxOpenFiles?: number) {
  const limit = maxOpenFiles === undefined ? "" : `ulimit -n ${maxOpenFiles}; `;
  const child = spawn("sh", ["-c", `${limit}exec "$@"`, "sh", process.execPath, ...flags, main], {
    cwd: await temporaryFolder(),
    env: {
      PATH: process.env.PATH ?? "",
      BOT_PORT: "0",
      BOT_DATABASE_URL: await databaseUrl(),
      BOT_MASTER_KEY: MASTER_KEY,
      ...env,
    },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  let out = "";
  let err = "";
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString();
  });
  const lines = createInterface(child.stdout);
  const line = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      lines.on("line", (text) => {
        out += `${text}\n`;
        const found = pattern.exec(text);
        if (found) resolve(found);
      });
      child.once("exit", () => reject(new Error(`The bot ended before it said ${pattern}: ${out}${err}`)));
    });
  return { child, ended, line, said: () => ({ out, err }) };
}
