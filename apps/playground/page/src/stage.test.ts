import type { SeenMessage } from "@media-ops/fake-slack";
import { describe, expect, test } from "vitest";
import type { LogLine, Scene } from "../../src/window/protocol.js";
import {
  changeState,
  MOST_LOG_LINES,
  readAddress,
  startState,
  unreadIn,
  type WindowChange,
  type WindowState,
  writeAddress,
} from "./stage.js";

test("an address restores the person and the place", () => {
  expect(readAddress(writeAddress("U1", "C2"))).toEqual({ person: "U1", place: "C2" });
  for (const hash of ["", "#", "#/"]) expect(readAddress(hash)).toEqual({ person: undefined, place: undefined });
});

const message = (ts: string, channelId = "C1", more: Partial<SeenMessage> = {}): SeenMessage => ({
  ...{ ts, channelId, from: "bot", fromId: "UB", threadTs: undefined, text: "Hello", blocks: [], files: [] },
  ...{ isOnlyVisibleToYou: false, isEdited: false },
  ...more,
});
const scene = (changed: Partial<Scene> = {}): WindowChange => ({
  event: "scene",
  data: {
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
    ...{ modal: null, home: null, incident: null, log: [] },
    ...changed,
  },
});
const said = (...of: Parameters<typeof message>): WindowChange => ({ event: "message", data: message(...of) });
const shown = (place: string): WindowChange => ({ event: "shown", data: { person: undefined, place } });

const begun = scene();
const other = scene({ you: "U2" });
const start = startState({ person: "U1", place: "C1" });
const after = (...changes: WindowChange[]): WindowState => changes.reduce(changeState, start);
const unreadAfter = (...changes: WindowChange[]) => unreadIn(after(begun, ...changes));

describe("messages", () => {
  test.each([
    ["a new one is added at the end", said("2.0"), ["1.0 C1 Hello", "2.0 C1 Hello"]],
    ["a changed one keeps its position", said("1.0", "C1", { text: "Changed" }), ["1.0 C1 Changed"]],
    [
      "one with the same timestamp in another conversation is separate",
      said("1.0", "C2"),
      ["1.0 C1 Hello", "1.0 C2 Hello"],
    ],
    ["a removed one disappears", { event: "gone", data: { channelId: "C1", ts: "1.0" } }, []],
    [
      "an unknown one that is removed changes nothing",
      { event: "gone", data: { channelId: "C2", ts: "1.0" } },
      ["1.0 C1 Hello"],
    ],
  ] as const)("%s", (_, change, expected) => {
    const messages = after(begun, change).scene?.messages ?? [];
    expect(messages.map(({ ts, channelId, text }) => `${ts} ${channelId} ${text}`)).toEqual(expected);
  });

  test("before the first scene are ignored", () => {
    expect(after(said("1.0")).scene).toBeUndefined();
  });
});

describe("unread", () => {
  const elsewhere = said("2.0", "C2");
  const reply = message("3.0", "C2", { threadTs: "2.0" });
  const again = (...messages: SeenMessage[]) => scene({ messages: [message("1.0"), ...messages] });

  test.each([
    ["are messages in other conversations", [elsewhere, said("3.0", "C2")], { C2: 2 }],
    ["are none once the conversation is opened", [elsewhere, shown("C2")], {}],
    ["are no messages in the open conversation", [said("2.0")], {}],
    ["are no changes", [said("2.0"), shown("C2"), said("1.0", "C1", { text: "Changed" })], {}],
    ["are direct messages", [said("2.0", "D1")], { D1: 1 }],
    ["are no direct messages once the app's messages are opened", [said("2.0", "D1"), shown("direct")], {}],
    ["are no replies in threads", [{ event: "message", data: reply }], {}],
    ["are the same after a reconnection", [elsewhere, again(message("2.0", "C2"))], { C2: 1 }],
    ["are none in a window that is opened first", [elsewhere, other], {}],
    [
      "is what came while another window was open, except in the open conversation",
      [other, again(message("2.0", "D1"), message("2.1", "D1"), message("2.2", "C1"), reply)],
      { D1: 2 },
    ],
    [
      "is what was unread before another window was opened",
      [said("2.0", "D1"), other, again(message("2.0", "D1"), message("2.1", "D1"))],
      { D1: 2 },
    ],
  ] as const)("%s", (_, changes, expected) => {
    expect(unreadAfter(...changes)).toEqual(expected);
  });
});

describe("the place", () => {
  test("stays the same for the next person, and is the first channel if it is unknown", () => {
    expect(after(begun, shown("C2"), other).place).toBe("C2");
    expect(changeState(startState({ person: undefined, place: "C-gone" }), begun).place).toBe("C1");
  });

  test("does not change with an address of a removed place, but the person does", () => {
    const before = after(begun, shown("C2"));
    expect(changeState(before, shown("C9"))).toEqual(before);
    const address = { person: "U2", place: undefined };
    expect(changeState(before, { event: "shown", data: address })).toEqual({ ...before, person: "U2" });
  });
});

test("a thread stays open until another place or another person's window is shown", () => {
  const opened: WindowChange = { event: "thread", data: "1.0" };
  expect(after(begun, opened, begun, shown("C1")).thread).toBe("1.0");
  for (const next of [{ event: "thread", data: undefined } as const, shown("C2"), other]) {
    expect(after(begun, opened, next).thread).toBeUndefined();
  }
});

test("Slack's own messages survive a reconnection, but not a change of person", () => {
  const notice: WindowChange = { event: "notice", data: { channelId: "C1", at: 1, text: "/media failed" } };
  const { notices } = after(begun, notice, notice, begun);
  expect(notices.map(({ from, text }) => `${from}: ${text}`)).toEqual(Array(2).fill("Slackbot: /media failed"));
  expect(new Set(notices.map(({ ts }) => ts)).size).toBe(2);
  expect(after(begun, notice, other).notices).toEqual([]);
});

test("modals, the home and the incident show their latest state", () => {
  const view = {
    ...{ id: "V1", type: "modal" as const, title: "A", callbackId: "a", blocks: [] },
    ...{ submit: "Go", close: "Stop", errors: {} },
  };
  const changed = after(
    begun,
    { event: "modal", data: view },
    { event: "home", data: view },
    { event: "incident", data: 5 },
  );
  expect(changed.scene).toMatchObject({ modal: view, home: view, incident: 5 });
  expect(changeState(changed, { event: "incident", data: null }).scene?.incident).toBeNull();
});

test("only the latest log lines are kept", () => {
  const line: LogLine = { id: 0, at: 0, from: "bot", level: "info", text: "", detail: {} };
  const many = Array.from({ length: 700 }, (_, id): WindowChange => ({ event: "log", data: { ...line, id } }));
  const { scene } = after(begun, ...many);
  expect(scene?.log).toHaveLength(MOST_LOG_LINES);
  expect(scene?.log.at(-1)?.id).toBe(699);
});
