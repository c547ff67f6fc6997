import { textOf } from "@media-ops/fake-slack";
import { expect, it } from "vitest";
import { PAUSE_MS } from "../connections/connections.js";
import { startSilentService } from "../test/services.js";
import { startStage } from "../test/stage.js";

/** A stage whose project "demo" is on a service that is silent until the test releases it. */
async function startSilent({ serviceTimeoutMs = 500 } = {}) {
  const { url, state, wake } = await startSilentService();
  const clock = { skippedMs: 0 };
  const stage = await startStage({
    env: { MEDIA_BASE_URL: url },
    serviceTimeoutMs,
    now: () => Date.now() + clock.skippedMs,
  });
  const askTimes = async (times: number) => {
    for (let at = 0; at < times; at++) {
      const text = await stage.read(stage.ann, "/media logs webhooks in:demo");
      expect(text).toContain("The service took too long to answer");
    }
  };
  return { stage, state, clock, url, askTimes, wake };
}

const SILENT = /^demo's service at 127\.0\.0\.1:\d+ hasn't answered for \d+ s\. Last tried: .+\. Try again in \d+ s\.$/;

it("after three timeouts requests to a silent service fail at once until the pause ends; others work", async () => {
  const { stage, state, clock, url, askTimes, wake } = await startSilent();
  await stage.connectDemo(stage.ann, stage.random, "garden");

  await askTimes(3);
  const { asked } = state;
  expect(await stage.read(stage.bob, "/media logs api in:demo")).toMatch(SILENT);
  expect(await stage.read(stage.bob, "/media status in:demo")).toContain("hasn't answered for");
  expect(await stage.read(stage.bob, "/media token lobby in:demo")).toMatch(SILENT);
  await stage.ann.command("/media connect", { in: stage.general });
  await stage.form(stage.ann);
  await stage.ann.submit({ Address: url, Project: "attic", "API key": "mo_any_key" });
  await stage.slack.until(() => textOf(stage.ann.modal ?? []).includes("attic's service at 127.0.0.1"));
  await stage.ann.close();
  expect(state.asked).toBe(asked);
  expect(await stage.read(stage.bob, "/media logs webhooks in:garden")).toContain("0 webhooks, project garden");

  clock.skippedMs += PAUSE_MS;
  await askTimes(1);
  expect(await stage.read(stage.ann, "/media logs webhooks in:demo")).toMatch(SILENT);
  // It asks for a page and a count; a busy machine may send neither in time.
  expect(state.asked).toBeLessThanOrEqual(asked + 2);

  wake();
  clock.skippedMs += PAUSE_MS;
  expect(await stage.read(stage.ann, "/media logs webhooks in:demo")).toContain("0 webhooks, project demo");
  expect(await stage.read(stage.bob, "/media logs webhooks in:demo")).toContain("0 webhooks, project demo");
  expect(stage.logged()).toContain("a service did not answer several requests in a row");
});

it("requests without a service are answered at once while others wait for a silent one", async () => {
  const { stage, state, wake } = await startSilent({ serviceTimeoutMs: 20_000 });
  const { bot } = stage;
  const another = await stage.startAnother();
  const help = await stage.ask(stage.ann, "/media help");
  for (let at = 0; at < 40; at++) await stage.ann.command(`/media token lobby-${at}`, { in: stage.random });
  await expect.poll(() => state.asked).toBeGreaterThan(0);

  const started = performance.now();
  expect(await stage.read(stage.ann, "/media help times")).toContain("help times");
  expect(await stage.read(stage.bob, "/media projects")).toContain("connected");
  expect(textOf(await stage.press(help, "Help on filters"))).toContain("help filters");
  await stage.ann.command("/media token", { in: stage.general });
  await stage.form(stage.ann);
  // The silent service's requests end later.
  expect(performance.now() - started).toBeLessThan(10_000);
  stage.slack.app.requestUrl = `${another.url}/slack/events`;
  expect(await stage.read(stage.bob, "/media help")).toContain("Examples");
  wake();
  await Promise.all([bot.settled(), another.settled()]);
  expect(stage.ann.sees(stage.random)).toHaveLength(40);
});
