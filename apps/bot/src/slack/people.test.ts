import { WebClient } from "@slack/web-api";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { always, startBadService } from "../test/services.js";
import { slackLogger } from "./client.js";
import {
  type Affiliation,
  affiliationOf,
  isAdminOf,
  isFromElsewhere,
  People,
  type Served,
  type SlackUser,
  timeZoneOf,
} from "./people.js";

function peopleOf(apiUrl: string, patienceMs?: number) {
  const log = pino({ level: "silent" });
  const people = new People(log, patienceMs);
  const slack = new WebClient("xoxb-1", {
    slackApiUrl: `${apiUrl}/`,
    logger: slackLogger(log),
    retryConfig: { retries: 0 },
  });
  return { people, slack };
}

const user = { id: "U1", team_id: "T1", tz: "Asia/Kolkata" };

/** A Slack that sends these answers in turn, repeats the last one, and counts the requests. */
async function slackThatSays(...answers: object[]) {
  let asked = 0;
  const url = await startBadService((request, response) => {
    const answer = answers[Math.min(asked, answers.length - 1)] ?? {};
    asked += 1;
    always(200, answer)(request, response);
  });
  return { ...peopleOf(url), asked: () => asked };
}

describe("a person's details", () => {
  it("are requested once by all concurrent callers, and then cached", async () => {
    const { people, slack, asked } = await slackThatSays({ ok: true, user });
    const found = await Promise.all([people.of(slack, "T1", "U1"), people.of(slack, "T1", "U1")]);
    expect(found).toEqual([user, user]);
    expect(await people.of(slack, "T1", "U1")).toEqual(user);
    expect(asked()).toBe(1);
  });

  it.each([
    ["an error", { ok: false, error: "internal_error" }],
    ["no person", { ok: true }],
    ["a person without a workspace", { ok: true, user: { id: "U1" } }],
  ])("are unknown if Slack answers with %s, and are requested again", async (_, answer) => {
    const { people, slack } = await slackThatSays(answer, { ok: true, user });
    await expect(people.of(slack, "T1", "U1")).rejects.toThrow();
    expect(await people.of(slack, "T1", "U1")).toEqual(user);
  });

  it.each(["user_not_found", "user_not_visible"])(
    "are undefined if Slack says %s, and are requested again",
    async (error) => {
      const { people, slack } = await slackThatSays({ ok: false, error }, { ok: true, user });
      expect(await people.of(slack, "T1", "U1")).toBeUndefined();
      expect(await people.of(slack, "T1", "U1")).toEqual(user);
    },
  );

  it("time out if Slack is slow, and are cached for later callers", async () => {
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
])("the time zone is UTC if Slack's is invalid: %j", (tz, zone) => {
  expect(timeZoneOf(tz === undefined ? {} : { tz })).toBe(zone);
});

const plain: Served = { teamId: "T1", isOrgWide: false };
const inOrganization: Served = { teamId: "T1", enterpriseId: "E1", isOrgWide: false };
const orgWide: Served = { teamId: "T1", enterpriseId: "E1", isOrgWide: true };
const orgWideOf9: Served = { ...orgWide, teamId: "T9" };
const noWorkspace: Served = { teamId: "E1", enterpriseId: "E1", isOrgWide: true };

const userWith = (more: SlackUser = {}): SlackUser => ({ id: "U1", team_id: "T1", ...more });
const inGrid = (team_id: string, teams: string[], enterprise_id = "E1", more: SlackUser = {}): SlackUser =>
  userWith({ team_id, enterprise_user: { id: "U1", enterprise_id, teams }, ...more });

type Row = [string, Served, SlackUser, claimed: string | undefined, Affiliation];

const rows: Row[] = [
  ["a member of the workspace", plain, userWith(), "T1", "member"],
  ["a member whose workspace the request does not name", plain, userWith(), undefined, "member"],
  ["a guest of several channels", plain, userWith({ is_restricted: true }), "T1", "guest"],
  ["a guest of one channel", plain, userWith({ is_restricted: true, is_ultra_restricted: true }), "T1", "guest"],
  ["a guest of one channel, not marked as restricted", plain, userWith({ is_ultra_restricted: true }), "T1", "guest"],
  ["a person whose account is deactivated", plain, userWith({ deleted: true }), "T1", "deactivated"],
  ["a bot", plain, userWith({ is_bot: true }), "T1", "bot"],
  ["a workflow", plain, userWith({ is_workflow_bot: true }), "T1", "bot"],
  ["a connector", plain, userWith({ is_connector_bot: true }), "T1", "bot"],
  ["Slackbot", plain, userWith({ id: "USLACKBOT" }), "T1", "bot"],
  ["a stranger", plain, userWith({ is_stranger: true }), "T1", "outsider"],
  ["an outsider in a shared channel, not marked as a stranger", plain, userWith({ team_id: "T9" }), "T9", "outsider"],
  ["an outsider whose request names the served workspace", plain, userWith({ team_id: "T9" }), "T1", "outsider"],
  ["a member whose request names another workspace", plain, userWith(), "T9", "outsider"],
  ["a person without a workspace", plain, { id: "U1" }, "T1", "outsider"],
  ["a person of an organization who claims ours", plain, inGrid("T9", ["T9", "T1"], "E9"), "T1", "outsider"],

  ["a member in an organization", inOrganization, inGrid("T1", ["T1"]), "T1", "member"],
  ["a member who belongs to another workspace, too", inOrganization, inGrid("T2", ["T2", "T1"]), "T1", "member"],
  ["a member, by the organization's id", inOrganization, inGrid("T1", ["T1"]), "E1", "member"],
  ["a guest in an organization", inOrganization, inGrid("T1", ["T1"], "E1", { is_restricted: true }), "T1", "guest"],
  ["a person of another of its workspaces", inOrganization, inGrid("T2", ["T2"]), "T2", "outsider"],
  ["a person of another who claims ours", inOrganization, inGrid("T2", ["T2"]), "T1", "outsider"],
  ["a person of another company", inOrganization, userWith({ team_id: "T9" }), "T9", "outsider"],
  ["a person of another organization", inOrganization, inGrid("T9", ["T9"], "E9"), "T9", "outsider"],
  ["another organization's member who claims ours", inOrganization, inGrid("T9", ["T9", "T1"], "E9"), "T1", "outsider"],

  ["a member if it is installed for all", orgWide, inGrid("T1", ["T1"]), "T1", "member"],
  ["a member of two workspaces, from the other", orgWide, inGrid("T2", ["T1", "T2"]), "T2", "member"],
  ["a person of another workspace than the served one", orgWide, inGrid("T2", ["T2"]), "T2", "outsider"],
  ["a person whose organization Slack does not name", orgWide, userWith(), "T1", "outsider"],
  [
    "a person of another organization, if it is installed for all",
    orgWide,
    inGrid("T9", ["T9"], "E9"),
    "T9",
    "outsider",
  ],
  ["another organization's person in the served workspace", orgWideOf9, inGrid("T9", ["T9"], "E9"), "T9", "outsider"],
  ["a company's person in the served workspace", orgWideOf9, userWith({ team_id: "T9" }), "T9", "outsider"],
  ["a member, for a request of the organization itself", noWorkspace, inGrid("T2", ["T2"]), "T2", "member"],
  ["an outsider, for a request of the organization itself", noWorkspace, inGrid("T9", ["T9"], "E9"), "T9", "outsider"],
  ["any person, without an organization's id", { teamId: "T1", isOrgWide: true }, userWith(), "T1", "outsider"],
];

it.each(rows)("a person's affiliation %s", (_, served, someone, claimed, affiliation) => {
  expect(affiliationOf(someone, served, claimed)).toBe(affiliation);
});

it.each<[Served, string | undefined, boolean]>([
  [plain, "T1", false],
  [plain, "T9", true],
  [plain, undefined, false],
  [inOrganization, "T2", false],
  [orgWide, "T9", false],
])("a request to %o from a person of %s comes from elsewhere: %s", (served, claimed, isElsewhere) => {
  expect(isFromElsewhere(served, claimed)).toBe(isElsewhere);
});

it.each<[string, Served, SlackUser, boolean]>([
  ["an admin", plain, userWith({ is_admin: true }), true],
  ["an owner", plain, userWith({ is_owner: true }), true],
  ["a member", plain, userWith(), false],
  [
    "an admin of another workspace of the organization",
    orgWide,
    inGrid("T2", ["T1", "T2"], "E1", { is_admin: true }),
    false,
  ],
  [
    "an admin of the organization",
    orgWide,
    userWith({ team_id: "T2", enterprise_user: { enterprise_id: "E1", is_admin: true } }),
    true,
  ],
  [
    "an admin of another organization",
    inOrganization,
    userWith({ team_id: "T9", enterprise_user: { enterprise_id: "E9", is_owner: true } }),
    false,
  ],
])("%s administers the served workspace, or not", (_, served, someone, isAdmin) => {
  expect(isAdminOf(someone, served)).toBe(isAdmin);
});
