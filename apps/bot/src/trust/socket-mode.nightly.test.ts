import { expect, it } from "vitest";
import { startStage } from "../test/stage.js";

// Slack's client waits some seconds before it opens a new socket.
const stageWithSockets = () => startStage({ socketMode: true });

it("continues after Slack requests a new socket, and after the socket breaks", async () => {
  const stage = await stageWithSockets();
  const newSocket = async (act: () => void) => {
    const opened = () => stage.slack.transcript.filter(({ name }) => name === "apps.connections.open").length;
    const before = opened();
    act();
    await stage.slack.until(() => opened() > before);
    await stage.ready();
  };
  await newSocket(() => stage.slack.refreshSockets());
  expect(await stage.read(stage.ann, "/media projects")).toContain("demo");
  await newSocket(() => stage.slack.breakSockets());
  expect(await stage.read(stage.bob, "/media projects")).toContain("demo");
});

it("continues after Slack was unreachable for a while, and is not ready until then", { timeout: 40_000 }, async () => {
  const stage = await stageWithSockets();
  const status = async () => (await fetch(`${stage.bot.url}/readyz`)).status;
  expect(await status()).toBe(200);
  stage.slack.fail("apps.connections.open", { status: 503, times: 2 });
  stage.slack.breakSockets();
  await expect.poll(status).toBe(503);
  await expect.poll(status, { timeout: 30_000, interval: 200 }).toBe(200);
  expect(await stage.read(stage.ann, "/media projects")).toContain("demo");
});
