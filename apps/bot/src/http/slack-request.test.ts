import type { BlockAction, SlackShortcut } from "@slack/bolt";
import type { AppMentionEvent } from "@slack/types";
import { describe, expect, it } from "vitest";
import { commandForm, eventOf, home, mention, messageShortcut, press, shortcut, submission } from "../test/requests.js";
import {
  actionFrom,
  answerPlace,
  MalformedRequestError,
  mentionFrom,
  readSlackRequest,
  shortcutFrom,
  undoEscapes,
  usedIn,
} from "./entrance.js";

const url = "https://hooks.slack.com/app/T1/1/a";

describe("a request from Slack", () => {
  it.each([
    ["a command", commandForm],
    ["a press", press],
    ["a submitted window", submission],
    ["a press in a thread", { ...press, container: { message_ts: "1.2", thread_ts: "1.1" } }],
    ["a shortcut", shortcut],
    ["a shortcut of a message", messageShortcut],
    ["a shortcut of a message without text", { ...messageShortcut, message: { ts: "1.4", text: null, blocks: null } }],
    ["an opened home", home],
    ["a mention", mention],
    ["a mention in no thread", eventOf({ ...mention.event, thread_ts: null })],
    ["a mention by a bot", eventOf({ ...mention.event, user: undefined, subtype: "bot_message", bot_id: "B1" })],
    [
      "a window with a chosen conversation",
      { ...submission, response_urls: [{ channel_id: "C1", response_url: url }] },
    ],
    ["a removal", eventOf({ type: "app_uninstalled" })],
    ["a revoked token", eventOf({ type: "tokens_revoked", tokens: { bot: ["U1"] } })],
  ])("is parsed with all members that the bot needs: %s", (_, body) => {
    expect(readSlackRequest(body)).toEqual(body);
  });

  it("is parsed without unused members, so that it cannot pass for another kind", () => {
    const more = { event: null, command: "/media", name: 1, function_data: null, response_urls: 3 };
    expect(readSlackRequest({ ...press, ...more })).toEqual(press);
  });

  it.each([
    ["an event without a listener", eventOf({ type: "message", item: 1 })],
    ["a window that was closed", { type: "view_closed" }],
  ])("is ignored if it is %s", (_, body) => {
    expect(readSlackRequest(body)).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["a number", 1],
    ["a list", [press]],
    ["a string", "x"],
    ["nothing", {}],
    ["an unknown type", { ...press, type: "constructor" }],
    ["a type that is not a string", { ...press, type: 1 }],
    ["no person", { ...press, user: null }],
    ["no action", { ...press, actions: [] }],
    ["an action that is null", { ...press, actions: [null] }],
    ["a value that is not a string", { ...press, actions: [{ ...press.actions[0], value: 1 }] }],
    ["an invalid URL", { ...press, response_url: "x" }],
    ["a channel without an id", { ...press, channel: {} }],
    ["no window", { ...submission, view: null }],
    ["a window without a name", { ...submission, view: { ...submission.view, callback_id: "" } }],
    ["no state", { ...submission, view: { ...submission.view, state: null } }],
    ["a broken state", { ...submission, view: { ...submission.view, state: { values: { a: { b: null } } } } }],
    ["private_metadata that is not a string", { ...submission, view: { ...submission.view, private_metadata: {} } }],
    ["a shortcut of no message", { ...messageShortcut, message: null }],
    ["a shortcut of a message without a channel", { ...messageShortcut, channel: undefined }],
    ["a shortcut of a message whose text is a number", { ...messageShortcut, message: { ts: "1.4", text: 5 } }],
    ["a shortcut of a message whose blocks are an object", { ...messageShortcut, message: { ts: "1.4", blocks: {} } }],
    ["two commands in one", { ...commandForm, command: ["/media", "/media"] }],
    ["no event", eventOf(null)],
    ["invalid tokens", eventOf({ type: "tokens_revoked", tokens: 1 })],
    ["a mention in no channel", eventOf({ ...mention.event, channel: undefined })],
    ["a mention without a time", eventOf({ ...mention.event, ts: null })],
    ["a mention by a number", eventOf({ ...mention.event, user: 1 })],
    ["a mention whose text is a number", eventOf({ ...mention.event, text: 1 })],
    ["a chosen conversation without a URL", { ...submission, response_urls: [{ channel_id: "C1" }] }],
    ["a home without a person", eventOf({ type: "app_home_opened", tab: "home" })],
  ])("is refused with %s", (_, body) => {
    expect(() => readSlackRequest(body)).toThrow(MalformedRequestError);
  });

  it("is refused without quoting its content", () => {
    const planted = "mo_0123_0123456789abcdefghij";
    expect(() => readSlackRequest({ ...press, response_url: planted, user: { id: 1 } })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining(planted) }),
    );
  });
});

describe("the place of a request", () => {
  const threadOf = (container: object, message?: object) => {
    const body = { ...press, container, message } as unknown as BlockAction;
    return actionFrom(body, usedIn(body)).threadTs;
  };
  const shortcutOf = (message: object) => shortcutFrom({ ...messageShortcut, message } as unknown as SlackShortcut);

  it("is the thread that the container or the message names", () => {
    expect(threadOf({ message_ts: "1.2", thread_ts: "1.1" })).toBe("1.1");
    expect(threadOf({ message_ts: "1.2" }, { ts: "1.2", thread_ts: "1.1" })).toBe("1.1");
    expect(shortcutOf({ ts: "1.2", thread_ts: "1.1" })).toMatchObject({ channelId: "C1", threadTs: "1.1" });
  });

  it("is the channel, if a message is in no thread, or has begun one", () => {
    expect(threadOf({ message_ts: "1.2" }, { ts: "1.2" })).toBeUndefined();
    expect(threadOf({ message_ts: "1.2", thread_ts: "1.2" })).toBeUndefined();
    expect(threadOf({ message_ts: "1.2" }, { ts: "1.2", thread_ts: "1.2" })).toBeUndefined();
    expect(shortcutOf({ ts: "1.2", thread_ts: "1.2" }).threadTs).toBeUndefined();
  });

  it("is none for a shortcut that is used on no message", () => {
    expect(shortcutFrom(shortcut as unknown as SlackShortcut)).toMatchObject({
      channelId: undefined,
      message: undefined,
    });
  });

  it("is the conversation that was chosen in a window, or else the one that it was opened from", () => {
    const kept = { channelId: "C1", threadTs: "1.1", responseUrl: `${url}/kept` };
    const chosen = { block_id: "b", action_id: "a", channel_id: "C2", response_url: url };
    expect(answerPlace({ response_urls: [chosen] }, kept)).toEqual({ channelId: "C2", responseUrl: url });
    expect(answerPlace({ response_urls: [] }, kept)).toEqual(kept);
    expect(answerPlace({}, kept)).toEqual(kept);
  });
});

describe("a mention", () => {
  const read = (more: object) => mentionFrom({ ...mention.event, ...more } as unknown as AppMentionEvent);

  it("has its person, their workspace, and its thread if there is one", () => {
    const from = { userId: "U1", claimedTeamId: "T1", channelId: "C1", text: "<@U0> projects", ts: "1.6" };
    expect(read({})).toEqual({ ...from, threadTs: "1.5" });
    expect(read({ thread_ts: undefined, user_team: "T2" })).toEqual({ ...from, claimedTeamId: "T2" });
    expect(read({ text: null })?.text).toBe("");
  });

  it("is none if a bot or Slack wrote it", () => {
    for (const more of [
      { bot_id: "B1" },
      { user: undefined },
      { subtype: "bot_message" },
      { subtype: "reminder_add" },
    ]) {
      expect(read(more)).toBeUndefined();
    }
    for (const subtype of ["file_share", "thread_broadcast"]) expect(read({ subtype, bot_id: null })).toBeDefined();
  });
});

it("a channel of Slack means the media channel of that name, except for a digest, which needs its id", () => {
  expect(undoEscapes("token <#C0123ABCD|digest>")).toBe("token digest");
  expect(undoEscapes("logs webhooks channel:<#C0123ABCD|lobby>")).toBe("logs webhooks channel:lobby");
  const digest = " Digest at:09:00 in:<#C0123ABCD|general> project:a&b";
  expect(undoEscapes(digest.replace("&", "&amp;"))).toBe(digest);
});
