import { describe, expect, it } from "vitest";
import { controls, form, startWindowStage, withForm } from "../test/window.js";

type Stage = Awaited<ReturnType<typeof startStage>>;

/** Starts a window with a message that has buttons, and with a home. */
async function startStage() {
  const slack = { scopes: ["commands", "chat:write", "im:write", "app_mentions:read"] };
  const stage = await startWindowStage({ slack, respond: withForm() });
  const { ann, bob, general, call } = stage;
  const blocks = [controls("first"), controls("second")];
  const { ts } = await call("chat.postMessage", { channel: general.id, text: "x", blocks });
  await call("views.publish", { user_id: ann.id, view: { type: "home", blocks: [controls("x")] } });
  const { ts: question } = await bob.says("calls drop in lobby", { in: general });
  return { ...stage, on: { kind: "message", channelId: general.id, ts }, question };
}

const done = { status: 200, body: {} };

describe("a window", () => {
  it.each<[string, (stage: Stage) => object, (stage: Stage) => object]>([
    [
      "sends a typed command",
      ({ general }) => ({ do: "command", place: general.id, line: "/media logs" }),
      ({ ann, general }) => ({ command: "/media", text: "logs", user_id: ann.id, channel_id: general.id }),
    ],
    [
      "sends a command in the direct conversation",
      ({ ann }) => ({ do: "command", place: ann.directPlace.id, line: "/media" }),
      ({ ann }) => ({ text: "", user_id: ann.id, channel_id: ann.directPlace.id }),
    ],
    [
      "presses exactly the chosen button of a message",
      ({ on }) => ({ do: "press", on, blockId: "second", actionId: "older" }),
      ({ ann }) => ({ user: { id: ann.id }, actions: [{ block_id: "second", action_id: "older" }] }),
    ],
    [
      "chooses in exactly the chosen menu of a message",
      ({ on }) => ({ do: "choose", on, blockId: "second", actionId: "kind", entry: "api" }),
      () => ({ actions: [{ block_id: "second", selected_option: { value: "api" } }] }),
    ],
    [
      "uses a message shortcut",
      ({ general, question: ts }) => {
        return { do: "message-shortcut", callbackId: "look_up", channelId: general.id, ts };
      },
      ({ ann, bob, question: ts }) => ({ type: "message_action", user: { id: ann.id }, message: { ts, user: bob.id } }),
    ],
    [
      "uses a shortcut in a conversation",
      ({ general }) => ({ do: "shortcut", callbackId: "new_token", place: general.id }),
      () => ({ type: "shortcut", callback_id: "new_token" }),
    ],
    ["opens the home", () => ({ do: "home" }), ({ ann }) => ({ event: { type: "app_home_opened", user: ann.id } })],
    [
      "presses a button of the home",
      ({ ann }) => ({ do: "press", on: { kind: "view", id: ann.home?.id }, blockId: "x", actionId: "older" }),
      () => ({ view: { type: "home" }, actions: [{ action_id: "older" }] }),
    ],
    [
      "replies in a thread, where it can mention the app",
      ({ general, question, team }) => {
        return { do: "say", place: general.id, thread: question, text: `${team.botMention} why lobby` };
      },
      ({ question, team }) => ({
        event: { type: "app_mention", thread_ts: question, text: `${team.botMention} why lobby` },
      }),
    ],
  ])("%s", async (_, action, sent) => {
    const stage = await startStage();
    expect(await stage.act({ person: stage.ann.id, ...action(stage) })).toEqual(done);
    expect(stage.last()).toMatchObject(sent(stage));
  });

  it("says something in a conversation", async () => {
    const { ann, bob, general, act } = await startStage();
    await act({ person: bob.id, do: "say", place: general.id, text: "hello" });
    expect(ann.sees(general).at(-1)).toMatchObject({ from: "bob", fromId: bob.id, text: "hello" });
  });

  it("submits a modal's entries by block id, or closes the modal", async () => {
    const { ann, act, last } = await startWindowStage({ respond: withForm() });
    const open = () => act({ person: ann.id, do: "shortcut", callbackId: "new_token" });
    await open();
    const submit = { person: ann.id, do: "submit", view: ann.modal?.id };
    const empty = { status: 400, body: { error: '"Channel" must be filled in.' } };
    expect(await act({ ...submit, entries: { channel: "" } })).toEqual(empty);
    expect(last().type).toBe("shortcut");
    expect(await act({ ...submit, entries: { channel: "lobby" } })).toEqual(done);
    const values = { channel: { name: { value: "lobby" } } };
    expect(last()).toMatchObject({
      type: "view_submission",
      view: { callback_id: form.callback_id, state: { values } },
    });
    expect(ann.modal).toBeUndefined();
    await open();
    expect(ann.modal).toBeDefined();
    expect(await act({ person: ann.id, do: "close" })).toEqual(done);
    expect(ann.modal).toBeUndefined();
  });

  it.each([
    ["/media", '/media failed with the error "dispatch_failed"'],
    ["/other", "/other is not a valid command."],
  ])("returns Slack's error if the app fails: %s", async (line, shownError) => {
    const { ann, general, act } = await startWindowStage({ respond: () => 500 });
    const command = { person: ann.id, do: "command", place: general.id, line };
    expect(await act(command)).toEqual({ status: 200, body: { shownError } });
  });
});

describe("a window refuses with an error", () => {
  it.each([
    ["an empty message", { do: "say", text: " \n" }, /a message must not be empty/],
    ["a reply to an unknown message", { do: "say", text: "x", thread: "1.0" }, /^ann does not see the message 1\.0\.$/],
    ["a shortcut in an unknown conversation", { do: "shortcut", callbackId: "x", place: "C1" }, /C1\.$/],
    [
      "an unknown message shortcut",
      { do: "message-shortcut", callbackId: "other" },
      /^There is no message shortcut "other"/,
    ],
    [
      "an unknown conversation",
      { do: "say", place: "C1", text: "x" },
      /^ann is not in a conversation with the id C1\.$/,
    ],
    ["a missing button", { do: "press", blockId: "x", actionId: "newer" }, /^There is no button "newer"/],
    [
      "an option that is not offered",
      { do: "choose", blockId: "first", actionId: "kind", entry: "tea" },
      /^There is no option "tea"; offered: "API calls"\.$/,
    ],
    [
      "a button in a message for another person",
      { do: "press", person: "bob", blockId: "private", actionId: "older" },
      /^bob does not see the message/,
    ],
    ["a modal that is not open", { do: "submit", view: "V1", entries: {} }, /^This modal is no longer open\.$/],
    ["closing without an open modal", { do: "close" }, /^ann has no modal open\.$/],
    ["an action of an unknown person", { do: "close", person: "U1" }, /^There is no person with the id U1\.$/],
    ["an unknown action", { do: "dance" }, /^Invalid action: do: /],
    ["an action with an unknown field", { do: "close", all: true }, /^Invalid action: .*"all"/],
  ])("%s", async (_, action: { do: string; person?: string; blockId?: string }, error) => {
    const { ann, bob, general, call, on, act, sent } = await startStage();
    const { channelId, ts } = on;
    const hidden = { channel: general.id, user: ann.id, text: "x", blocks: [controls("private")] };
    const { message_ts } = await call("chat.postEphemeral", hidden);
    const message = action.blockId === "private" ? { ...on, ts: message_ts } : on;
    const where = action.blockId !== undefined && { on: message };
    const place = action.do === "say" ? { place: general.id } : action.do === "message-shortcut" && { channelId, ts };
    const person = action.person === "bob" ? bob.id : (action.person ?? ann.id);
    const { status, body } = await act({ ...where, ...place, ...action, person });
    expect(status).toBe(400);
    expect(body.error).toMatch(error);
    expect(sent).toEqual([]);
    // The person who sees it may press it.
    if (action.person === "bob") expect(await act({ ...where, ...action, person: ann.id })).toEqual(done);
  });
});
