import { expect, test } from "vitest";
import { entriesOf, initialValue, isInitial, menuOf, secondsAt } from "./form.js";

const option = (text: string, value?: string) => ({ text: { type: "plain_text", text }, ...(value && { value }) });

test.each([
  [{ type: "plain_text_input" }, ""],
  [{ type: "plain_text_input", initial_value: "lobby" }, "lobby"],
  [{ type: "static_select", initial_option: option("Ten minutes", "600") }, "600"],
])("%j starts with %j", (element, entry) => {
  expect(initialValue(element)).toEqual(entry);
});

test.each([
  [{ type: "checkboxes" }, false],
  [{ type: "checkboxes", initial_options: [option("Audio", "audio"), option("Video", "video")] }, true],
  [{ type: "radio_buttons", initial_option: option("Video", "video") }, true],
  [{ type: "radio_buttons", initial_option: option("Audio", "audio") }, false],
])("%j has the option video chosen initially: %j", (element, expected) => {
  expect(isInitial(element, option("Video", "video"))).toBe(expected);
});

test.each([
  ["2026-11-21T15:05", "Europe/Berlin", "2026-11-21T14:05:00Z"],
  ["2026-07-01T00:30", "Europe/Berlin", "2026-06-30T22:30:00Z"],
  ["2026-11-21T15:05", "America/New_York", "2026-11-21T20:05:00Z"],
  ["2026-11-21T15:05", "Asia/Kolkata", "2026-11-21T09:35:00Z"],
  // Just before and after the clock is set back.
  ["2026-10-25T01:30", "Europe/Berlin", "2026-10-24T23:30:00Z"],
  ["2026-10-25T03:30", "Europe/Berlin", "2026-10-25T02:30:00Z"],
  // Just after the clock is set forward.
  ["2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00:00Z"],
])("%s in %s is %s", (local, timeZone, utc) => {
  const seconds = Date.parse(utc) / 1000;
  expect(secondsAt(local, timeZone)).toBe(seconds);
});

test("an empty time is undefined", () => {
  expect(secondsAt("", "UTC")).toBeUndefined();
});

const places = [
  { id: "C1", name: "general", kind: "channel" },
  { id: "C2", name: "incidents", kind: "channel" },
  { id: "D1", name: "Media Ops", kind: "direct" },
] as const;
const include = (...kinds: string[]) => ({ filter: { include: kinds } });

test.each([
  [{}, ["C1", "C2", "D1"], ""],
  [include("public", "private"), ["C1", "C2"], ""],
  [include("im"), ["D1"], ""],
  [{ initial_conversation: "C1" }, ["C1", "C2", "D1"], "C1"],
  [{ default_to_current_conversation: true }, ["C1", "C2", "D1"], "C2"],
  [{ default_to_current_conversation: true, initial_conversation: "C1" }, ["C1", "C2", "D1"], "C1"],
  [{ default_to_current_conversation: true, ...include("im") }, ["D1"], ""],
])("a menu of conversations with %j offers %j, initially %j", (element, ids, initial) => {
  const found = menuOf({ type: "conversations_select", ...element }, places, "C2");
  expect([found.options.map(({ value }) => value), found.initial]).toEqual([ids, initial]);
});

const input = (block_id: string, type: string) => ({ type: "input", block_id, element: { type } });
const blocks = [
  { type: "section", block_id: "about", text: { type: "plain_text", text: "Fill it in." } },
  input("channel", "plain_text_input"),
  input("role", "radio_buttons"),
  input("may", "checkboxes"),
  input("until", "datetimepicker"),
];

test("submits the entry of each input by its block id", () => {
  const data = new FormData();
  for (const [name, value] of [
    ["role", "recvonly"],
    ["may", "audio"],
    ["may", "video"],
    ["until", "2026-11-21T15:05"],
  ]) {
    data.append(name ?? "", value ?? "");
  }
  expect(entriesOf(blocks, data, "Europe/Berlin")).toEqual({
    channel: "",
    role: "recvonly",
    may: ["audio", "video"],
    until: String(Date.parse("2026-11-21T14:05:00Z") / 1000),
  });
  expect(entriesOf(blocks, new FormData(), "UTC")).toEqual({ channel: "", role: "", may: [], until: "" });
});
