import { startFakeSlack } from "@media-ops/fake-slack";
import { WebClient } from "@slack/web-api";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { watchFrom } from "../test/watching.js";
import { Reporter, type ReporterOptions } from "./reporter.js";
import type { StoredIncident } from "./run-store.js";
import { silenceIncident } from "./silence.js";
import type { Watch } from "./watch-store.js";

const BEGAN = 1_750_000_000_000;

/** A reporter that has one incident, of a watch that also posts outside Slack. */
async function startReporter(options: Partial<ReporterOptions>) {
  const slack = await startFakeSlack({ scopes: ["chat:write"] });
  onTestFinished(() => slack.stop());
  const team = slack.addWorkspace({ name: "acme" });
  const ann = team.addUser({ name: "ann" });
  const place = team.addChannel({ name: "general", members: [ann] });
  team.inviteBot(place);
  const watch: Watch = {
    ...watchFrom("webhooks failed", place, ann),
    id: "w1",
    teamId: team.id,
    createdAt: BEGAN,
    mutedUntil: undefined,
    paused: undefined,
    target: "sealed",
    lookedAt: undefined,
  };
  const found = silenceIncident({ projectId: "demo", since: BEGAN }, watch.id, place.id);
  const reporter = new Reporter(
    {
      slack: new WebClient(team.botToken, { slackApiUrl: slack.apiUrl }),
      log: pino({ level: "silent" }),
      channelMs: 0,
      now: () => BEGAN + 1000,
      watch: () => watch,
      isCurrent: () => false,
      isDropped: () => false,
      save: async () => {},
      onPlaceGone: async () => {},
      sendOutside: async () => true,
      saveSent: async () => {},
      ...options,
    },
    [found],
  );
  return { reporter, found };
}

it("an incident that ends while its beginning is sent outside Slack is sent as it was, then as it is", async () => {
  const sent: (number | undefined)[] = [];
  const stored: (string | undefined)[] = [];
  const { reporter, found } = await startReporter({
    async sendOutside(one) {
      if (sent.length === 0) reporter.change(found, { incident: { ...found.incident, ended: BEGAN + 500 } });
      sent.push(one.incident.ended);
      return true;
    },
    async saveSent(one) {
      stored.push(one.sent);
    },
  });
  while (!reporter.isIdle) {
    reporter.tick();
    await reporter.settled();
  }
  expect(sent).toEqual([undefined, BEGAN + 500]);
  expect(stored).toEqual(["1:began", "1:ended"]);
});

it("an incident that is closed while its message is posted stays closed", async () => {
  const saved: StoredIncident[] = [];
  const { reporter, found } = await startReporter({
    async save(one) {
      saved.push(one);
      if (saved.length === 1) await reporter.close(found);
    },
  });
  reporter.tick();
  await reporter.settled();
  expect(saved.at(-1)).toMatchObject({ isOpen: false, messageTs: expect.any(String) });
  expect(reporter.all).toEqual([]);
});
