import { describe, expect, it } from "vitest";
import { actions, button, refusal, startAcme, startApp } from "../test/acme.js";

/** A channel with one message, and a function that posts a reply. */
async function startWithThread() {
  const acme = await startAcme();
  const channel = acme.general.id;
  const blocks = [actions(button("Mute", "mute"))];
  const { ts = "" } = await acme.client.chat.postMessage({ channel, text: "K8 failed", blocks });
  const reply = (text: string, more: object = {}) =>
    acme.client.chat.postMessage({ channel, text, thread_ts: ts, ...more });
  return { ...acme, channel, parent: { channelId: channel, ts }, ts, reply };
}

describe("a reply", () => {
  it("is in the thread of its parent, for everyone in the channel", async () => {
    const { team, bob, general, parent, ts, reply } = await startWithThread();
    const { message } = await reply("It recovered.");
    expect(message).toMatchObject({ thread_ts: ts, parent_user_id: team.botUserId });
    expect(bob.sees(general).map(({ text, threadTs }) => [text, threadTs])).toEqual([
      ["K8 failed", undefined],
      ["It recovered.", ts],
    ]);
    expect(bob.repliesTo(parent).map(({ text }) => text)).toEqual(["It recovered."]);
  });

  it("to a missing or private message goes into the channel, without an error", async () => {
    const { client, ann, general, channel, parent } = await startWithThread();
    const { message_ts: secret = "" } = await client.chat.postEphemeral({ channel, user: ann.id, text: "x" });
    for (const thread_ts of ["1000000000.000000", secret]) {
      const { message } = await client.chat.postMessage({ channel, text: "late", thread_ts });
      expect(message).not.toHaveProperty("thread_ts");
      expect(ann.sees(general).at(-1)).toMatchObject({ text: "late", threadTs: undefined });
    }
    expect(ann.repliesTo(parent)).toEqual([]);
  });

  it("to a reply is in the thread, and is shown in the channel, too", async () => {
    const { client, channel, ann, parent, ts, reply } = await startWithThread();
    const { ts: first = "" } = await reply("first");
    const { message } = await client.chat.postMessage({ channel, text: "second", thread_ts: first });
    expect(message).toMatchObject({ thread_ts: ts, subtype: "thread_broadcast" });
    expect(ann.repliesTo(parent).map(({ text }) => text)).toEqual(["first", "second"]);
  });

  it("is refused if its thread_ts is no timestamp", async () => {
    const { reply } = await startWithThread();
    expect(await refusal(reply("x", { thread_ts: "0" }))).toMatchObject({
      error: "invalid_thread_ts",
      response_metadata: { messages: ["[ERROR] 0 is not a valid thread_ts"] },
    });
  });

  it("can be shown in the channel, too", async () => {
    const { reply } = await startWithThread();
    expect((await reply("x")).message).not.toHaveProperty("subtype");
    expect((await reply("x", { reply_broadcast: true })).message).toMatchObject({ subtype: "thread_broadcast" });
  });

  it("can be a file", async () => {
    const { client, ann, channel, parent, ts } = await startWithThread();
    const file = { channel_id: channel, filename: "logs.csv", content: "a", thread_ts: ts };
    await client.files.uploadV2(file);
    expect(ann.repliesTo(parent)).toMatchObject([{ files: [{ name: "logs.csv" }] }]);
  });

  it("is counted in its parent, as the app receives it", async () => {
    const { slack, team, ann, bob, general, channel, parent, ts, reply } = await startWithThread();
    const { last } = await startApp(slack);
    await ann.press(parent, "Mute");
    expect(last().message).not.toHaveProperty("thread_ts");
    const { ts: first } = await reply("one");
    const { ts: second } = await bob.says("two", { in: general, thread: { channelId: channel, ts: first ?? "" } });
    await ann.press(parent, "Mute");
    expect(last().message).toMatchObject({
      ...{ ts, thread_ts: ts, reply_count: 2, reply_users_count: 2 },
      ...{ reply_users: [team.botUserId, bob.id], latest_reply: second },
    });
    expect(last().container).not.toHaveProperty("thread_ts");
  });
});

describe("a private reply", () => {
  it("is only shown if the thread already has a reply", async () => {
    const { client, ann, bob, channel, parent, ts, reply } = await startWithThread();
    const whisper = (text: string, thread_ts: string) =>
      client.chat.postEphemeral({ channel, user: ann.id, text, thread_ts });
    for (const thread_ts of [ts, "1000000000.000000"]) {
      expect(await whisper("too early", thread_ts)).toMatchObject({ ok: true, message_ts: expect.any(String) });
    }
    await reply("one");
    await whisper("for you", ts);
    expect(ann.repliesTo(parent).map(({ text }) => text)).toEqual(["one", "for you"]);
    expect(bob.repliesTo(parent).map(({ text }) => text)).toEqual(["one"]);
  });
});
