import { describe, expect, it } from "vitest";
import { SCOPES, startAcme, startApp, startWithApp } from "../test/acme.js";

describe("a person's reply", () => {
  it("goes into the thread of a message, also as the answer to another reply", async () => {
    const { ann, bob, general } = await startAcme();
    const question = await ann.says("Is K8 down?", { in: general });
    const answer = await bob.says("No.", { in: general, thread: question });
    await ann.says("Thanks.", { in: general, thread: answer });
    expect(answer).toMatchObject({ from: "bob", threadTs: question.ts });
    expect(bob.repliesTo(question).map(({ text }) => text)).toEqual(["No.", "Thanks."]);
    expect(bob.repliesTo(answer)).toEqual([]);
  });

  it("needs a message that others see, in the same channel", async () => {
    const { team, client, ann, bob, general } = await startAcme();
    const random = team.addChannel({ name: "random", members: [ann] });
    const elsewhere = await ann.says("x", { in: random });
    await expect(ann.says("x", { in: general, thread: elsewhere })).rejects.toThrow("is not in general.");
    await expect(bob.says("x", { in: general, thread: elsewhere })).rejects.toThrow("bob does not see the message");
    const { message_ts: ts = "" } = await client.chat.postEphemeral({ channel: general.id, user: ann.id, text: "x" });
    await expect(ann.says("x", { in: general, thread: { channelId: general.id, ts } })).rejects.toThrow(
      "Nobody can reply to a message that only ann sees.",
    );
    expect(bob.sees(general)).toEqual([]);
  });
});

describe("a mention of the bot", () => {
  it("is reported to the app, with its workspace and its bot user", async () => {
    const { slack, team, ann, general, sent } = await startWithApp();
    const message = await ann.says(`${team.botMention} why <K8>?`, { in: general });
    expect(message.text).toBe(`<@${team.botUserId}> why &lt;K8&gt;?`);
    expect(sent).toEqual([
      {
        type: "event_callback",
        team_id: team.id,
        api_app_id: slack.app.id,
        event_id: expect.stringMatching(/^Ev/),
        event_time: expect.any(Number),
        is_ext_shared_channel: false,
        authorizations: [
          {
            ...{ enterprise_id: null, team_id: team.id, user_id: team.botUserId },
            ...{ is_bot: true, is_enterprise_install: false },
          },
        ],
        event: {
          ...{ type: "app_mention", user: ann.id, team: team.id, channel: general.id },
          ...{ text: `<@${team.botUserId}> why &lt;K8&gt;?`, ts: message.ts, event_ts: message.ts },
        },
      },
    ]);
  });

  it("names its thread", async () => {
    const { team, ann, bob, general, last } = await startWithApp();
    const question = await bob.says("Is K8 down?", { in: general });
    await ann.says(`${team.botMention} status`, { in: general, thread: question });
    expect(last().event).toMatchObject({ thread_ts: question.ts });
  });

  it("names the home workspace of a person from another company", async () => {
    const { slack, team, last } = await startWithApp();
    const home = slack.addWorkspace({ name: "elsewhere", installed: false });
    const eve = team.addUser({ name: "eve", home });
    const shared = team.addChannel({ name: "shared", members: [eve], withBot: true });
    await eve.says(team.botMention, { in: shared });
    expect(last()).toMatchObject({ team_id: team.id, event: { team: home.id, user_team: home.id } });
  });

  it("is only reported in channels that the bot is in, and not in direct messages", async () => {
    const { team, ann, bob, sent } = await startWithApp();
    const place = team.addChannel({ name: "outside", members: [ann] });
    await ann.says(team.botMention, { in: place });
    await ann.says(team.botMention, { in: ann.directPlace });
    expect(sent).toEqual([]);
    team.inviteBot(place);
    await ann.says(`<@${bob.id}>, ask the bot`, { in: place });
    expect(sent).toEqual([]);
    await ann.says(team.botMention, { in: place });
    expect(sent).toHaveLength(1);
    team.removeBot(place);
    await ann.says(team.botMention, { in: place });
    expect(sent).toHaveLength(1);
  });

  it("is only reported to an app with the scope", async () => {
    const { slack, sent } = await startWithApp();
    const team = slack.addWorkspace({ name: "other", scopes: SCOPES.filter((scope) => scope !== "app_mentions:read") });
    const eve = team.addUser({ name: "eve" });
    const place = team.addChannel({ name: "general", members: [eve], withBot: true });
    await eve.says(team.botMention, { in: place });
    expect(sent).toEqual([]);
  });

  it("is sent again if the app fails", async () => {
    const { slack, team, ann, general } = await startAcme();
    const answers = [500];
    const { sent } = await startApp(slack, () => answers.shift());
    await ann.says(team.botMention, { in: general });
    expect(sent).toHaveLength(2);
    expect(sent[1].event_id).toBe(sent[0].event_id);
  });
});
