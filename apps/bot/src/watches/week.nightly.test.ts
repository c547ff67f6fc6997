import { type SeenMessage, textOf } from "@media-ops/fake-slack";
import { expect, it, onTestFinished } from "vitest";
import { failure } from "../test/entries.js";
import { startStage } from "../test/stage.js";
import { failedWebhook, notesOn, postedIn, STEPWISE, setClock, startWatch } from "../test/watching.js";

const MONDAY = "2026-07-27T00:00:00Z";
const HOUR = 60;
const DAY = 24 * HOUR;

/** Something that happens at a minute of the week. */
type Plan = readonly { readonly at: number; readonly what: "hook failed" | "hook sent" | "ice timeout" }[];

/** The same thing once a minute. */
const each = (what: Plan[number]["what"], from: number, minutes: number, times = 1): Plan =>
  Array.from({ length: minutes * times }, (_, index) => ({ at: from + Math.floor(index / times), what }));

const plan: Plan = [
  // Monday 9:00: webhooks fail for 12 minutes.
  ...each("hook failed", 9 * HOUR, 12),
  // Tuesday 3:00, in the quiet hours of the second watch: 5 minutes.
  ...each("hook failed", DAY + 3 * HOUR, 5),
  // Wednesday 14:00: it flaps, 2 minutes in every 8, for most of an hour.
  ...[0, 8, 16, 24, 32].flatMap((after) => each("hook failed", 2 * DAY + 14 * HOUR + after, 2)),
  // Thursday 10:00: single timeouts, fewer than the limit of the third watch.
  ...each("ice timeout", 3 * DAY + 10 * HOUR, 30),
  // Thursday 20:00: an outage of 6 minutes, 30 a minute.
  ...each("ice timeout", 3 * DAY + 20 * HOUR, 6, 30),
  // Friday 6:55: fails until after the quiet hours, for 10 minutes.
  ...each("hook failed", 4 * DAY + 6 * HOUR + 55, 10),
  // Saturday 12:00: one webhook of many fails.
  ...each("hook sent", 5 * DAY + 12 * HOUR, 10, 5),
  { at: 5 * DAY + 12 * HOUR + 4, what: "hook failed" },
];

it("a week of incidents gives exactly the expected messages, edits and notes, also if bots take turns", async () => {
  const clock = setClock(MONDAY);
  const stage = await startStage({
    now: clock.now,
    slackNow: Date.now,
    onDisk: true,
    watchPace: STEPWISE,
  });
  const { slack, team, bob, general, random, service } = stage;
  const nights = team.addChannel({ name: "nights", members: [stage.ann, bob], withBot: true });
  team.inviteBot(general);
  team.inviteBot(random);
  await startWatch(stage, "watch webhooks failed", general);
  await startWatch(stage, "watch webhooks failed quiet:22:00-07:00", nights);
  await startWatch(stage, "watch events reason:ice-timeout when:count>20", random);

  let bot = stage.bot;
  let restarts = 0;
  onTestFinished(() => bot.stop());
  const happen = async (what: Plan[number]["what"]): Promise<void> => {
    const now = clock.now();
    if (what === "ice timeout") {
      return service.add("events", failure({ timestamp: new Date(now).toISOString(), client_id: `c${Math.random()}` }));
    }
    await service.add("webhooks", failedWebhook(now, { status: what === "hook sent" ? 200 : 503 }));
  };
  const minutes = new Set(plan.flatMap(({ at }) => Array.from({ length: 25 }, (_, after) => at + after)));
  let at = 0;
  for (const minute of [...minutes].sort((a, b) => a - b)) {
    clock.pass(minute - at);
    at = minute;
    for (const { what } of plan.filter((one) => one.at === minute)) await happen(what);
    // Every so often another process goes on, in the middle of whatever happens.
    if (minute % 17 === 0) {
      await bot.stop();
      bot = await stage.startAnother();
      restarts += 1;
    }
    await bot.watched();
  }
  clock.pass(7 * DAY - at);
  await bot.watched();
  expect(restarts).toBeGreaterThan(5);

  const edits = (message: SeenMessage): number =>
    slack.transcript.filter(({ name, detail }) => {
      const { args } = detail as { args?: { ts?: string } };
      return name === "chat.update" && args?.ts === message.ts;
    }).length;
  const story = (place: typeof general) =>
    postedIn(bob, place)
      .slice(1)
      .map((message) => {
        const [, ended = ""] = /\n((?:Recovered|Came)[^,]*, \d+ \w+)/.exec(textOf(message)) ?? [];
        return { ended, edits: edits(message), notes: notesOn(bob, place, message) };
      });
  // An edit for each further minute in which something failed, and one for the end.
  expect(story(general)).toEqual([
    {
      ended: "Recovered after 11 min, 12 failures",
      edits: 12,
      notes: ["10 webhooks failed so far, up from 1.", "Recovered after 11 min, 12 failures."],
    },
    { ended: "Recovered after 4 min, 5 failures", edits: 5, notes: ["Recovered after 4 min, 5 failures."] },
    {
      ended: "Recovered after 33 min, 10 failures",
      edits: 14,
      notes: [
        "Recovered after 1 min, 2 failures.",
        "Webhooks fail again: it came back once.",
        "Recovered after 33 min, 10 failures.",
      ],
    },
    {
      ended: "Recovered after 9 min, 10 failures",
      edits: 10,
      notes: ["10 webhooks failed so far, up from 1.", "Recovered after 9 min, 10 failures."],
    },
    {
      ended: "Recovered after less than a minute, 1 failure",
      edits: 1,
      notes: ["Recovered after less than a minute, 1 failure."],
    },
  ]);
  // Without Tuesday night, and on Friday from seven o'clock on.
  expect(story(nights).map(({ ended, edits }) => ({ ended, edits }))).toEqual([
    { ended: "Recovered after 11 min, 12 failures", edits: 12 },
    { ended: "Recovered after 33 min, 10 failures", edits: 14 },
    { ended: "Recovered after 9 min, 10 failures", edits: 5 },
    { ended: "Recovered after less than a minute, 1 failure", edits: 1 },
  ]);
  // Only the outage is above the limit.
  expect(story(random)).toEqual([
    {
      ended: "Recovered after 5 min, 180 failures",
      edits: 6,
      notes: ["Recovered after 5 min, 180 failures."],
    },
  ]);
}, 300_000);
