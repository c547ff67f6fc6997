import { describe, expect, it } from "vitest";
import { clientOf, refusal, startAcme } from "../../test/acme.js";

describe("conversations.open", () => {
  it("opens the direct conversation with a person, always the same", async () => {
    const { client, ann } = await startAcme();
    const first = await client.conversations.open({ users: ann.id });
    const again = await client.conversations.open({ users: ann.id, return_im: true });
    expect(first.channel?.id).toMatch(/^D/);
    expect(again.channel).toMatchObject({ id: first.channel?.id, is_im: true, user: ann.id });
    const known = await client.conversations.open({ channel: first.channel?.id ?? "" });
    expect(known.channel?.id).toBe(first.channel?.id);
  });

  it("refuses where nobody is named, or nobody who is there, or the bot itself", async () => {
    const { client, team } = await startAcme();
    const errors = ["", "U0", team.botUserId].map(
      async (users) => (await refusal(client.conversations.open({ users }))).error,
    );
    expect(await Promise.all(errors)).toEqual(["users_list_not_supplied", "user_not_found", "cannot_dm_bot"]);
  });

  it("refuses groups, of which there are none here", async () => {
    const { client, ann, bob } = await startAcme();
    expect(await refusal(client.conversations.open({ users: `${ann.id},${bob.id}` }))).toMatchObject({
      error: "not_enough_users",
    });
  });
});

describe("conversations.info", () => {
  it("tells of a channel", async () => {
    const { client, general } = await startAcme();
    const { channel } = await client.conversations.info({ channel: general.id, include_num_members: true });
    expect(channel).toMatchObject({
      id: general.id,
      name: "general",
      is_private: false,
      is_member: true,
      num_members: 3,
    });
  });

  it("does not know private channels that the bot is not in, nor direct conversations of others", async () => {
    const { client, team, ann } = await startAcme();
    const secret = team.addChannel({ name: "secret", kind: "private", members: [ann] });
    expect(await refusal(client.conversations.info({ channel: secret.id }))).toMatchObject({
      error: "channel_not_found",
    });
  });

  it("needs the scope of the kind of channel", async () => {
    const { slack } = await startAcme();
    const team = slack.addWorkspace({ name: "other", scopes: ["channels:read"] });
    const secret = team.addChannel({ name: "secret", kind: "private", withBot: true });
    const client = clientOf(slack, team.botToken);
    expect(await refusal(client.conversations.info({ channel: secret.id }))).toMatchObject({
      error: "missing_scope",
      needed: "groups:read",
    });
  });
});

describe("conversations.list", () => {
  it("lists public channels page by page", async () => {
    const { client, team } = await startAcme();
    for (const name of ["a", "b", "c"]) team.addChannel({ name });
    const first = await client.conversations.list({ limit: 2 });
    const cursor = first.response_metadata?.next_cursor ?? "";
    const second = await client.conversations.list({ limit: 2, cursor });
    expect([first, second].map(({ channels }) => channels?.map(({ name }) => name))).toEqual([
      ["general", "a"],
      ["b", "c"],
    ]);
    expect(second.response_metadata?.next_cursor).toBe("");
  });

  it("lists private channels that the bot is in, and leaves archived ones out on request", async () => {
    const { client, team } = await startAcme();
    team.addChannel({ name: "mine", kind: "private", withBot: true });
    team.addChannel({ name: "theirs", kind: "private" });
    team.addChannel({ name: "old" }).archive();
    const { channels } = await client.conversations.list({
      types: "public_channel,private_channel",
      exclude_archived: true,
    });
    expect(channels?.map(({ name }) => name)).toEqual(["general", "mine"]);
  });

  it.each([
    [{ types: "secret_channel" }, "invalid_types"],
    [{ limit: 0 }, "invalid_limit"],
    [{ cursor: "made up" }, "invalid_cursor"],
  ])("refuses %j: %s", async (args, error) => {
    const { client } = await startAcme();
    expect(await refusal(client.conversations.list(args))).toMatchObject({ error });
  });
});

describe("conversations.members", () => {
  it("lists who is in a channel", async () => {
    const { client, general, ann, bob, team } = await startAcme();
    const { members } = await client.conversations.members({ channel: general.id });
    expect(members).toEqual([ann.id, bob.id, team.botUserId]);
  });
});

describe("conversations.join", () => {
  it("lets the bot into a public channel", async () => {
    const { client, team } = await startAcme();
    const { id } = team.addChannel({ name: "outside" });
    expect((await client.conversations.info({ channel: id })).channel).toMatchObject({ is_member: false });
    expect((await client.conversations.join({ channel: id })).channel).toMatchObject({ is_member: true });
    expect(await client.chat.postMessage({ channel: id, text: "hi" })).toMatchObject({ ok: true });
  });

  it("refuses private and archived ones", async () => {
    const { client, team } = await startAcme();
    const closed = team.addChannel({ name: "closed", kind: "private", withBot: true });
    const old = team.addChannel({ name: "old" });
    old.archive();
    const errors = [closed, old].map(
      async ({ id }) => (await refusal(client.conversations.join({ channel: id }))).error,
    );
    expect(await Promise.all(errors)).toEqual(["method_not_supported_for_channel_type", "is_archived"]);
  });
});

describe("conversations.history", () => {
  it("gives what all see, the newest first, within a span", async () => {
    const { client, general, ann } = await startAcme();
    const { ts: first } = await ann.says("one", { in: general });
    await ann.says("two", { in: general });
    const { ts: last } = await ann.says("three", { in: general });
    await client.chat.postEphemeral({ channel: general.id, user: ann.id, text: "hidden" });
    const texts = async (more: object) =>
      (await client.conversations.history({ channel: general.id, ...more })).messages?.map(({ text }) => text);
    expect(await texts({})).toEqual(["three", "two", "one"]);
    expect(await texts({ oldest: first, latest: last })).toEqual(["two"]);
    expect(await texts({ oldest: first, inclusive: true, limit: 1 })).toEqual(["three"]);
  });

  it("refuses channels that the bot is not in", async () => {
    const { client, team } = await startAcme();
    const { id } = team.addChannel({ name: "outside" });
    expect(await refusal(client.conversations.history({ channel: id }))).toMatchObject({ error: "not_in_channel" });
  });
});

describe("users.conversations", () => {
  it("lists the channels of the bot, or those of somebody else that the bot may know of", async () => {
    const { client, team, ann } = await startAcme();
    team.addChannel({ name: "hers", members: [ann] });
    team.addChannel({ name: "secret", members: [ann], kind: "private" });
    const names = async (args: object) =>
      (await client.users.conversations({ types: "public_channel,private_channel", ...args })).channels?.map(
        ({ name }) => name,
      );
    expect(await names({})).toEqual(["general"]);
    expect(await names({ user: ann.id })).toEqual(["general", "hers"]);
  });
});
