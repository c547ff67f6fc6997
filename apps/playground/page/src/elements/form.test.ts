import { expect, test } from "vitest";
import { elementKey, entriesOf, initialEntry, secondsAt, zonedTime } from "./form.js";

const option = (text: string, value?: string) => ({ text: { type: "plain_text", text }, ...(value && { value }) });

test.each([
  [{ type: "plain_text_input" }, ""],
  [{ type: "plain_text_input", initial_value: "lobby" }, "lobby"],
  [{ type: "static_select", initial_option: option("Ten minutes", "600") }, "600"],
  [{ type: "checkboxes" }, []],
])("%j begins with %j", (element, entry) => {
  expect(initialEntry(element)).toEqual(entry);
});

test.each([
  ["2026-11-21T15:05", "Europe/Berlin", "2026-11-21T14:05:00Z"],
  ["2026-07-01T00:30", "Europe/Berlin", "2026-06-30T22:30:00Z"],
  ["2026-11-21T15:05", "America/New_York", "2026-11-21T20:05:00Z"],
  ["2026-11-21T15:05", "Asia/Kolkata", "2026-11-21T09:35:00Z"],
  // Just before and after the clock goes back.
  ["2026-10-25T01:30", "Europe/Berlin", "2026-10-24T23:30:00Z"],
  ["2026-10-25T03:30", "Europe/Berlin", "2026-10-25T02:30:00Z"],
  // Just after it has gone forward.
  ["2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00:00Z"],
])("%s in %s is %s, and back", (local, timeZone, utc) => {
  const seconds = Date.parse(utc) / 1000;
  expect(secondsAt(local, timeZone)).toBe(seconds);
  expect(zonedTime(seconds, timeZone)).toBe(local);
});

test("what is no time is none", () => {
  expect(secondsAt("", "UTC")).toBeUndefined();
});

const blocks = [
  { type: "section", block_id: "about", text: { type: "plain_text", text: "Fill it in." } },
  { type: "input", block_id: "channel", optional: true, element: { type: "plain_text_input", action_id: "c" } },
  { type: "input", block_id: "role", element: { type: "static_select", action_id: "r" } },
  { type: "input", block_id: "limit", element: { type: "number_input", action_id: "l", initial_value: "5" } },
];

test("sends what stands in each input, touched or not, by its block", () => {
  const entered = new Map([[elementKey("role", "r"), "recvonly"]]);
  expect(entriesOf(blocks, entered)).toEqual({ channel: "", role: "recvonly", limit: "5" });
});

test("what was entered into another element of a block is not taken for this one's", () => {
  const entered = new Map([[elementKey("role", "an earlier one"), "recvonly"]]);
  expect(entriesOf(blocks, entered)).toMatchObject({ role: "" });
});
