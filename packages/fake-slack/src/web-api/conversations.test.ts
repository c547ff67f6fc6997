import { describe, expect, it } from "vitest";
import { clientOf, refusal, seen, startAcme } from "../test/acme.js";

/** A channel with five messages, from "1" to "5". */
async function startWithHistory() {
  const acme = await startAcme();
  const { client, ann, general } = acme;
  for (const text of ["1", "2", "3", "4"]) await ann.says(text, { in: general });
  await client.chat.postMessage({ channel: general.id, text: "5" });
  const times = ann.sees(general).map(({ ts }) => ts);
  const read = async (args: object = {}) => {
    const { messages = [], has_more } = await client.conversations.history({ channel: general.id, ...args });
    return { texts: messages.map(({ text }) => text), has_more };
  };
  const ts = (number: number): string => seen(times[number - 1]);
  return { ...acme, read, ts };
}

describe("conversations.history", () => {
  it("lists the messages of people and of the bot, newest first", async () => {
    const { client, team, ann, general, ts } = await startWithHistory();
    const { messages, has_more } = await client.conversations.history({ channel: general.id });
    expect(messages?.map(({ text }) => text)).toEqual(["5", "4", "3", "2", "1"]);
    expect(messages?.[0]).toMatchObject({ type: "message", ts: ts(5), user: team.botUserId, bot_id: team.botId });
    expect(messages?.[4]).toMatchObject({ ts: ts(1), user: ann.id });
    expect(has_more).toBe(false);
  });

  it("can be limited to a number of messages, and to a time", async () => {
    const { read, ts } = await startWithHistory();
    expect(await read({ limit: 2 })).toEqual({ texts: ["5", "4"], has_more: true });
    expect(await read({ limit: 2, latest: ts(4) })).toEqual({ texts: ["3", "2"], has_more: true });
    expect(await read({ latest: ts(4), inclusive: true })).toEqual({ texts: ["4", "3", "2", "1"], has_more: false });
    expect(await read({ oldest: ts(2), latest: ts(4) })).toEqual({ texts: ["3"], has_more: false });
    expect(await read({ oldest: ts(2), latest: ts(4), inclusive: true })).toMatchObject({ texts: ["4", "3", "2"] });
    expect(await read({ oldest: ts(1), limit: 2 })).toEqual({ texts: ["3", "2"], has_more: true });
  });

  it("has no private messages, and replies only if they are shown in the channel", async () => {
    const { client, ann, general, read, ts } = await startWithHistory();
    const reply = { channel: general.id, thread_ts: ts(1) };
    await client.chat.postMessage({ ...reply, text: "in the thread" });
    await client.chat.postEphemeral({ channel: general.id, user: ann.id, text: "for ann" });
    await client.chat.postMessage({ ...reply, text: "in both", reply_broadcast: true });
    expect((await read()).texts).toEqual(["in both", "5", "4", "3", "2", "1"]);
  });

  it("needs the scope for the kind of conversation", async () => {
    const { slack } = await startAcme();
    const withScopes = async (scopes: string[]) => {
      const team = slack.addWorkspace({ name: "other", scopes });
      const client = clientOf(slack, team.botToken);
      const channels = (["public", "private"] as const).map((kind) =>
        team.addChannel({ name: kind, kind, withBot: true }),
      );
      const places = [...channels, team.addUser({ name: "eve" }).directPlace];
      const read = ({ id }: { id: string }) => client.conversations.history({ channel: id }).then(() => "ok");
      return Promise.all(places.map((place) => read(place).catch(({ data }) => data.needed)));
    };
    const all = "channels:history,groups:history,mpim:history,im:history";
    expect(await withScopes(["chat:write"])).toEqual([all, all, all]);
    expect(await withScopes(["channels:history"])).toEqual(["ok", "groups:history", "im:history"]);
    expect(await withScopes(["groups:history"])).toEqual(["channels:history", "ok", "im:history"]);
    expect(await withScopes(["im:history"])).toEqual(["channels:history", "groups:history", "ok"]);
  });

  it("is only readable for members", async () => {
    const { team, client, general } = await startAcme();
    const secret = team.addChannel({ name: "secret", kind: "private", withBot: true });
    for (const place of [general, secret]) team.removeBot(place);
    const errors = [general.id, secret.id, "C0"].map(
      async (channel) => (await refusal(client.conversations.history({ channel }))).error,
    );
    expect(await Promise.all(errors)).toEqual(["not_in_channel", "channel_not_found", "channel_not_found"]);
  });

  it.each([
    [{ limit: 0 }, "invalid_limit"],
    [{ limit: 1000 }, "invalid_limit"],
    [{ oldest: "yesterday" }, "invalid_ts_oldest"],
    [{ latest: "now" }, "invalid_ts_latest"],
  ])("refuses %j", async (args, error) => {
    const { client, general } = await startAcme();
    const call = client.conversations.history({ channel: general.id, ...args });
    expect(await refusal(call)).toMatchObject({ error });
  });
});

describe("conversations.open", () => {
  it("opens the direct conversation with a person, always the same", async () => {
    const { client, ann } = await startAcme();
    const first = await client.conversations.open({ users: ann.id });
    const again = await client.conversations.open({ users: ann.id });
    expect(first.channel?.id).toMatch(/^D/);
    expect(again.channel?.id).toBe(first.channel?.id);
  });

  it("refuses a call without a person, and groups", async () => {
    const { client, team, ann, bob } = await startAcme();
    const errors = ["", "U0", team.botUserId, `${ann.id},${bob.id}`].map(
      async (users) => (await refusal(client.conversations.open({ users }))).error,
    );
    expect(await Promise.all(errors)).toEqual([
      "users_list_not_supplied",
      "user_not_found",
      "cannot_dm_bot",
      "not_enough_users",
    ]);
  });
});
