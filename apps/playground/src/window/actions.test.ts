import { describe, expect, it } from "vitest";
import { type Respond, startWindowStage } from "../test/window.js";

const plain = (text: string) => ({ type: "plain_text", text });
const older = (block_id: string) => ({
  type: "actions",
  block_id,
  elements: [
    { type: "button", action_id: "older", text: plain("Older") },
    {
      type: "static_select",
      action_id: "kind",
      options: [{ text: plain("API calls"), value: "api" }],
    },
  ],
});
const form = {
  type: "modal",
  callback_id: "token",
  title: plain("New token"),
  submit: plain("Mint"),
  blocks: [
    {
      type: "input",
      block_id: "channel",
      label: plain("Channel"),
      element: { type: "plain_text_input", action_id: "name" },
    },
  ],
};
const withForm: Respond = async (sent, call) => {
  if (sent.type === "shortcut") await call("views.open", { trigger_id: sent.trigger_id, view: form });
};

describe("a window", () => {
  it("sends a typed command or message", async () => {
    const { ann, bob, general, act, last } = await startWindowStage({ respond: () => undefined });
    expect(await act({ person: ann.id, do: "command", place: general.id, line: "/media logs" })).toEqual({
      status: 200,
      body: {},
    });
    expect(last()).toMatchObject({ command: "/media", text: "logs", user_id: ann.id, channel_id: general.id });
    await act({ person: bob.id, do: "command", place: bob.directPlace.id, line: "/media" });
    expect(last()).toMatchObject({ text: "", user_id: bob.id, channel_id: bob.directPlace.id });
    await act({ person: bob.id, do: "say", place: general.id, text: "hello" });
    expect(ann.sees(general)).toMatchObject([{ from: "bob", fromId: bob.id, text: "hello" }]);
  });

  it("replies in a thread, where it can mention the app", async () => {
    const slack = { scopes: ["chat:write", "app_mentions:read"] };
    const { ann, bob, team, general, act, last } = await startWindowStage({ slack, respond: () => undefined });
    const { ts } = await bob.says("calls drop", { in: general });
    const text = `${team.botMention} why lobby`;
    expect(await act({ person: ann.id, do: "say", place: general.id, thread: ts, text })).toEqual({
      status: 200,
      body: {},
    });
    expect(ann.repliesTo({ channelId: general.id, ts })).toMatchObject([{ from: "ann", text }]);
    expect(last().event).toMatchObject({ type: "app_mention", thread_ts: ts, text });
  });

  it("presses exactly the chosen button or menu of a message", async () => {
    const { ann, general, call, act, last } = await startWindowStage({ respond: () => undefined });
    const blocks = [older("first"), older("second")];
    const { ts } = await call("chat.postMessage", { channel: general.id, text: "x", blocks });
    const on = { kind: "message", channelId: general.id, ts };
    await act({ person: ann.id, do: "press", on, blockId: "second", actionId: "older" });
    expect(last()).toMatchObject({ user: { id: ann.id }, actions: [{ block_id: "second", action_id: "older" }] });
    await act({ person: ann.id, do: "choose", on, blockId: "second", actionId: "kind", entry: "api" });
    expect(last()).toMatchObject({ actions: [{ block_id: "second", selected_option: { value: "api" } }] });
  });

  it("uses a message shortcut", async () => {
    const { ann, bob, general, act, last } = await startWindowStage({ respond: () => undefined });
    const { ts } = await bob.says("calls drop in lobby", { in: general });
    const shortcut = { person: ann.id, do: "message-shortcut", callbackId: "look_up", channelId: general.id, ts };
    expect(await act(shortcut)).toEqual({ status: 200, body: {} });
    expect(last()).toMatchObject({ type: "message_action", user: { id: ann.id }, message: { ts, user: bob.id } });
    expect(await act({ ...shortcut, callbackId: "other" })).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^There is no message shortcut "other"/) },
    });
  });

  it("opens the home and presses its buttons", async () => {
    const { ann, call, act, last } = await startWindowStage({ respond: () => undefined });
    expect(await act({ person: ann.id, do: "home" })).toEqual({ status: 200, body: {} });
    expect(last().event).toMatchObject({ type: "app_home_opened", user: ann.id });
    await call("views.publish", { user_id: ann.id, view: { type: "home", blocks: [older("x")] } });
    const on = { kind: "view", id: ann.home?.id };
    await act({ person: ann.id, do: "press", on, blockId: "x", actionId: "older" });
    expect(last()).toMatchObject({ view: { type: "home" }, actions: [{ action_id: "older" }] });
  });

  it("submits a modal's entries by block id, or closes the modal", async () => {
    const { ann, general, act, last } = await startWindowStage({ respond: withForm });
    const open = async () => {
      await act({ person: ann.id, do: "shortcut", callbackId: "new_token" });
      return ann.modal?.id;
    };
    const view = await open();
    await act({ person: ann.id, do: "submit", view, entries: { channel: "lobby" } });
    expect(last()).toMatchObject({
      type: "view_submission",
      view: { state: { values: { channel: { name: { value: "lobby" } } } } },
    });
    expect(ann.modal).toBeUndefined();
    await act({ person: ann.id, do: "shortcut", callbackId: "new_token", place: general.id });
    expect(last()).toMatchObject({ type: "shortcut", callback_id: "new_token" });
    expect(await act({ person: ann.id, do: "close" })).toEqual({ status: 200, body: {} });
    expect(ann.modal).toBeUndefined();
  });

  it("returns Slack's error if the app fails", async () => {
    const { ann, general, act } = await startWindowStage({ respond: () => 500 });
    expect(await act({ person: ann.id, do: "command", place: general.id, line: "/media" })).toEqual({
      status: 200,
      body: { shownError: '/media failed with the error "dispatch_failed"' },
    });
    expect(await act({ person: ann.id, do: "command", place: general.id, line: "/other" })).toEqual({
      status: 200,
      body: { shownError: "/other is not a valid command." },
    });
  });
});

describe("a window refuses with an error", () => {
  it.each([
    ["an empty message", { do: "say", text: " \n" }, /a message must not be empty/],
    [
      "a reply to an unknown message",
      { do: "say", text: "x", thread: "1.000001" },
      "ann does not see the message 1.000001.",
    ],
    ["a shortcut in an unknown conversation", { do: "shortcut", callbackId: "x", place: "C1" }, /C1\.$/],
    ["an unknown conversation", { do: "say", place: "C1", text: "x" }, "ann is not in a conversation with the id C1."],
    ["a missing button", { do: "press", blockId: "x", actionId: "newer" }, /^There is no button "newer"/],
    [
      "an option that is not offered",
      { do: "choose", blockId: "x", actionId: "kind", entry: "tea" },
      'There is no option "tea"; offered: "API calls".',
    ],
    ["a modal that is not open", { do: "submit", view: "V1", entries: {} }, /no longer open/],
    ["closing without an open modal", { do: "close" }, "ann has no modal open."],
    ["an action of an unknown person", { do: "close", person: "U1" }, "There is no person with the id U1."],
    ["an unknown action", { do: "dance" }, /^Invalid action: do: /],
    ["an action with an unknown field", { do: "close", all: true }, /^Invalid action: .*"all"/],
  ])("%s", async (_, deed, error) => {
    const { ann, general, call, act, sent } = await startWindowStage({ respond: () => undefined });
    const { ts } = await call("chat.postMessage", { channel: general.id, text: "x", blocks: [older("x")] });
    const where = ["press", "choose"].includes(deed.do) && { on: { kind: "message", channelId: general.id, ts } };
    const place = deed.do === "say" && { place: general.id };
    const { status, body } = await act({ person: ann.id, ...where, ...place, ...deed });
    expect(status).toBe(400);
    expect(body.error).toEqual(typeof error === "string" ? error : expect.stringMatching(error));
    expect(sent).toEqual([]);
  });

  it("a button in a message for another person", async () => {
    const { ann, bob, general, call, act, sent } = await startWindowStage({ respond: () => undefined });
    await call("chat.postEphemeral", { channel: general.id, user: ann.id, text: "x", blocks: [older("x")] });
    const on = { kind: "message", channelId: general.id, ts: ann.sees(general).at(-1)?.ts };
    const press = { do: "press", on, blockId: "x", actionId: "older" };
    expect(await act({ ...press, person: bob.id })).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^bob does not see the message/) },
    });
    expect(sent).toEqual([]);
    expect(await act({ ...press, person: ann.id })).toMatchObject({ status: 200 });
  });

  it("an empty required field", async () => {
    const { ann, act, last } = await startWindowStage({ respond: withForm });
    await act({ person: ann.id, do: "shortcut", callbackId: "new_token" });
    const submit = { person: ann.id, do: "submit", view: ann.modal?.id, entries: { channel: "" } };
    expect(await act(submit)).toEqual({ status: 400, body: { error: '"Channel" must be filled in.' } });
    expect(last().type).toBe("shortcut");
  });
});
