import { describe, expect, it } from "vitest";
import { actions, button, clientOf, modal, plain, seen, startAcme, startApp, startWithApp } from "../test/acme.js";

describe("a button", () => {
  const older = actions(button("Older", "older", { value: "page 2", style: "primary" }), button("Hide", "hide"));

  async function startWithButtons() {
    const acme = await startWithApp();
    await acme.client.chat.postMessage({
      channel: acme.general.id,
      text: "x",
      blocks: [older],
    });
    const message = seen(acme.ann.sees(acme.general).at(-1));
    return { ...acme, message, ts: message.ts };
  }

  it("reports the home workspace of a person from another company, and the workspace in which they pressed", async () => {
    const { slack, last } = await startWithButtons();
    const organization = slack.addOrganization({ name: "acme inc" });
    const team = slack.addWorkspace({ name: "grid", organization });
    const home = slack.addWorkspace({ name: "elsewhere", installed: false });
    const eve = team.addUser({ name: "eve", home });
    const shared = team.addChannel({ name: "shared", members: [eve], withBot: true });
    const client = clientOf(slack, team.botToken);
    await client.chat.postMessage({ channel: shared.id, text: "x", blocks: [older] });
    await eve.press(seen(eve.sees(shared).at(-1)), "Older");
    expect(last()).toMatchObject({
      user: { id: eve.id, team_id: home.id },
      team: { id: team.id },
      enterprise: { id: organization.id, name: "acme inc" },
      is_enterprise_install: false,
    });
    await eve.command("/media", { in: shared });
    expect(last()).toMatchObject({ team_id: home.id, enterprise_id: organization.id });
  });

  it("reports the person, the button and the message to the app", async () => {
    const { ann, message, last, general, slack, team, ts } = await startWithButtons();
    await ann.press(message, "Older");
    expect(last()).toEqual({
      type: "block_actions",
      user: { id: ann.id, username: "ann", name: "ann", team_id: team.id },
      api_app_id: slack.app.id,
      token: expect.any(String),
      team: { id: team.id, domain: "acme" },
      enterprise: null,
      is_enterprise_install: false,
      container: { type: "message", message_ts: ts, channel_id: general.id, is_ephemeral: false },
      trigger_id: expect.any(String),
      channel: { id: general.id, name: "general" },
      message: expect.objectContaining({ ts, text: "x", user: team.botUserId, bot_id: team.botId }),
      state: { values: {} },
      response_url: expect.stringContaining(slack.url),
      actions: [
        {
          type: "button",
          action_id: "older",
          block_id: expect.any(String),
          text: plain("Older"),
          value: "page 2",
          style: "primary",
          action_ts: expect.stringMatching(/^\d+\.\d{6}$/),
        },
      ],
    });
  });

  it("is found by its text, its action_id or its value", async () => {
    const { ann, message, sent } = await startWithButtons();
    for (const name of ["Older", "older", "page 2", "Hide"]) await ann.press(message, name);
    expect(sent.map(({ actions }) => actions[0].action_id)).toEqual(["older", "older", "older", "hide"]);
  });

  it("is found exactly by the ids of its block and element, for any reference to a message", async () => {
    const { client, general, ann, sent, last } = await startWithApp();
    const blocks = ["first", "second"].map((block_id) => ({ ...actions(button("Older", "older")), block_id }));
    const { ts = "" } = await client.chat.postMessage({ channel: general.id, text: "x", blocks });
    const message = { channelId: general.id, ts };
    await ann.press(message, { blockId: "second", actionId: "older" });
    expect(last().actions).toMatchObject([{ block_id: "second", action_id: "older" }]);
    await expect(ann.press(message, { blockId: "third", actionId: "older" })).rejects.toThrow(
      'There is no button "older" in the block "third"; there are: "Older", "Older".',
    );
    expect(sent).toHaveLength(1);
    await client.views.publish({ user_id: ann.id, view: { type: "home", blocks } });
    const id = seen(ann.home).id;
    await ann.press({ id }, { blockId: "second", actionId: "older" });
    expect(last()).toMatchObject({ view: { id }, actions: [{ block_id: "second" }] });
    await expect(ann.press({ id: "V1" }, "Older")).rejects.toThrow("ann does not see the view V1.");
  });

  it("pressed twice is sent twice concurrently, each time with its own trigger", async () => {
    let arrived = 0;
    let both = (): void => {};
    const bothArrived = new Promise<void>((resolve) => {
      both = resolve;
    });
    const { client, general, ann, sent } = await startWithApp(async () => {
      arrived += 1;
      if (arrived === 2) both();
      await bothArrived;
    });
    await client.chat.postMessage({ channel: general.id, text: "x", blocks: [older] });
    const message = seen(ann.sees(general).at(-1));
    await ann.press(message, "Older", { times: 2 });
    expect(new Set(sent.map(({ trigger_id }) => trigger_id)).size).toBe(2);
    expect(new Set(sent.map(({ response_url }) => response_url)).size).toBe(2);
  });

  it("cannot be pressed if no button has the name", async () => {
    const { ann, message } = await startWithButtons();
    await expect(ann.press(message, "Newer")).rejects.toThrow(
      'There is no button "Newer"; there are: "Older", "Hide".',
    );
  });

  it("in a private message can only be pressed by its reader, and the app does not receive the message", async () => {
    const { client, general, ann, bob, last } = await startWithApp();
    await client.chat.postEphemeral({ channel: general.id, user: ann.id, text: "x", blocks: [older] });
    const message = seen(ann.sees(general).at(-1));
    await ann.press(message, "Older");
    expect(last().container).toMatchObject({ is_ephemeral: true, message_ts: message.ts });
    expect(last()).not.toHaveProperty("message");
    await expect(bob.press(message, "Older")).rejects.toThrow("bob does not see the message");
  });

  it("in a thread reports the thread, also if only its reader sees the message", async () => {
    const { client, general, ann, last } = await startWithApp();
    const { ts = "" } = await client.chat.postMessage({ channel: general.id, text: "x" });
    const reply = { channel: general.id, thread_ts: ts, text: "x", blocks: [older] };
    await client.chat.postMessage(reply);
    await ann.press(seen(ann.sees(general).at(-1)), "Older");
    expect(last()).toMatchObject({ container: { is_ephemeral: false, thread_ts: ts }, message: { thread_ts: ts } });
    await client.chat.postEphemeral({ ...reply, user: ann.id });
    await ann.press(seen(ann.sees(general).at(-1)), "Older");
    expect(last().container).toMatchObject({ is_ephemeral: true, thread_ts: ts });
  });

  it("shows a sign of failure if the app does not acknowledge", async () => {
    const { slack, client, general, ann } = await startAcme();
    await startApp(slack, () => 500);
    await client.chat.postMessage({ channel: general.id, text: "x", blocks: [older] });
    const message = seen(ann.sees(general).at(-1));
    expect(await ann.press(message, "Older")).toMatchObject({ status: 500, shownError: expect.stringMatching(/./) });
  });

  it("in a home can be pressed there", async () => {
    const { client, ann, last } = await startWithApp();
    await client.views.publish({ user_id: ann.id, view: { type: "home", blocks: [older] } });
    await ann.press(seen(ann.home), "Older");
    expect(last()).toMatchObject({
      container: { type: "view", view_id: ann.home?.id },
      view: { type: "home", id: ann.home?.id },
    });
    expect(await client.views.open({ trigger_id: last().trigger_id, view: modal() })).toMatchObject({ ok: true });
  });
});

describe("a menu", () => {
  const options = ["Webhooks", "API"].map((text) => ({ text: plain(text), value: text.toLowerCase() }));
  const menus = actions(
    { type: "static_select", action_id: "kind", placeholder: plain("Which logs"), options },
    { type: "checkboxes", action_id: "more", options },
  );

  async function startWithMenus() {
    const acme = await startWithApp();
    await acme.client.chat.postMessage({ channel: acme.general.id, text: "x", blocks: [menus] });
    const message = seen(acme.ann.sees(acme.general).at(-1));
    return { ...acme, message };
  }

  it("reports the choice and the other state to the app", async () => {
    const { ann, message, sent, last } = await startWithMenus();
    await ann.choose(message, "Which logs", "API");
    expect(last().actions).toMatchObject([{ type: "static_select", action_id: "kind", selected_option: options[1] }]);
    await ann.choose(message, "more", ["Webhooks"]);
    expect(last().actions).toMatchObject([{ type: "checkboxes", selected_options: [options[0]] }]);
    const blockId = String(message.blocks[0]?.block_id);
    await ann.choose(message, { blockId, actionId: "kind" }, "API");
    expect(last().actions).toMatchObject([{ block_id: blockId, action_id: "kind", selected_option: options[1] }]);
    await expect(ann.choose(message, { blockId: "other", actionId: "kind" }, "API")).rejects.toThrow(
      'There is no menu "kind" in the block "other"',
    );
    const [values] = Object.values(last().state.values);
    expect(values).toEqual({
      kind: { type: "static_select", selected_option: options[1] },
      more: { type: "checkboxes", selected_options: [options[0]] },
    });
    expect(Object.values(sent[0].state.values)).toMatchObject([{ more: { selected_options: [] } }]);
  });

  it("accepts no other option", async () => {
    const { ann, message } = await startWithMenus();
    await expect(ann.choose(message, "kind", "Traces")).rejects.toThrow(
      'There is no option "Traces"; offered: "Webhooks", "API".',
    );
    await expect(ann.choose(message, "colour", "red")).rejects.toThrow('There is no menu "colour"');
  });
});
