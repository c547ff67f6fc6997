import { once } from "node:events";
import { connect } from "node:net";
import { textOf } from "@media-ops/fake-slack";
import { expect, it } from "vitest";
import { runBot, slackForBot } from "../test/bot-process.js";
import { always, startBadService } from "../test/services.js";

it("a bot without free file descriptors answers acknowledged requests, and recovers afterwards", async () => {
  const { slack, ann, general, env } = await slackForBot(await startBadService(always(200, [])));
  // Node itself opens about 300 files at its start.
  const bot = await runBot(env, [], 512);
  const [, url = ""] = await bot.line(/listens at (\S+);/);
  slack.app.requestUrl = `${url}/slack/events`;
  let acknowledged = 0;
  const ask = async () => {
    const { status } = await ann.command("/media logs webhooks", { in: general });
    if (status === 200) acknowledged += 1;
    return status;
  };

  // The bot closes connections beyond its limit at once.
  const idle = Array.from({ length: 600 }, () => connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {}));
  await expect.poll(() => idle.filter((socket) => socket.destroyed || socket.readableEnded).length).toBeGreaterThan(0);
  expect(await ask()).toBe(0);

  const kept = idle.filter((socket) => !socket.destroyed && !socket.readableEnded);
  for (const socket of kept.slice(0, 6)) socket.destroy();
  await expect.poll(ask).toBe(200);
  await Promise.all(Array.from({ length: 20 }, ask));
  await slack.until(() => ann.sees(general).length === acknowledged);

  await Promise.all(kept.map((socket) => !socket.destroyed && once(socket.destroy(), "close")));
  await expect.poll(ask).toBe(200);
  await slack.until(() => textOf(ann.sees(general).at(-1) ?? []).includes("0 webhooks, project demo"));
  expect(bot.child.exitCode).toBeNull();
});
