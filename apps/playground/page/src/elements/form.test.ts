import { expect, test } from "vitest";
import { complaint, complaints, elementKey, entriesOf, initialEntry, secondsAt, zonedTime } from "./form.js";

test.each([
  [{ type: "plain_text_input" }, "", "required"],
  [{ type: "checkboxes" }, [], "required"],
  [{ type: "plain_text_input", min_length: 3 }, "ab", "at least 3"],
  [{ type: "plain_text_input", max_length: 3 }, "abcd", "at most 3"],
  [{ type: "number_input", is_decimal_allowed: false }, "1.5", "whole number"],
  [{ type: "number_input", is_decimal_allowed: false }, "many", "a number"],
  [{ type: "number_input", is_decimal_allowed: false, min_value: "0" }, "-1", "at least 0"],
  [{ type: "number_input", is_decimal_allowed: false, max_value: "10" }, "11", "at most 10"],
])("of %j, %j is complained about: %s", (element, entry, words) => {
  expect(complaint(element, entry, { isOptional: false })).toContain(words);
});

test.each([
  [{ type: "plain_text_input", min_length: 2, max_length: 3 }, "abc"],
  [{ type: "number_input", is_decimal_allowed: true, min_value: "0" }, "1.5"],
  [{ type: "static_select" }, "a"],
])("of %j, %j is right", (element, entry) => {
  expect(complaint(element, entry, { isOptional: false })).toBeUndefined();
});

test("what is optional may be empty, but not wrong", () => {
  expect(complaint({ type: "number_input" }, "", { isOptional: true })).toBeUndefined();
  expect(complaint({ type: "number_input" }, "x", { isOptional: true })).toBeDefined();
});

const option = (text: string, value?: string) => ({ text: { type: "plain_text", text }, ...(value && { value }) });

test.each([
  [{ type: "plain_text_input" }, ""],
  [{ type: "plain_text_input", initial_value: "lobby" }, "lobby"],
  [{ type: "static_select", initial_option: option("Ten minutes", "600") }, "600"],
  [{ type: "checkboxes" }, []],
  [{ type: "checkboxes", initial_options: [option("A", "a"), option("B", "b")] }, ["a", "b"]],
  [{ type: "datetimepicker", initial_date_time: 1795269928 }, "1795269928"],
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

test("says what is to be mended first, by its block", () => {
  expect(Object.keys(complaints(blocks, new Map([[elementKey("limit", "l"), "x"]])))).toEqual(["role", "limit"]);
});
