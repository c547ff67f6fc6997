import { expect, test } from "vitest";
import { searchLog } from "./frame.js";

const lines = [
  { id: 1, at: 1, from: "service", level: "info", text: "Started", detail: {} },
  { id: 2, at: 2, from: "bot", level: "warn", text: "Slow answer", detail: { url: "http://x" } },
  { id: 3, at: 3, from: "bot", level: "info", text: "Ready", detail: {} },
] as const;

test.each([
  ["", [3, 2, 1]],
  ["bot", [3, 2]],
  ["service", [1]],
  ["slow", [2]],
  [" WARN  bot ", [2]],
  ["http://x", [2]],
  ["service slow", []],
])("the lines with %j, newest first, are %j", (text, ids) => {
  expect(searchLog(lines, text).map(({ id }) => id)).toEqual(ids);
});
