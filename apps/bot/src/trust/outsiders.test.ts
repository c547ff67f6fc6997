import { type Person, textOf } from "@media-ops/fake-slack";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { describe, expect, it } from "vitest";
import { createInstallationStore } from "../slack/access.js";
import { SCOPES } from "../slack/client.js";
import { sendPayload, submission } from "../test/requests.js";
import { type Stage, type StageOptions, startStage, TOKEN } from "../test/stage.js";

const REFUSED = "Only members of the workspace that this bot serves can use it.";
/** The number of tokens created. */
async function minted(stage: Stage): Promise<number> {
  const { query } = await stage.openStorage();
  return (await query.selectFrom("minting").selectAll().execute()).length;
}

/** A submitted token window, from a person who never saw it. */
const tokenSubmission = (person: Person, team: object | null, more: object = {}) => ({
  ...submission,
  user: { id: person.id, team_id: person.teamId },
  team,
  view: { ...submission.view, id: `V${person.id}`, app_installed_team_id: undefined },
  ...more,
});

/**
 * Tries everything that a person can do, in a channel shared with the workspace; returns what the bot says in messages and
 * windows, and the app home. `unseen` is how many answers have no place but a direct message.
 */
async function everything(stage: Stage, person: Person, more: object) {
  const windows: string[] = [];
  /** On a busy machine, a window opens before the person is known, and then shows the refusal instead of a message. */
  const readWindow = async (): Promise<number> => {
    await stage.settled();
    if (!person.modal) return 0;
    windows.push(textOf(person.modal.blocks));
    await person.close();
    return 1;
  };
  const shared = stage.team.addChannel({ name: `with-${person.name}`, members: [stage.ann, person], withBot: true });
  const message = await stage.postButton(shared, "run:1", "token lobby");
  await person.command("/media token lobby", { in: shared });
  await person.command("/media logs webhooks", { in: shared });
  for (const command of ["trace lobby", "why", "live"]) await person.command(`/media ${command}`, { in: shared });
  await person.messageShortcut(message, "look_up");
  await readWindow();
  await person.press(message, "Press");
  const said = await person.says(`${stage.team.botMention} token lobby`, { in: shared });
  await person.shortcut("media_token");
  let unseen = 2 - (await readWindow());
  await person.shortcut("query_logs");
  unseen -= await readWindow();
  await person.openHome();
  const user = { id: person.id, team_id: homeOf(stage, person) };
  const submission = tokenSubmission(person, { id: stage.team.id }, { user, ...more });
  expect((await sendPayload(stage, submission)).status).toBe(200);
  await stage.settled();
  expect(person.modal).toBeUndefined();
  expect(stage.ann.sees(shared).map(({ ts }) => ts)).toEqual([message.ts, said.ts]);
  const seen = [...person.sees(shared), ...person.direct()].filter(({ ts }) => ts !== message.ts && ts !== said.ts);
  return { said: [...seen.map((one) => textOf(one)), ...windows], unseen, home: textOf(person.home ?? []) };
}

/** The workspace of a person according to Slack's requests. */
function homeOf({ slack }: Stage, person: Person): string {
  const payloads = slack.transcript.filter(({ what, users }) => what === "delivery" && users.includes(person.id));
  return /"team_id":"(\w+)"/.exec(JSON.stringify(payloads.map(({ detail }) => detail)))?.[1] ?? "";
}

/** A stage in which a person that the bot does not serve has tried everything. */
async function refusedAll(stage: Stage, person: Person, { words = REFUSED, isBot = false, more = {} } = {}) {
  const { said, unseen, home } = await everything(stage, person, more);
  expect(said).toEqual(Array.from({ length: isBot ? 10 - unseen : 11 }, () => words));
  expect(home).toBe(words);
  expect(said.join()).not.toMatch(TOKEN);
  expect(await minted(stage)).toBe(0);
}

const atEnd = closeAfterAll();
const staged = await startStage({ atEnd });
const grid = await startGrid({ atEnd });

describe("every request is refused from", () => {
  const guests =
    "Guests of this workspace can't use this bot unless its policy names them. Ask an admin of this workspace.";

  it.each<[who: string, options: object, refusal?: Parameters<typeof refusedAll>[2]]>([
    ["people whose account is deactivated", { isAdmin: true, isDeleted: true }],
    // Slack delivers no direct messages to bots, so they are answered only at a response URL, or in a window.
    ["bots", { isBot: true }, { isBot: true }],
    ["multi-channel guests", { guest: "multi-channel" }, { words: guests }],
    ["single-channel guests", { guest: "single-channel" }, { words: guests }],
  ])("%s", async (who, { isDeleted, ...options }: { isDeleted?: boolean }, refusal) => {
    const person = staged.team.addUser({ name: who.replace(/\W/g, ""), ...options });
    person.isDeleted = isDeleted ?? false;
    await refusedAll(staged, person, refusal);
  });

  it("people of another company in a shared channel", async () => {
    const home = staged.slack.addWorkspace({ name: "elsewhere", installed: false });
    await refusedAll(staged, staged.team.addUser({ name: "eve", home }));
  });
});

it.each([
  ["people of another company", () => ({})],
  ["people of another organization", (stage: Stage) => ({ organization: stage.slack.addOrganization({ name: "o" }) })],
  [
    "people of another of its workspaces, if only one has installed the bot",
    ({ organization }: Stage) => organization && { organization },
  ],
])("if the workspace belongs to an organization, every request is refused from %s", async (name, belongingIn) => {
  const home = grid.slack.addWorkspace({ name: "elsewhere", installed: false, ...belongingIn(grid) });
  await refusedAll(grid, grid.team.addUser({ name: name.replace(/\W/g, ""), home, isAdmin: true }));
});

it("serves members if the workspace belongs to an organization", async () => {
  const stage = await startGrid();
  expect(await stage.read(stage.bob, "/media token lobby")).toMatch(TOKEN);
  const elsewhere = stage.slack.addWorkspace({ name: "sales", installed: false, organization: stage.organization });
  const { person: both, place } = stage.newcomer("both", { workspaces: [stage.team, elsewhere] });
  expect(await stage.read(both, "/media token lobby", place)).toMatch(TOKEN);
});

it("refuses a window from an outsider that names a workspace itself", async () => {
  const stage = await startGrid();
  const home = stage.slack.addWorkspace({ name: "elsewhere", installed: false });
  const eve = stage.team.addUser({ name: "eve", home });
  const enterprise = { enterprise: { id: stage.organization.id } };
  for (const team_id of [stage.team.id, stage.organization.id, home.id, undefined]) {
    const submission = tokenSubmission(eve, { id: stage.team.id }, { ...enterprise, user: { id: eve.id, team_id } });
    expect((await sendPayload(stage, { ...submission, view: { ...submission.view, id: `V${team_id}` } })).status).toBe(
      200,
    );
  }
  await stage.settled();
  expect(eve.direct().map(textOf)).toEqual([REFUSED, REFUSED, REFUSED, REFUSED]);
  expect(await minted(stage)).toBe(0);
});

it("a bot that an organization has installed for all of its workspaces serves the people of each, with its own projects, and no one else", async () => {
  const stage = await startGrid({ isOrgWide: true });
  const { organization, slack, team, bob } = stage;
  expect(await stage.read(bob, "/media projects")).toContain("No project is connected yet.");
  await stage.connectDemo(stage.ann, stage.general);
  expect(await stage.read(bob, "/media projects")).toContain("demo");

  const sales = slack.addWorkspace({ name: "sales", organization });
  const sam = sales.addUser({ name: "sam" });
  const place = sales.addChannel({ name: "sales", members: [sam] });
  expect(await stage.read(sam, "/media projects", place)).toContain("No project is connected yet.");

  const words = "Only members of the organization that this bot serves can use it.";
  const home = slack.addWorkspace({ name: "elsewhere", installed: false });
  const eve = team.addUser({ name: "eve", home });
  const enterprise = { enterprise: { id: organization.id }, is_enterprise_install: true };
  await refusedAll(stage, eve, { words, more: enterprise });

  // Slack names no workspace for actions outside of all; Bolt then uses the person's.
  const submission = tokenSubmission(eve, null, { ...enterprise, user: { id: eve.id, team_id: home.id } });
  await sendPayload(stage, { ...submission, view: { ...submission.view, id: "V2" } });
  await stage.settled();
  expect(await minted(stage)).toBe(0);
});

describe("guests that the policy names", () => {
  const withPolicy = async (policy: (guestId: string) => object) => {
    const stage = await startStage();
    const { person: guest, place } = stage.newcomer("guest", { guest: "multi-channel" });
    await stage.replaceBot(policy(guest.id));
    return { stage, guest, place };
  };

  it("may read logs, and create only the tokens that are granted to guests", async () => {
    const { stage, guest, place } = await withPolicy((id) => ({
      guests: [id],
      grants: [{ to: ["guests"], roles: ["recvonly"], maxLifetime: "5m", projects: ["demo"] }],
    }));
    for (const command of ["logs webhooks", "trace lobby", "why", "live"]) {
      expect(await stage.read(guest, `/media ${command}`, place)).toContain("project demo");
    }
    expect(await stage.read(guest, "/media token lobby for:5m", place)).toMatch(TOKEN);
    expect(await stage.read(guest, "/media token lobby for:10m", place)).not.toMatch(TOKEN);
  });

  it("may not create the tokens that the policy allows everyone", async () => {
    const { stage, guest, place } = await withPolicy(() => ({
      guests: ["everyone"],
      grants: [{ to: ["everyone"], roles: ["any"], maxLifetime: "1h" }],
    }));
    expect(await stage.read(guest, "/media token lobby", place)).toContain(
      "You may not make tokens for the project demo.",
    );
  });
});

/** A stage whose workspace belongs to an organization on Enterprise Grid. */
async function startGrid({ isOrgWide = false, ...options }: StageOptions & { isOrgWide?: boolean } = {}) {
  const stage = await startStage({ ...options, organization: isOrgWide ? "installed" : "some" });
  const { organization } = stage;
  if (!organization) throw new Error("There is no organization.");
  if (isOrgWide) {
    const storage = await stage.openStorage();
    await createInstallationStore(storage, Date.now).storeInstallation({
      team: undefined,
      enterprise: { id: organization.id, name: organization.name },
      user: { id: stage.ann.id, token: undefined, scopes: undefined },
      bot: { id: stage.team.botId, userId: stage.team.botUserId, token: stage.team.botToken, scopes: [...SCOPES] },
      isEnterpriseInstall: true,
    });
  }
  return { ...stage, organization };
}
