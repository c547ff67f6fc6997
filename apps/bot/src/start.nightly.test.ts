import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { runBot } from "./test/bot-process.js";

/** A bot that has sent a request to a Slack that accepts connections and never answers. */
async function startOnSilentSlack() {
  const slack = createServer().listen(0, "127.0.0.1");
  await once(slack, "listening");
  onTestFinished(() => void slack.close());
  const asked = once(slack, "connection");
  const { port } = slack.address() as AddressInfo;
  const bot = await runBot({
    SLACK_API_URL: `http://127.0.0.1:${port}/api/`,
    SLACK_BOT_TOKEN: "xoxb-1-1-x",
    SLACK_SIGNING_SECRET: "0".repeat(32),
  });
  await asked;
  return { ...bot, since: performance.now() };
}

it("a bot with a silent Slack exits within 15 s, and says why", async () => {
  const { ended, said, since } = await startOnSilentSlack();
  expect(await ended).toEqual([1, null]);
  expect(performance.now() - since).toBeLessThan(13_000);
  expect(said().err).toMatch(/^Slack did not answer within 8 s\. Check the network/);
});

it("SIGTERM stops a bot at once that waits for a silent Slack", async () => {
  const { child, ended } = await startOnSilentSlack();
  const since = performance.now();
  child.kill("SIGTERM");
  expect(await ended).toEqual([null, "SIGTERM"]);
  expect(performance.now() - since).toBeLessThan(3000);
});
