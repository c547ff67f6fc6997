import { describe, expect, it } from "vitest";
import { clientOf, refused, seen, startAcme } from "../test/acme.js";

describe("users.info", () => {
  it.each([
    ["an admin", { isAdmin: true }, {}, { is_admin: true, is_owner: false, is_bot: false }],
    ["who is no longer an admin", { isAdmin: true }, { isAdmin: false }, { is_admin: false }],
    ["whose account is deactivated", {}, { isDeleted: true }, { deleted: true }],
    ["who is no guest", {}, {}, { is_restricted: false, is_ultra_restricted: false, deleted: false }],
    ["a guest", { guest: "multi-channel" }, {}, { is_restricted: true, is_ultra_restricted: false }],
    ["a guest in one channel", { guest: "single-channel" }, {}, { is_restricted: true, is_ultra_restricted: true }],
  ] as const)("returns a person: %s", async (_, options, change, expected) => {
    const { client, team } = await startAcme();
    const eve = team.addUser({ name: "eve", timeZone: "Asia/Tokyo", ...options });
    Object.assign(eve, change);
    const { user } = await client.users.info({ user: eve.id });
    expect(user).toMatchObject({ id: eve.id, name: "eve", tz: "Asia/Tokyo", ...expected });
  });

  it("returns a person's home workspace and organization, without marking them as a stranger", async () => {
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

  it("returns the people of all workspaces if the app is installed for the organization", async () => {
    const { slack } = await startAcme();
    const organization = slack.addOrganization({ name: "acme inc", isOrgWide: true });
    const [one, other] = ["one", "other"].map((name) => slack.addWorkspace({ name, organization }));
    const eve = seen(other).addUser({ name: "eve" });
    expect(seen(one).botToken).toBe(seen(other).botToken);
    const client = clientOf(slack, seen(one).botToken);
    expect((await client.users.info({ user: eve.id })).user).toMatchObject({ id: eve.id, team_id: other?.id });
    expect(await client.auth.test()).toMatchObject({ enterprise_id: organization.id, is_enterprise_install: true });
  });

  it("refuses unknown people", async () => {
    const { client } = await startAcme();
    await refused(client.users.info({ user: "U0" }), "user_not_found");
  });
});

describe("usergroups.users.list", () => {
  it("lists the members of a group", async () => {
    const { client, team, ann } = await startAcme();
    const { id } = team.addGroup({ handle: "ops", members: [ann] });
    expect((await client.usergroups.users.list({ usergroup: id })).users).toEqual([ann.id]);
  });

  it("refuses an unknown group", async () => {
    const { client } = await startAcme();
    await refused(client.usergroups.users.list({ usergroup: "S0" }), "no_such_subteam");
  });
});

describe("auth.test", () => {
  it("identifies the bot and its workspace", async () => {
    const { client, team } = await startAcme();
    expect(await client.auth.test()).toMatchObject({
      ok: true,
      url: "https://acme.slack.com/",
      team: "acme",
      team_id: team.id,
      user_id: team.botUserId,
      bot_id: team.botId,
    });
  });
});
