import type { SeenMessage } from "@media-ops/fake-slack";
import { describe, expect, test } from "vitest";
import type { Exchange, LogLine, Scene } from "../../../src/window/protocol.js";
import {
  changeState,
  MOST_EXCHANGES,
  MOST_LOG_LINES,
  startState,
  type WindowChange,
  type WindowState,
} from "./window-state.js";

const message = (ts: string, channelId = "C1", text = "Hello"): SeenMessage => ({
  ts,
  channelId,
  from: "bot",
  fromId: "UB",
  threadTs: undefined,
  text,
  blocks: [],
  isOnlyVisibleToYou: false,
  isEdited: false,
  files: [],
});

const scene = (changed: Partial<Scene> = {}): Scene => ({
  team: "Acme",
  app: { name: "Media Ops", userId: "UB", messageShortcuts: [] },
  people: [],
  you: "U1",
  places: [
    { id: "C1", name: "general", kind: "channel" },
    { id: "C2", name: "incidents", kind: "channel" },
    { id: "D1", name: "Media Ops", kind: "direct" },
  ],
  messages: [message("1.0")],
  modal: null,
  home: null,
  incident: null,
  exchanges: [],
  log: [],
  ...changed,
});

function after(...changes: WindowChange[]): WindowState {
  return changes.reduce(changeState, startState("C1"));
}

const begun: WindowChange = { event: "scene", data: scene() };

describe("messages", () => {
  test("a new one is added at the end", () => {
    const { scene } = after(begun, { event: "message", data: message("2.0") });
    expect(scene?.messages.map(({ ts }) => ts)).toEqual(["1.0", "2.0"]);
  });

  test("a changed one keeps its position", () => {
    const { scene } = after(
      begun,
      { event: "message", data: message("2.0") },
      { event: "message", data: message("1.0", "C1", "Changed") },
    );
    expect(scene?.messages.map(({ text }) => text)).toEqual(["Changed", "Hello"]);
  });

  test("one with the same timestamp in another conversation is separate", () => {
    const { scene } = after(begun, { event: "message", data: message("1.0", "C2") });
    expect(scene?.messages).toHaveLength(2);
  });

  test("a removed one disappears", () => {
    expect(after(begun, { event: "gone", data: { channelId: "C1", ts: "1.0" } }).scene?.messages).toEqual([]);
  });
});

describe("unread", () => {
  const elsewhere: WindowChange = { event: "message", data: message("2.0", "C2") };

  test("messages in other conversations count until the conversation is opened", () => {
    expect(after(begun, elsewhere, { event: "message", data: message("3.0", "C2") }).unread).toEqual({ C2: 2 });
    expect(after(begun, elsewhere, { event: "shown", data: "C2" }).unread).toEqual({});
  });

  test("messages and changes in the open conversation do not count", () => {
    const changed: WindowChange = { event: "message", data: message("1.0", "C1", "Changed") };
    expect(after(begun, { event: "message", data: message("2.0") }).unread).toEqual({});
    expect(after(begun, { event: "shown", data: "C2" }, changed).unread).toEqual({});
  });

  test("direct messages count until the app's messages are opened", () => {
    const direct: WindowChange = { event: "message", data: message("2.0", "D1") };
    expect(after(begun, direct).unread).toEqual({ D1: 1 });
    expect(after(begun, direct, { event: "shown", data: "direct" }).unread).toEqual({});
  });

  test("replies in threads do not count", () => {
    const reply: WindowChange = { event: "message", data: { ...message("2.0", "C2"), threadTs: "1.0" } };
    expect(after(begun, reply).unread).toEqual({});
  });

  test("counts survive a reconnection, but not a change of person", () => {
    expect(after(begun, elsewhere, begun).unread).toEqual({ C2: 1 });
    expect(after(begun, elsewhere, { event: "scene", data: scene({ you: "U2" }) }).unread).toEqual({});
  });
});

describe("the window of a person that is opened again", () => {
  const other: WindowChange = { event: "scene", data: scene({ you: "U2" }) };
  const reply = { ...message("3.0", "C2"), threadTs: "2.0" };
  const messages = [message("1.0"), message("2.0", "D1"), message("2.1", "D1"), message("2.2", "C1"), reply];
  const again: WindowChange = { event: "scene", data: scene({ messages }) };

  test("counts what came meanwhile as unread, except in the open conversation", () => {
    expect(after(begun, other, again).unread).toEqual({ D1: 2 });
  });

  test("still counts what was unread before", () => {
    const unread: WindowChange = { event: "message", data: message("2.0", "D1") };
    expect(after(begun, unread, other, again).unread).toEqual({ D1: 2 });
  });
});

describe("the place", () => {
  test("stays the same for the next person", () => {
    const next: WindowChange = { event: "scene", data: scene({ you: "U2" }) };
    expect(after(begun, { event: "shown", data: "C2" }, next).place).toBe("C2");
  });

  test("is the first channel if it is unknown", () => {
    expect(changeState(startState("C-gone"), begun).place).toBe("C1");
  });
});

test("a thread stays open until another place or another person's window is shown", () => {
  const opened: WindowChange = { event: "thread", data: "1.0" };
  expect(after(begun, opened, begun, { event: "shown", data: "C1" }).thread).toBe("1.0");
  expect(after(begun, opened, { event: "thread", data: undefined }).thread).toBeUndefined();
  expect(after(begun, opened, { event: "shown", data: "C2" }).thread).toBeUndefined();
  expect(after(begun, opened, { event: "scene", data: scene({ you: "U2" }) }).thread).toBeUndefined();
});

test("the incident shows its latest state", () => {
  expect(after(begun, { event: "incident", data: 5 }).scene?.incident).toBe(5);
  expect(after(begun, { event: "incident", data: 5 }, { event: "incident", data: null }).scene?.incident).toBeNull();
});

test("Slack's own messages survive a reconnection, but not a change of person", () => {
  const said: WindowChange = { event: "notice", data: { channelId: "C1", at: 1, text: "/media failed" } };
  const { notices } = after(begun, said, said, begun);
  expect(notices.map(({ from, text }) => `${from}: ${text}`)).toEqual(Array(2).fill("Slackbot: /media failed"));
  expect(new Set(notices.map(({ ts }) => ts)).size).toBe(2);
  expect(after(begun, said, { event: "scene", data: scene({ you: "U2" }) }).notices).toEqual([]);
});

test("modals and the home show their latest state", () => {
  const view = {
    id: "V1",
    title: "A",
    callbackId: "a",
    blocks: [],
    submit: "Go",
    close: "Stop",
    type: "modal",
    errors: {},
  } as const;
  const { scene } = after(begun, { event: "modal", data: view }, { event: "home", data: view });
  expect(scene).toMatchObject({ modal: view, home: view });
});

test("only the latest exchanges and log lines are kept", () => {
  const exchange = (id: number): Exchange => ({
    id,
    at: 0,
    what: "call",
    name: "",
    status: 200,
    about: "",
    detail: {},
  });
  const line = (id: number): LogLine => ({ id, at: 0, from: "bot", level: "info", text: "", fields: {} });
  const many = Array.from({ length: 500 }, (_, id): WindowChange[] => [
    { event: "exchange", data: exchange(id) },
    { event: "log", data: line(id) },
  ]);
  const { scene } = after(begun, ...many.flat());
  expect(scene?.exchanges).toHaveLength(MOST_EXCHANGES);
  expect(scene?.log).toHaveLength(MOST_LOG_LINES);
  expect(scene?.exchanges.at(-1)?.id).toBe(499);
});

test("events before the first scene are ignored", () => {
  expect(after({ event: "message", data: message("1.0") }).scene).toBeUndefined();
});

test("an address of a removed place changes nothing", () => {
  const before = after(begun, { event: "shown", data: "C2" });
  expect(changeState(before, { event: "shown", data: "C9" })).toEqual(before);
});
