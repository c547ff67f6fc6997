import { expect, test } from "vitest";
import type { LogLine } from "../../../src/window/protocol.js";
import { filterLog } from "./panel.js";

const line = (id: number, from: LogLine["from"], text: string, fields = {}): LogLine => ({
  id,
  at: id,
  from,
  level: id === 2 ? "warn" : "info",
  text,
  fields,
});
const lines = [
  line(1, "service", "Started"),
  line(2, "bot", "Slow answer", { url: "http://x" }),
  line(3, "bot", "Ready"),
];

test.each([
  ["all", "", [3, 2, 1]],
  ["bot", "", [3, 2]],
  ["service", "", [1]],
  ["all", "slow", [2]],
  ["all", "WARN", [2]],
  ["all", "http://x", [2]],
  ["service", "slow", []],
] as const)("filters lines from %s by %j", (from, text, ids) => {
  expect(filterLog(lines, { from, text }).map(({ id }) => id)).toEqual(ids);
});
