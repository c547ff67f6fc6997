import { WebClient } from "@slack/web-api";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { always, startBadService } from "../test/bad-service.js";
import { createPeople } from "./people.js";

const quiet = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => "error" as never,
  setName() {},
};

function peopleOf(apiUrl: string) {
  const lines: string[] = [];
  const people = createPeople(pino({}, { write: (line: string) => void lines.push(line) }));
  const slack = new WebClient("xoxb-1", { slackApiUrl: `${apiUrl}/`, logger: quiet, retryConfig: { retries: 0 } });
  return { people, slack, logged: () => lines.join("") };
}

const user = (tz: unknown) => ({ ok: true, user: { id: "U1", tz, is_admin: true } });

describe("who somebody is", () => {
  it("is what Slack says", async () => {
    const { people, slack } = peopleOf(await startBadService(always(200, user("Asia/Kolkata"))));
    expect(await people.of(slack, "T1", "U1")).toEqual({ timeZone: "Asia/Kolkata", isAdmin: true });
  });

  it.each(["Mars/Olympus", "", null])("is told in UTC where their time zone is none: %j", async (tz) => {
    const { people, slack } = peopleOf(await startBadService(always(200, user(tz))));
    expect(await people.of(slack, "T1", "U1")).toEqual({ timeZone: "UTC", isAdmin: true });
  });

  it("is not waited for longer than whoever asked can wait, and is there for those who ask later", async () => {
    let answer: (() => void) | undefined;
    const url = await startBadService((_request, response) => {
      answer = () => always(200, user("Asia/Kolkata"))(_request, response);
    });
    const { people, slack, logged } = peopleOf(url);
    expect(await people.of(slack, "T1", "U1", 50)).toEqual({ timeZone: "UTC", isAdmin: false, isUnknown: true });
    expect(logged()).toContain("Slack did not answer within 50 ms");
    const later = people.of(slack, "T1", "U1");
    await expect.poll(() => answer).toBeDefined();
    answer?.();
    expect(await later).toEqual({ timeZone: "Asia/Kolkata", isAdmin: true });
  });
});
