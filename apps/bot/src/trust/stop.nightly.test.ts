import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { startFakeSlack, textOf } from "@media-ops/fake-slack";
import { expect, it, onTestFinished } from "vitest";
import { SCOPES } from "../slack/client.js";
import { runBot, slackForBot } from "../test/bot-process.js";
import { startBadService } from "../test/services.js";

it.each(["HTTP", "Socket Mode"])(
  "finishes requests in progress at SIGTERM by %s, accepts no new ones, and exits with 0",
  async (by) => {
    const held: ServerResponse[] = [];
    const answer = (response: ServerResponse): void =>
      void response.writeHead(200, { "content-type": "application/json" }).end("[]");
    let isHolding = true;
    // A service that knows no searches: each command asks it more than once.
    const serviceUrl = await startBadService((_request, response) => {
      if (isHolding) held.push(response);
      else answer(response);
    });
    const isSocketMode = by === "Socket Mode";
    const { slack, ann, general, env } = await slackForBot(serviceUrl, { isSocketMode });
    const bot = await runBot(env);
    const [, url = ""] = await bot.line(/listens at (\S+);/);
    if (!isSocketMode) slack.app.requestUrl = `${url}/slack/events`;

    await ann.command("/media logs webhooks", { in: general });
    await expect.poll(() => held.length).toBeGreaterThan(0);
    bot.child.kill("SIGTERM");
    await expect.poll(async () => (await ann.command("/media help", { in: general })).status).toBe(0);
    isHolding = false;
    for (const response of held) answer(response);
    const [code] = await bot.ended;
    expect(code).toBe(0);
    const [shown, ...others] = ann
      .sees(general)
      .map(textOf)
      .filter((text) => text.includes("project demo"));
    expect(shown).toContain("0 webhooks, project demo");
    expect(others).toEqual([]);
  },
);

it("exits with the reason if Slack no longer accepts the token for sockets", { timeout: 30_000 }, async () => {
  const { slack, env } = await slackForBot("http://127.0.0.1:1", { isSocketMode: true });
  const bot = await runBot(env);
  await bot.line(/listens at/);
  slack.fail("apps.connections.open", { error: "invalid_auth" });
  slack.breakSockets();
  const [code] = await bot.ended;
  expect(code).toBe(1);
  expect(bot.said().out).toMatch(/"level":"fatal".*invalid_auth.*was not caught/);
  expect(bot.said().out).toContain('"msg":"stopped"');
});

it("does not wait at SIGTERM for a client that never finishes its request", async () => {
  const slack = await startFakeSlack({ scopes: [...SCOPES] });
  onTestFinished(() => slack.stop());
  const bot = await runBot({
    SLACK_API_URL: slack.apiUrl,
    SLACK_SIGNING_SECRET: slack.app.signingSecret,
    SLACK_BOT_TOKEN: slack.addWorkspace({ name: "acme" }).botToken,
  });
  const [, url = ""] = await bot.line(/listens at (\S+);/);
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write("POST /slack/events HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf");
  await expect.poll(async () => (await fetch(`${url}/healthz`)).status).toBe(200);
  bot.child.kill("SIGTERM");
  const [code] = await bot.ended;
  expect(code).toBe(0);
  expect(bot.said().out).toContain("stopped");
});

it.each([
  [{}, /SLACK_BOT_TOKEN.*SLACK_SIGNING_SECRET/s],
  [
    { SLACK_SIGNING_SECRET: "s", SLACK_BOT_TOKEN: "xoxb-1", BOT_PORT: "high", SLACK_API_URL: "slack" },
    /BOT_PORT.*SLACK_API_URL|SLACK_API_URL.*BOT_PORT/s,
  ],
] as const)("reports all invalid settings, without their values: %o", async (env, words) => {
  const bot = await runBot({ ...env });
  const [code] = await bot.ended;
  expect(code).toBe(1);
  const { err } = bot.said();
  expect(err).toMatch(words);
  expect(err).not.toContain("xoxb-1");
  expect(err).not.toContain("    at ");
});

it("reports that Slack rejects its token", async () => {
  const slack = await startFakeSlack({ scopes: [...SCOPES] });
  onTestFinished(() => slack.stop());
  const bot = await runBot({ SLACK_API_URL: slack.apiUrl, SLACK_SIGNING_SECRET: "s", SLACK_BOT_TOKEN: "xoxb-nobodys" });
  const [code] = await bot.ended;
  expect(code).toBe(1);
  expect(bot.said().err.trim()).toBe(
    'Slack refused SLACK_BOT_TOKEN (invalid_auth). Copy the Bot User OAuth Token again from the app\'s page "OAuth & Permissions".',
  );
});
