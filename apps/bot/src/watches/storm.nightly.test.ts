import { textOf } from "@media-ops/fake-slack";
import { expect, it } from "vitest";
import { startStage } from "../test/stage.js";
import { failedWebhook, postedIn, watchFrom } from "../test/watching.js";
import { USUAL_PACE } from "./run.js";
import { WatchStore } from "./watch-store.js";

const WATCHES = 50;
const CHANNELS = 10;
// Slack's own clocks and the network make a second a little shorter or longer.
const SECOND_MS = 950;

it("of 50 watches that fire at once, each is posted once and ends right, with one call a second per channel", async () => {
  const stage = await startStage({ onDisk: true, watchPace: { ...USUAL_PACE, waitSeconds: 1 } });
  const { slack, team, ann, service } = stage;
  slack.enforceLimits();
  const places = Array.from({ length: CHANNELS }, (_, at) =>
    team.addChannel({ name: `storm-${at}`, members: [ann], withBot: true }),
  );
  const store = new WatchStore(await stage.openStorage(), Date.now);
  const watches = Array.from({ length: WATCHES }, (_, at) => {
    const place = places[at % CHANNELS];
    if (!place) throw new Error("There is no such channel.");
    return watchFrom(`webhooks url:https://hooks.example/${at}/ over:10s`, place, ann);
  });
  await store.add({ teamId: team.id, isOrgWide: false }, watches);
  await stage.watched();

  // Slack asks to wait in the middle of it.
  setTimeout(() => slack.limit("chat.postMessage", { times: 1, retryAfter: 3 }), 2000);
  setTimeout(() => slack.limit("chat.update", { times: 1, retryAfter: 3 }), 14_000);
  const failures = Array.from({ length: WATCHES * 3 }, (_, at) =>
    failedWebhook(Date.now(), { url: `https://hooks.example/${at % WATCHES}/` }),
  );
  await service.add("webhooks", ...failures);
  const story = () => places.flatMap((place) => postedIn(ann, place).map(textOf));
  await slack.until(() => story().filter((text) => text.includes("Recovered")).length === WATCHES, {
    timeoutMs: 120_000,
  });
  expect(story()).toHaveLength(WATCHES);
  for (const text of story()) expect(text).toContain("3 failures");

  const calls = slack.transcript.filter(({ what, name }) => what === "call" && /^chat\.(post|update)/.test(name));
  for (const place of places) {
    const times = calls.flatMap(({ at, detail }) => {
      const { args } = detail as { args: { channel?: string } };
      return args.channel === place.id ? [at] : [];
    });
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(SECOND_MS);
  }
  // Only what Slack was made to refuse.
  expect(calls.filter(({ detail }) => (detail as { status?: number }).status === 429)).toHaveLength(2);
}, 180_000);
