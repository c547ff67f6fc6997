import { once } from "node:events";
import { get } from "node:http";
import { textOf } from "@media-ops/fake-slack";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { freePort } from "@media-ops/testing/servers";
import { expect, it } from "vitest";
import { webhook } from "../test/entries.js";
import { startStage } from "../test/stage.js";

const stage = await startStage({ socketMode: true, atEnd: closeAfterAll() });

it("answers commands and buttons through a socket that it opens itself", async () => {
  await stage.service.add("webhooks", webhook({ status: 503 }));
  const message = await stage.ask(stage.ann, "/media logs webhooks");
  expect(textOf(message)).toContain("503");
  await stage.service.add("webhooks", webhook({ status: 404, minutesAgo: 0 }));
  const refreshed = await stage.press(message, "Refresh");
  expect(textOf(refreshed)).toContain("404");
  expect(refreshed.ts).toBe(message.ts);
});

it("opens windows", async () => {
  await stage.ann.command("/media connect", { in: stage.general });
  await stage.slack.until(() => stage.ann.modal?.title === "Connect a project");
});

it("reports which token Slack rejects, and stops listening", async () => {
  const port = await freePort();
  const started = startStage({ socketMode: true, env: { SLACK_APP_TOKEN: "xapp-nobodys", BOT_PORT: String(port) } });
  await expect(started).rejects.toThrow("Slack refused SLACK_APP_TOKEN (invalid_auth).");
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow("fetch failed");
});

it("survives a request without a path", async () => {
  const { bot } = stage;
  const { hostname, port } = new URL(bot.url);
  const asked = get({ hostname, port, path: "//" });
  const [response] = await once(asked, "response");
  response.resume();
  expect(response.statusCode).toBe(404);
  expect((await fetch(`${bot.url}/healthz`)).status).toBe(200);
});

it("listens only for health checks, at BOT_HOST", async () => {
  const { bot } = stage;
  expect(new URL(bot.url).hostname).toBe("127.0.0.1");
  expect((await fetch(`${bot.url}/readyz`)).status).toBe(200);
  expect((await fetch(`${bot.url}/slack/events`, { method: "POST" })).status).toBe(404);
});
