import { describe, expect, it } from "vitest";
import {
  type Affiliation,
  affiliationOf,
  isAdminOf,
  isFromElsewhere,
  type Served,
  type SlackUser,
} from "./affiliation.js";

const plain: Served = { teamId: "T1", isOrgWide: false };
const inOrganization: Served = { teamId: "T1", enterpriseId: "E1", isOrgWide: false };
const orgWide: Served = { teamId: "T1", enterpriseId: "E1", isOrgWide: true };
const noWorkspace: Served = { teamId: "E1", enterpriseId: "E1", isOrgWide: true };

const user = (more: SlackUser = {}): SlackUser => ({ id: "U1", team_id: "T1", ...more });
const inGrid = (team_id: string, teams: string[], enterprise_id = "E1", more: SlackUser = {}): SlackUser =>
  user({ team_id, enterprise_user: { id: "U1", enterprise_id, teams }, ...more });

type Row = [string, Served, SlackUser, claimed: string | undefined, Affiliation];

const rows: Row[] = [
  ["somebody of a workspace", plain, user(), "T1", "member"],
  ["somebody of whom the request says no workspace", plain, user(), undefined, "member"],
  ["a guest of several channels", plain, user({ is_restricted: true }), "T1", "guest"],
  ["a guest of one channel", plain, user({ is_restricted: true, is_ultra_restricted: true }), "T1", "guest"],
  ["a guest of one channel who is marked as nothing else", plain, user({ is_ultra_restricted: true }), "T1", "guest"],
  ["somebody whose account is deactivated", plain, user({ deleted: true }), "T1", "deactivated"],
  ["a bot", plain, user({ is_bot: true }), "T1", "bot"],
  ["a workflow", plain, user({ is_workflow_bot: true }), "T1", "bot"],
  ["a connector", plain, user({ is_connector_bot: true }), "T1", "bot"],
  ["Slackbot", plain, user({ id: "USLACKBOT" }), "T1", "bot"],
  ["a stranger", plain, user({ is_stranger: true }), "T1", "outsider"],
  ["somebody in a shared channel, no stranger to the bot", plain, user({ team_id: "T9" }), "T9", "outsider"],
  ["the same, though the request says ours", plain, user({ team_id: "T9" }), "T1", "outsider"],
  ["one of ours, though the request says theirs", plain, user(), "T9", "outsider"],
  ["somebody without a workspace", plain, { id: "U1" }, "T1", "outsider"],
  ["somebody of an organization who claims ours", plain, inGrid("T9", ["T9", "T1"], "E9"), "T1", "outsider"],

  ["a member in an organization", inOrganization, inGrid("T1", ["T1"]), "T1", "member"],
  ["a member who is of another workspace, too", inOrganization, inGrid("T2", ["T2", "T1"]), "T1", "member"],
  ["a member, by the organization's id", inOrganization, inGrid("T1", ["T1"]), "E1", "member"],
  ["a guest in an organization", inOrganization, inGrid("T1", ["T1"], "E1", { is_restricted: true }), "T1", "guest"],
  ["somebody of another of its workspaces", inOrganization, inGrid("T2", ["T2"]), "T2", "outsider"],
  ["the same, though the request says ours", inOrganization, inGrid("T2", ["T2"]), "T1", "outsider"],
  ["somebody of another company", inOrganization, user({ team_id: "T9" }), "T9", "outsider"],
  ["somebody of another organization", inOrganization, inGrid("T9", ["T9"], "E9"), "T9", "outsider"],
  ["the same, who claims our workspace", inOrganization, inGrid("T9", ["T9", "T1"], "E9"), "T1", "outsider"],

  ["a member where it is installed for all", orgWide, inGrid("T1", ["T1"]), "T1", "member"],
  ["a member of two workspaces, from the other", orgWide, inGrid("T2", ["T1", "T2"]), "T2", "member"],
  ["somebody of another workspace than the one that is asked of", orgWide, inGrid("T2", ["T2"]), "T2", "outsider"],
  ["somebody of the organization, of whom it is not said", orgWide, user(), "T1", "outsider"],
  [
    "somebody of another organization where it is installed for all",
    orgWide,
    inGrid("T9", ["T9"], "E9"),
    "T9",
    "outsider",
  ],
  [
    "the same, taken for the workspace that is served",
    { ...orgWide, teamId: "T9" },
    inGrid("T9", ["T9"], "E9"),
    "T9",
    "outsider",
  ],
  [
    "a company without an organization, taken for the same",
    { ...orgWide, teamId: "T9" },
    user({ team_id: "T9" }),
    "T9",
    "outsider",
  ],
  ["a member, asked of the organization itself", noWorkspace, inGrid("T2", ["T2"]), "T2", "member"],
  ["an outsider, asked of the organization itself", noWorkspace, inGrid("T9", ["T9"], "E9"), "T9", "outsider"],
  ["nobody knows what, without an organization's id", { teamId: "T1", isOrgWide: true }, user(), "T1", "outsider"],
];

describe("how somebody relates to whom the bot serves", () => {
  it.each(rows)("%s", (_, served, someone, claimed, affiliation) => {
    expect(affiliationOf(someone, served, claimed)).toBe(affiliation);
  });
});

it.each<[Served, string | undefined, boolean]>([
  [plain, "T1", false],
  [plain, "T9", true],
  [plain, undefined, false],
  [inOrganization, "T2", false],
  [orgWide, "T9", false],
])("a request to %o by somebody of %s is from elsewhere, without asking Slack: %s", (served, claimed, isElsewhere) => {
  expect(isFromElsewhere(served, claimed)).toBe(isElsewhere);
});

it.each<[string, Served, SlackUser, boolean]>([
  ["an admin", plain, user({ is_admin: true }), true],
  ["an owner", plain, user({ is_owner: true }), true],
  ["a member", plain, user(), false],
  [
    "an admin of another workspace of the organization",
    orgWide,
    inGrid("T2", ["T1", "T2"], "E1", { is_admin: true }),
    false,
  ],
  [
    "an admin of the organization",
    orgWide,
    user({ team_id: "T2", enterprise_user: { enterprise_id: "E1", is_admin: true } }),
    true,
  ],
  [
    "an admin of another organization",
    inOrganization,
    user({ team_id: "T9", enterprise_user: { enterprise_id: "E9", is_owner: true } }),
    false,
  ],
])("%s administers what is served, or not", (_, served, someone, isAdmin) => {
  expect(isAdminOf(someone, served)).toBe(isAdmin);
});
