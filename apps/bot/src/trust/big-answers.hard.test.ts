import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { type Person, type Place, startFakeSlack, textOf, type Workspace } from "@media-ops/fake-slack";
import { freePort } from "@media-ops/testing/servers";
import { expect, it, onTestFinished } from "vitest";
import { SCOPES } from "../slack/client.js";
import { runBot } from "../test/bot-process.js";
import { startBadService } from "../test/services.js";

const MB = 2 ** 20;

/** A gzip file that is small on the wire: it may consist of many parts, of which the middle one is repeated. */
function bomb(before: string, part: string, times: number, after: string): Buffer {
  const middle = gzipSync(part);
  return Buffer.concat([gzipSync(before), ...Array(times).fill(middle), gzipSync(after)]);
}

const bombs = [
  // 240 MB of one string, and of values that need twenty times their length.
  bomb('[{"url":"', "a".repeat(24 * MB), 10, '"}]'),
  bomb("[", "{},".repeat(8 * MB), 10, "{}]"),
  bomb("[".repeat(1000), "[".repeat(24 * MB), 10, "]"),
  // Answers that the bot accepts one by one, many at once.
  bomb("[", `{"status":500,"url":"https://hooks.example/${"a".repeat(7800)}"},`, 999, '{"status":500}]'),
  bomb('[{"url":"', "\u4e00".repeat(2 * MB), 1, '"}]'),
];

/** A service with empty logs, which sends bombs after `begin()`. */
async function startBombing() {
  let isBad = false;
  let answered = 0;
  const url = await startBadService((_request: IncomingMessage, response: ServerResponse) => {
    const headers = { "content-type": "application/json" };
    if (!isBad) return void response.writeHead(200, headers).end("[]");
    response.writeHead(200, { ...headers, "content-encoding": "gzip" }).end(bombs[answered++ % bombs.length]);
  });
  return {
    url,
    begin: () => {
      isBad = true;
    },
  };
}

async function twoWorkspaces() {
  const port = await freePort();
  const slack = await startFakeSlack({ scopes: [...SCOPES] });
  onTestFinished(() => slack.stop());
  const bot = await runBot(
    {
      SLACK_API_URL: slack.apiUrl,
      SLACK_SIGNING_SECRET: slack.app.signingSecret,
      SLACK_CLIENT_ID: slack.app.clientId,
      SLACK_CLIENT_SECRET: slack.app.clientSecret,
      SLACK_STATE_SECRET: "a long random text",
      BOT_PUBLIC_URL: `http://127.0.0.1:${port}`,
      BOT_PORT: String(port),
      BOT_ALLOW_PRIVATE_ADDRESSES: "true",
    },
    ["--max-old-space-size=256"],
  );
  await bot.line(/listens at/);
  const url = `http://127.0.0.1:${port}`;
  slack.app.requestUrl = `${url}/slack/events`;
  slack.app.redirectUrl = `${url}/slack/oauth_redirect`;

  /** Installs the bot in a workspace and connects a service. */
  const join = async (name: string, address: string) => {
    const team: Workspace = slack.addWorkspace({ name, installed: false });
    const admin: Person = team.addUser({ name: "admin", isAdmin: true });
    const place: Place = team.addChannel({ name: "general", members: [admin] });
    await slack.allow(`${url}/slack/install`, { by: admin });
    await admin.command("/media connect", { in: place });
    await slack.until(() => admin.modal?.submit);
    await admin.submit({ Address: address, Project: "demo", "API key": "mo_any_key" });
    await slack.until(() => admin.modal?.title === "Connected");
    await admin.close();
    return { admin, place };
  };
  return { slack, bot, url, join };
}

// The bot runs in a process of its own, and decompresses gigabytes.
it("answers that decompress to more than the memory do not stop the bot, and another workspace is answered meanwhile", {
  timeout: 240_000,
}, async () => {
  const { slack, bot, url, join } = await twoWorkspaces();
  const bombing = await startBombing();
  const bad = await join("bad", bombing.url);
  const good = await join("good", await startBadService((_, response) => void response.end("[]")));
  bombing.begin();

  const seen = () => bad.admin.sees(bad.place).length;
  const death = bot.ended.then(([code, signal]) => {
    throw new Error(`The bot ended (${code ?? signal}): ${bot.said().err.slice(0, 500)}`);
  });
  const answers = (count: number) => Promise.race([death, slack.until(() => seen() >= count, { timeoutMs: 90_000 })]);
  // In sequence, each is read to its end or to the bot's limit; in parallel, they share the time for an answer.
  for (let count = 1; count <= bombs.length; count++) {
    await bad.admin.command("/media logs webhooks", { in: bad.place });
    await answers(count);
  }
  const kinds = ["sessions", "connections", "api", "media-api", "webhooks", "events"];
  const ofKinds = kinds.flatMap((kind) => [`logs ${kind}`, `summary ${kind}`, `logs ${kind} as:csv`, "status"]);
  const commands = [...ofKinds, "trace lobby", "trace lobby as:csv", "why", "live"];
  for (const command of [...commands, ...commands]) {
    await bad.admin.command(`/media ${command}`, { in: bad.place });
  }
  const slowestMs = [];
  for (let times = 0; times < 5; times++) {
    const before = good.admin.sees(good.place).length;
    const started = performance.now();
    const delivery = await good.admin.command("/media logs webhooks", { in: good.place });
    expect(delivery.status).toBe(200);
    await slack.until(() => good.admin.sees(good.place).length > before, { timeoutMs: 30_000 });
    expect(textOf(good.admin.sees(good.place).at(-1) ?? [])).toContain("0 webhooks, project demo");
    slowestMs.push(performance.now() - started);
  }
  expect(Math.max(...slowestMs)).toBeLessThan(25_000);

  await answers(bombs.length + commands.length * 2);
  expect(bot.child.exitCode).toBeNull();
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(bot.said().err).toBe("");
});
