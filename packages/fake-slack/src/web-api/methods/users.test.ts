import { describe, expect, it } from "vitest";
import { clientOf, refusal, seen, startAcme } from "../../test/acme.js";

describe("users.info", () => {
  it("tells of a person", async () => {
    const { client, team } = await startAcme();
    const eve = team.addUser({ name: "eve", isOwner: true, timeZone: "Asia/Tokyo" });
    expect((await client.users.info({ user: eve.id })).user).toMatchObject({
      id: eve.id,
      name: "eve",
      tz: "Asia/Tokyo",
      is_admin: true,
      is_owner: true,
      is_bot: false,
    });
  });

  it("sees at once that somebody administers no longer", async () => {
    const { client, team } = await startAcme();
    const eve = team.addUser({ name: "eve", isAdmin: true });
    eve.isAdmin = false;
    expect((await client.users.info({ user: eve.id })).user).toMatchObject({ is_admin: false });
  });

  it.each([
    [undefined, false, false],
    ["multi-channel", true, false],
    ["single-channel", true, true],
  ] as const)("says which kind of guest somebody is: %s", async (guest, is_restricted, is_ultra_restricted) => {
    const { client, team } = await startAcme();
    const eve = team.addUser({ name: "eve", ...(guest && { guest }) });
    const { user } = await client.users.info({ user: eve.id });
    expect(user).toMatchObject({ is_restricted, is_ultra_restricted });
  });

  it("says that somebody's account was deactivated", async () => {
    const { client, team } = await startAcme();
    const eve = team.addUser({ name: "eve" });
    eve.isDeleted = true;
    expect((await client.users.info({ user: eve.id })).user).toMatchObject({ deleted: true });
  });

  it("says from which workspace and organization somebody comes, without calling them a stranger", async () => {
    const { slack, client, team } = await startAcme();
    const organization = slack.addOrganization({ name: "others" });
    const home = slack.addWorkspace({ name: "elsewhere", installed: false, organization });
    const eve = team.addUser({ name: "eve", home });
    const { user } = await client.users.info({ user: eve.id });
    expect(user).toMatchObject({
      team_id: home.id,
      enterprise_user: { enterprise_id: organization.id, teams: [home.id] },
    });
    expect(user).not.toHaveProperty("is_stranger");
  });

  it("sees the people of all workspaces if the organization has installed the app for them", async () => {
    const { slack } = await startAcme();
    const organization = slack.addOrganization({ name: "acme inc", isOrgWide: true });
    const [one, other] = ["one", "other"].map((name) => slack.addWorkspace({ name, organization }));
    const eve = seen(other).addUser({ name: "eve" });
    expect(seen(one).botToken).toBe(seen(other).botToken);
    const client = clientOf(slack, seen(one).botToken);
    expect((await client.users.info({ user: eve.id })).user).toMatchObject({ id: eve.id, team_id: other?.id });
    expect(await client.auth.test()).toMatchObject({ enterprise_id: organization.id, is_enterprise_install: true });
  });

  it("refuses who is not there", async () => {
    const { client } = await startAcme();
    expect(await refusal(client.users.info({ user: "U0" }))).toMatchObject({ error: "user_not_found" });
  });
});

describe("users.list", () => {
  it("lists all, the bot among them", async () => {
    const { client } = await startAcme();
    const { members } = await client.users.list({});
    expect(members?.map(({ name, is_bot }) => [name, is_bot])).toEqual([
      ["slackowner", false],
      ["media", true],
      ["ann", false],
      ["bob", false],
    ]);
  });
});

describe("usergroups.list and usergroups.users.list", () => {
  it("tell of groups and who is in them", async () => {
    const { client, team, ann } = await startAcme();
    const { id } = team.addGroup({ handle: "ops", members: [ann] });
    expect((await client.usergroups.list({ include_users: true })).usergroups).toMatchObject([
      { id, handle: "ops", users: [ann.id], user_count: 1 },
    ]);
    expect((await client.usergroups.users.list({ usergroup: id })).users).toEqual([ann.id]);
  });

  it("refuse a group that there is not", async () => {
    const { client } = await startAcme();
    expect(await refusal(client.usergroups.users.list({ usergroup: "S0" }))).toMatchObject({
      error: "no_such_subteam",
    });
  });
});
