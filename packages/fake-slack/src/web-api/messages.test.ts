import { describe, expect, it } from "vitest";
import { actions, button, clientOf, refusal, refused, section, startAcme } from "../test/acme.js";

const wrongBlock = { type: "header" as const, text: { type: "plain_text" as const, text: "x".repeat(151) } };

describe("chat.postMessage", () => {
  it("posts a message for everyone in a channel", async () => {
    const { client, general, ann, bob, team } = await startAcme();
    const answer = await client.chat.postMessage({ channel: general.id, text: "hello", blocks: [section("*hello*")] });
    expect(answer).toMatchObject({ ok: true, channel: general.id, message: { user: team.botUserId, text: "hello" } });
    for (const person of [ann, bob]) {
      expect(person.sees(general)).toMatchObject([
        { ts: answer.ts, from: "bot", text: "hello", isOnlyVisibleToYou: false, isEdited: false },
      ]);
    }
  });

  it("adds an id to each block and each button without one", async () => {
    const { client, general, ann } = await startAcme();
    const { action_id: _, ...nameless } = button("Go", "");
    await client.chat.postMessage({ channel: general.id, text: "x", blocks: [actions(nameless)] });
    expect(ann.sees(general)[0]?.blocks).toMatchObject([
      { block_id: expect.stringMatching(/^B\w{10}$/), elements: [{ action_id: expect.stringMatching(/^A\w{10}$/) }] },
    ]);
  });

  it("opens the direct conversation with a person", async () => {
    const { client, ann, bob } = await startAcme();
    const first = await client.chat.postMessage({ channel: ann.id, text: "psst" });
    const second = await client.chat.postMessage({ channel: ann.id, text: "psst again" });
    expect(first.channel).toMatch(/^D/);
    expect(second.channel).toBe(first.channel);
    expect(ann.direct().map(({ text }) => text)).toEqual(["psst", "psst again"]);
    expect(bob.direct()).toEqual([]);
  });

  it("accepts the name of a channel, too", async () => {
    const { client, general } = await startAcme();
    expect((await client.chat.postMessage({ channel: "#general", text: "hi" })).channel).toBe(general.id);
  });

  it("reaches a public channel as a non-member with chat:write.public, but not a private one", async () => {
    const { slack } = await startAcme();
    const team = slack.addWorkspace({ name: "open", scopes: ["chat:write", "chat:write.public"] });
    const places = [team.addChannel({ name: "a" }), team.addChannel({ name: "b", kind: "private" })];
    const client = clientOf(slack, team.botToken);
    const [open, closed] = places.map(({ id }) => client.chat.postMessage({ channel: id, text: "hi" }));
    expect(await open).toMatchObject({ ok: true });
    await refused(closed ?? Promise.resolve(), "channel_not_found");
  });

  it("refuses unknown channels, and those that the bot is not in", async () => {
    const { client, team } = await startAcme();
    const outside = team.addChannel({ name: "outside" });
    const errors = ["C0", outside.id].map(
      async (channel) => (await refusal(client.chat.postMessage({ channel, text: "hi" }))).error,
    );
    expect(await Promise.all(errors)).toEqual(["channel_not_found", "not_in_channel"]);
  });

  it("refuses empty messages and messages that are too long", async () => {
    const { client, general } = await startAcme();
    const say = (text: string) => client.chat.postMessage({ channel: general.id, text });
    await refused(say(""), "no_text");
    await refused(say("x".repeat(40_001)), "msg_too_long");
    expect(await say("x".repeat(40_000))).toMatchObject({ ok: true });
  });

  it("refuses invalid blocks, and reports their position", async () => {
    const { client, general, ann } = await startAcme();
    const fault = "must be less than 151 characters [json-pointer:/blocks/0/text/text]";
    expect(
      await refusal(client.chat.postMessage({ channel: general.id, text: "x", blocks: [wrongBlock] })),
    ).toMatchObject({
      error: "invalid_blocks",
      errors: [fault],
      response_metadata: { messages: [`[ERROR] ${fault}`] },
    });
    expect(ann.sees(general)).toEqual([]);
  });

  it("refuses blocks that are not a list of objects", async () => {
    const { client, general } = await startAcme();
    await refused(
      client.apiCall("chat.postMessage", { channel: general.id, text: "x", blocks: "no JSON" }),
      "invalid_blocks_format",
    );
  });
});

describe("chat.postEphemeral", () => {
  it("is visible to one person, until the window is reloaded", async () => {
    const { client, general, ann, bob } = await startAcme();
    await client.chat.postEphemeral({ channel: general.id, user: ann.id, text: "for you" });
    expect(ann.sees(general)).toMatchObject([{ text: "for you", isOnlyVisibleToYou: true }]);
    expect(bob.sees(general)).toEqual([]);
    ann.reload();
    expect(ann.sees(general)).toEqual([]);
  });

  it("refuses people who are not in the channel", async () => {
    const { client, general, team } = await startAcme();
    const cat = team.addUser({ name: "cat" });
    const errors = [cat.id, "U0"].map(
      async (user) => (await refusal(client.chat.postEphemeral({ channel: general.id, user, text: "x" }))).error,
    );
    expect(await Promise.all(errors)).toEqual(["user_not_in_channel", "user_not_in_channel"]);
  });

  it("refuses channels that the bot is not in", async () => {
    const { client, team, ann } = await startAcme();
    const outside = team.addChannel({ name: "outside", members: [ann] });
    await refused(client.chat.postEphemeral({ channel: outside.id, user: ann.id, text: "x" }), "not_in_channel");
  });
});

describe("chat.update", () => {
  it("replaces the content of a message", async () => {
    const { client, general, ann } = await startAcme();
    const { ts = "" } = await client.chat.postMessage({ channel: general.id, text: "one", blocks: [section("one")] });
    const answer = await client.chat.update({ channel: general.id, ts, text: "two", blocks: [section("two")] });
    expect(answer).toMatchObject({ ok: true, channel: general.id, ts, text: "two" });
    expect(ann.sees(general)).toMatchObject([
      { ts, text: "two", blocks: [{ text: { text: "two" } }], isEdited: false },
    ]);
  });

  it("removes the blocks if there is only a new text, and marks the message as edited", async () => {
    const { client, general, ann } = await startAcme();
    const { ts = "" } = await client.chat.postMessage({ channel: general.id, text: "one", blocks: [section("one")] });
    await client.chat.update({ channel: general.id, ts, text: "two" });
    expect(ann.sees(general)).toMatchObject([{ text: "two", blocks: [], isEdited: true }]);
  });

  it("refuses unknown messages, those of other senders, and private ones", async () => {
    const { client, general, ann } = await startAcme();
    const { ts: hers } = await ann.says("mine", { in: general });
    const { message_ts: hidden = "" } = await client.chat.postEphemeral({
      channel: general.id,
      user: ann.id,
      text: "x",
    });
    const errors = ["1.2", hers, hidden].map(
      async (ts) => (await refusal(client.chat.update({ channel: general.id, ts, text: "no" }))).error,
    );
    expect(await Promise.all(errors)).toEqual(["message_not_found", "cant_update_message", "message_not_found"]);
  });
});
