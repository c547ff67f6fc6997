import { WebClient } from "@slack/web-api";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { always, startBadService } from "../test/bad-service.js";
import { createPeople, timeZoneOf } from "./people.js";

const quiet = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => "error" as never,
  setName() {},
};

function peopleOf(apiUrl: string, patienceMs?: number) {
  const log = pino({ level: "silent" });
  const people = createPeople({ log, ...(patienceMs !== undefined && { patienceMs }) });
  const slack = new WebClient("xoxb-1", { slackApiUrl: `${apiUrl}/`, logger: quiet, retryConfig: { retries: 0 } });
  return { people, slack };
}

const user = { id: "U1", team_id: "T1", tz: "Asia/Kolkata" };

/** A Slack that gives one answer after another, the last one for good, and counts the questions. */
async function slackThatSays(...answers: object[]) {
  let asked = 0;
  const url = await startBadService((request, response) => {
    const answer = answers[Math.min(asked, answers.length - 1)] ?? {};
    asked += 1;
    always(200, answer)(request, response);
  });
  return { ...peopleOf(url), asked: () => asked };
}

describe("who somebody is", () => {
  it("is asked once by all who want to know at the same time, and soon after", async () => {
    const { people, slack, asked } = await slackThatSays({ ok: true, user });
    const found = await Promise.all([people.of(slack, "T1", "U1"), people.of(slack, "T1", "U1")]);
    expect(found).toEqual([user, user]);
    expect(await people.of(slack, "T1", "U1")).toEqual(user);
    expect(asked()).toBe(1);
  });

  it.each([
    ["an error", { ok: false, error: "internal_error" }],
    ["nobody", { ok: true }],
    ["nobody's workspace", { ok: true, user: { id: "U1" } }],
  ])("is not known if Slack answers with %s, and is asked again", async (_, answer) => {
    const { people, slack } = await slackThatSays(answer, { ok: true, user });
    await expect(people.of(slack, "T1", "U1")).rejects.toThrow();
    expect(await people.of(slack, "T1", "U1")).toEqual(user);
  });

  it.each(["user_not_found", "user_not_visible"])(
    "is nobody of the workspace if Slack says %s, which is asked again",
    async (error) => {
      const { people, slack } = await slackThatSays({ ok: false, error }, { ok: true, user });
      expect(await people.of(slack, "T1", "U1")).toBeUndefined();
      expect(await people.of(slack, "T1", "U1")).toEqual(user);
    },
  );

  it("is not waited for without end, and is there for those who ask later", async () => {
    let answer: (() => void) | undefined;
    const url = await startBadService((request, response) => {
      answer = () => always(200, { ok: true, user })(request, response);
    });
    const { people, slack } = peopleOf(url, 50);
    await expect(people.of(slack, "T1", "U1")).rejects.toThrow("Slack did not answer within 50 ms");
    await expect.poll(() => answer).toBeDefined();
    answer?.();
    await expect.poll(() => people.of(slack, "T1", "U1").catch(() => undefined)).toEqual(user);
  });
});

it.each([
  ["Asia/Kolkata", "Asia/Kolkata"],
  ["Mars/Olympus", "UTC"],
  ["", "UTC"],
  [undefined, "UTC"],
])("somebody's time zone is UTC if Slack's is none: %j", (tz, zone) => {
  expect(timeZoneOf(tz === undefined ? {} : { tz })).toBe(zone);
});
