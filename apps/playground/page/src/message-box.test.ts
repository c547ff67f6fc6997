import { expect, test } from "vitest";
import { recall, remember } from "./message-box.js";

const lines = ["first", "second", "third"];

test.each([
  ["", "older", "third"],
  ["third", "older", "second"],
  ["first", "older", undefined],
  ["second", "newer", "third"],
  ["third", "newer", ""],
  ["", "newer", undefined],
] as const)("from %j, the %s line is %j", (shown, direction, line) => {
  expect(recall(lines, shown, direction)).toBe(line);
});

test("a line that is sent again becomes the newest, without a duplicate", () => {
  const sent = [...lines];
  remember(sent, "first");
  expect(sent).toEqual(["second", "third", "first"]);
});
