import { describe, expect, it } from "vitest";
import { actions, button, section, seen, startAcme, startApp, startWithApp } from "../test/acme.js";
import { startBoltApp, startSocketApp } from "../test/bolt-app.js";

const options = { messageShortcuts: ["look_up", "translate"] };

async function startWithMessage() {
  const acme = await startAcme(options);
  const message = await acme.bob.says("calls drop in lobby", { in: acme.general });
  return { ...acme, message };
}

describe("a message shortcut", () => {
  it("reports the person, the message and its channel to the app", async () => {
    const { slack, team, ann, bob, general, message } = await startWithMessage();
    const { last } = await startApp(slack);
    expect(await ann.messageShortcut(message, "look_up")).toMatchObject({
      status: 200,
      tries: 1,
      shownError: undefined,
    });
    expect(last()).toEqual({
      type: "message_action",
      token: expect.any(String),
      action_ts: expect.stringMatching(/^\d+\.\d{6}$/),
      team: { id: team.id, domain: "acme" },
      user: { id: ann.id, username: "ann", name: "ann", team_id: team.id },
      channel: { id: general.id, name: "general" },
      enterprise: null,
      is_enterprise_install: false,
      callback_id: "look_up",
      trigger_id: expect.stringMatching(/^\d+\.\d+\.\w+$/),
      response_url: expect.stringContaining(slack.url),
      message_ts: message.ts,
      message: { type: "message", ts: message.ts, user: bob.id, team: team.id, text: "calls drop in lobby" },
    });
  });

  it("reports the app's own message with its blocks, and the thread of a message", async () => {
    const { team, client, ann, general, last } = await startWithApp(undefined, options);
    const blocks = [section("K8 failed"), actions(button("Older", "older"))];
    const { ts } = await client.chat.postMessage({ channel: general.id, text: "x", blocks });
    await client.chat.postMessage({ channel: general.id, text: "in a thread", ...(ts && { thread_ts: ts }) });
    const [own, reply] = ann.sees(general);
    await ann.messageShortcut(seen(own), "look_up");
    expect(last().message).toMatchObject({ ts, user: team.botUserId, bot_id: team.botId, blocks });
    await ann.messageShortcut(seen(reply), "look_up");
    expect(last()).toMatchObject({ message_ts: reply?.ts, message: { thread_ts: ts, text: "in a thread" } });
  });

  it("works where the app is not, without the names of private and direct conversations", async () => {
    const { team, ann, sent } = await startWithApp(undefined, options);
    for (const place of [team.addChannel({ name: "secret", kind: "private", members: [ann] }), ann.directPlace]) {
      await ann.messageShortcut(await ann.says("x", { in: place }), "translate");
    }
    expect(sent.map(({ channel }) => channel.name)).toEqual(["privategroup", "directmessage"]);
  });

  it("reports the home workspace of a person from another company, and the organization", async () => {
    const { slack, last } = await startWithApp(undefined, options);
    const organization = slack.addOrganization({ name: "acme inc", isOrgWide: true });
    const team = slack.addWorkspace({ name: "grid", organization });
    const home = slack.addWorkspace({ name: "elsewhere", installed: false });
    const eve = team.addUser({ name: "eve", home });
    const shared = team.addChannel({ name: "shared", members: [eve] });
    await eve.messageShortcut(await eve.says("x", { in: shared }), "look_up");
    expect(last()).toMatchObject({
      user: { id: eve.id, team_id: home.id },
      team: { id: team.id },
      enterprise: { id: organization.id, name: "acme inc" },
      is_enterprise_install: true,
    });
  });

  it("must be one of the app's, for a message that the person and others see", async () => {
    const { slack, team, client, ann, bob, general, message } = await startWithMessage();
    const { sent } = await startApp(slack);
    await expect(ann.messageShortcut(message, "other")).rejects.toThrow(
      'There is no message shortcut "other"; offered: "look_up", "translate".',
    );
    await client.chat.postEphemeral({ channel: general.id, user: ann.id, text: "only ann" });
    const ephemeral = seen(ann.sees(general).at(-1));
    await expect(ann.messageShortcut(ephemeral, "look_up")).rejects.toThrow(
      "A message that only ann sees has no shortcuts.",
    );
    const secret = team.addChannel({ name: "secret", kind: "private", members: [bob] });
    const unseen = await bob.says("x", { in: secret });
    await expect(ann.messageShortcut(unseen, "look_up")).rejects.toThrow("ann does not see the message");
    expect(sent).toEqual([]);
  });

  it("does not exist if the app declares none, or is not installed", async () => {
    const { ann, general } = await startAcme();
    const message = await ann.says("x", { in: general });
    await expect(ann.messageShortcut(message, "look_up")).rejects.toThrow("offered: none.");
    const { slack } = await startAcme(options);
    const bare = slack.addWorkspace({ name: "bare", installed: false });
    const eve = bare.addUser({ name: "eve" });
    const place = bare.addChannel({ name: "general", members: [eve] });
    const own = await eve.says("x", { in: place });
    await expect(eve.messageShortcut(own, "look_up")).rejects.toThrow("The app is not installed in bare.");
  });

  it("shows an error if the app does not acknowledge, and is not retried", async () => {
    const { slack, ann, message } = await startWithMessage();
    const shownError = "We had some trouble connecting. Try again?";
    expect(await ann.messageShortcut(message, "look_up")).toMatchObject({ status: 0, tries: 1, shownError });
    const { sent } = await startApp(slack, () => 500);
    expect(await ann.messageShortcut(message, "look_up")).toMatchObject({ status: 500, tries: 1, shownError });
    expect(sent).toHaveLength(1);
  });

  it("lets the app respond, also in the thread of the message, which stays as it is", async () => {
    const { slack, ann, bob, general, message } = await startWithMessage();
    const { last } = await startApp(slack);
    await ann.messageShortcut(message, "look_up");
    const respond = async (body: object): Promise<string> =>
      (await fetch(last().response_url, { method: "POST", body: JSON.stringify(body) })).text();
    const inThread = { text: "all", response_type: "in_channel", replace_original: false, thread_ts: message.ts };
    expect(await respond({ text: "private", replace_original: true })).toBe("ok");
    expect(await respond(inThread)).toBe("ok");
    expect(bob.sees(general).map(({ text }) => text)).toEqual(["calls drop in lobby", "all"]);
    expect(ann.sees(general)[1]).toMatchObject({ text: "private", isOnlyVisibleToYou: true });
  });
});

describe("a Bolt app receives message shortcuts", () => {
  it.each([
    ["over HTTP", startBoltApp],
    ["over Socket Mode", startSocketApp],
  ] as const)("%s, answers, and recognizes a repeat", async (_, startListening) => {
    const { slack, team, ann, general, message } = await startWithMessage();
    const retries: unknown[] = [];
    await startListening(slack, { token: team.botToken }, (app) => {
      app.shortcut({ type: "message_action", callback_id: "look_up" }, async ({ ack, shortcut, respond, context }) => {
        await ack();
        retries.push(context.retryNum);
        if (shortcut.type === "message_action") await respond(`Found: ${shortcut.message.text}`);
      });
    });
    slack.repeatNext();
    expect(await ann.messageShortcut(message, "look_up")).toMatchObject({
      status: 200,
      tries: 2,
      shownError: undefined,
    });
    await slack.until(() => ann.sees(general).length === 3);
    expect(ann.sees(general).at(-1)).toMatchObject({
      text: "Found: calls drop in lobby",
      isOnlyVisibleToYou: true,
      fromId: team.botUserId,
    });
    expect(retries).toEqual([undefined, 1]);
  });
});
