import { setTimeout as wait } from "node:timers/promises";
import { textOf } from "@media-ops/fake-slack";
import { expect, it } from "vitest";
import { runBot, slackForBot } from "../test/bot-process.js";
import { startRunningService } from "../test/services.js";
import { botDatabaseUrl, openTestStorage, temporaryFolder } from "../test/storage.js";
import { failedWebhook, postedIn, watchFrom } from "../test/watching.js";
import { WatchStore } from "./watch-store.js";

const WATCHES = 8;
const KILLS = 5;

it("with bots that are killed at random, no incident is missed and none is posted twice", async () => {
  const folder = await temporaryFolder();
  const databaseUrl = await botDatabaseUrl({ onDisk: true, atEnd: () => {} });
  const service = await startRunningService(folder, { onDisk: true, atEnd: () => {} });
  const { slack, ann, team, env } = await slackForBot(service.url);
  const settings = { ...env, MEDIA_API_KEY: service.apiKey, BOT_DATABASE_URL: databaseUrl };
  // Long enough that a bot often dies between the message and Slack's answer.
  for (const method of ["chat.postMessage", "chat.update"]) slack.delay(method, 300, { times: 10_000 });

  const places = Array.from({ length: WATCHES }, (_, at) =>
    team.addChannel({ name: `watch-${at}`, members: [ann], withBot: true }),
  );
  const store = new WatchStore(await openTestStorage(databaseUrl), Date.now);
  const served = { teamId: team.id, isOrgWide: false };
  await store.add(
    served,
    places.map((place, at) => watchFrom(`webhooks url:https://hooks.example/${at} over:10s`, place, ann)),
  );

  const bots = [await runBot(settings), await runBot(settings)];
  const planted = new Map<number, number>();
  const plant = async (at: number): Promise<void> => {
    planted.set(at, (planted.get(at) ?? 0) + 1);
    await service.add("webhooks", failedWebhook(Date.now(), { url: `https://hooks.example/${at}` }));
  };
  // Each watch has one incident, of entries that are a second apart, and begins at a time of its own.
  const planting = places.map(async (_, at) => {
    await wait(at * 5000);
    for (let entries = 0; entries < 20; entries++) {
      await plant(at);
      await wait(1000);
    }
  });
  const kill = async (at: number): Promise<void> => {
    bots[at]?.child.kill("SIGKILL");
    await bots[at]?.ended;
    bots[at] = await runBot(settings);
  };
  const posted = (): number => places.flatMap((place) => postedIn(ann, place)).length;
  for (let kills = 0; kills < KILLS; kills++) {
    if (kills % 2 === 0) {
      await wait(Math.random() * 8000);
      await kill(kills % 4 === 0 ? 0 : 1);
      continue;
    }
    // Between a message and Slack's answer: neither of them knows that it is there.
    const before = posted();
    await slack.until(() => posted() > before, { timeoutMs: 60_000 });
    await Promise.all([kill(0), kill(1)]);
  }
  await Promise.all(planting);

  const story = () => places.map((place) => postedIn(ann, place).map(textOf));
  await slack.until(() => story().every((messages) => messages.some((text) => text.includes("Recovered"))), {
    timeoutMs: 60_000,
  });
  for (const [at, messages] of story().entries()) {
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain(`${planted.get(at)} failures`);
  }
}, 300_000);
