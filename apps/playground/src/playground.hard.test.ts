import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startFakeSlack, textOf } from "@media-ops/fake-slack";
import { expect, it, onTestFinished } from "vitest";
import { incidentBefore } from "./demo/past.js";
import { listings } from "./demo/visitors.js";
import { readAppInfo } from "./settings.js";
import { keyOf, list, startTest, temporaryFolder } from "./test/start.js";
import { actOn, sceneOf } from "./test/window.js";

// A start that takes a second takes many on a busy machine.
const BUSY_MS = 120_000;

// Each start takes a second for a service, a bot and their databases, so each test checks several things.
it("the first start fills all six logs, stores its keys for its owner only, and runs a bot that answers", {
  timeout: BUSY_MS,
}, async () => {
  const began = Date.now();
  const playground = await startTest({ folder: await temporaryFolder() });
  for (const path of listings) expect((await list(playground, path)).length).toBeGreaterThan(50);
  const { from, until } = incidentBefore(Date.now());
  const failed = (await list(playground, "/orgs/list-webhook-logs")).filter(({ timestamp, status }) => {
    const at = Date.parse(timestamp);
    return at >= from && at < until && status !== 200;
  });
  expect(failed.length).toBeGreaterThan(15);
  expect((await stat(playground.keyFile)).mode & 0o777).toBe(0o600);
  expect(playground.told).toEqual([]);

  // A watch is set, and a question was answered in its thread.
  const { you, places, messages } = await sceneOf(playground.url);
  const [, question] = messages.filter(({ isOnlyVisibleToYou }) => !isOnlyVisibleToYou);
  expect(messages[0]?.text).toContain("watches webhook logs, more than 50% failed, within a minute of *demo* here.");
  const replies = messages.filter(({ threadTs }) => threadTs === question?.ts);
  expect(replies.map(({ from }) => from)).toEqual(["ann", "bot"]);
  const line = "/media logs webhooks failed since:1h";
  await actOn(playground.url)({ person: you, do: "command", place: places[0]?.id, line });
  await expect.poll(async () => JSON.stringify((await sceneOf(playground.url)).messages)).toContain("/events");

  // A client soon connects and disconnects, which triggers webhooks.
  const isNew = async (path: (typeof listings)[number]): Promise<boolean> =>
    Date.parse((await list(playground, path))[0]?.timestamp ?? "") >= began;
  for (const path of ["/orgs/list-webhook-logs", "/orgs/list-connection-logs"] as const) {
    await expect.poll(() => isNew(path), { timeout: BUSY_MS }).toBe(true);
  }
  // The client with an expired token tries on.
  const isRefused = async (): Promise<boolean> =>
    (await list(playground, "/orgs/list-event-logs")).some(
      ({ timestamp, reason, client_id }) =>
        reason === "expired" && client_id === "tv-61" && Date.parse(timestamp) >= began,
    );
  await expect.poll(isRefused, { timeout: BUSY_MS }).toBe(true);
  for (const fresh of [false, true]) {
    const second = startTest({ folder: playground.folder, fresh });
    await expect(second).rejects.toThrow(`It is at ${playground.url}`);
  }
});

it("the next start keeps the project, logs and conversations, and a fresh one starts over", {
  timeout: BUSY_MS,
}, async () => {
  const folder = await temporaryFolder();
  const first = await startTest({ folder });
  const key = await keyOf(first);
  const [oldest] = (await list(first, "/orgs/list-session-logs")).slice(-1);
  const { you, places } = await sceneOf(first.url);
  await actOn(first.url)({ person: you, do: "say", place: places[0]?.id, text: "Has anybody seen the webhooks?" });
  await first.stop();
  expect(first.told).toEqual([]);

  const second = await startTest({ folder });
  expect(second.told).toEqual([]);
  expect(await keyOf(second)).toBe(key);
  expect((await list(second, "/orgs/list-session-logs")).at(-1)).toEqual(oldest);
  const scene = await sceneOf(second.url);
  expect(scene.you).toBe(you);
  const said = scene.messages.map(({ text }) => text);
  expect(said).toContain("Has anybody seen the webhooks?");
  expect(said.filter((text) => text.startsWith("Do all of our webhooks arrive?"))).toHaveLength(1);
  await second.stop();

  await writeFile(join(folder, "notes.txt"), "mine");
  const third = await startTest({ folder, fresh: true });
  expect(await keyOf(third)).not.toBe(key);
  expect(await readFile(join(folder, "notes.txt"), "utf8")).toBe("mine");
  const again = (await sceneOf(third.url)).messages.map(({ text }) => text);
  expect(again).not.toContain("Has anybody seen the webhooks?");
});

it("stopping waits for no open page, gives nothing up, and leaves nothing running", {
  timeout: BUSY_MS,
}, async () => {
  const folder = await temporaryFolder();
  const before = servers();
  const playground = await startTest({ folder });
  const stream = await fetch(`${playground.url}/api/window`);
  expect(stream.status).toBe(200);
  await playground.stop();
  expect(playground.told).toEqual([]);
  await stream.body?.cancel().catch(() => {});
  for (const url of [
    playground.url,
    playground.serviceUrl,
    playground.internalUrl,
    playground.botUrl,
    playground.mediaApiUrl,
  ]) {
    await expect(fetch(String(url))).rejects.toThrow();
  }
  await expect.poll(servers).toEqual(before);
  expect((await readdir(folder)).filter((name) => /lock|new|wal/.test(name))).toEqual([]);
});

it("with a token of the real Slack, the bot connects to its workspace, and there is no page", {
  timeout: BUSY_MS,
}, async () => {
  const slack = await startFakeSlack((await readAppInfo()).slack);
  onTestFinished(() => slack.stop());
  const team = slack.addWorkspace({ name: "elsewhere" });
  const ann = team.addUser({ name: "ann" });
  const general = team.addChannel({ name: "general", members: [ann] });
  const playground = await startTest({
    folder: await temporaryFolder(),
    env: {
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: team.botToken,
      SLACK_SIGNING_SECRET: slack.app.signingSecret,
      BOT_LOG_LEVEL: "silent",
      MEDIA_LOG_LEVEL: "silent",
    },
  });
  expect(playground).toMatchObject({ url: undefined, realSlack: "token" });
  slack.app.requestUrl = `${playground.botUrl}/slack/events`;
  await ann.command("/media status", { in: general });
  const answer = await slack.until(() => ann.sees(general).find((message) => textOf(message).includes("demo")));
  expect(textOf(answer)).toContain("demo");
});

/** Returns the active servers. The hard tests check that nothing else keeps the process alive. */
function servers(): string[] {
  return process.getActiveResourcesInfo().filter((name) => /Server/.test(name));
}
