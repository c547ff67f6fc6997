import { describe, expect, it } from "vitest";
import { refusal, startAcme } from "../../test/acme.js";

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
