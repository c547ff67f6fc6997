import { describe, expect, it } from "vitest";
import { formatLogDetail } from "../terminal/index.js";
import { now, samples } from "../test/samples.js";

describe("one entry", () => {
  it("wraps a long value", () => {
    expect(formatLogDetail("api", { url: `https://media.example/${"x".repeat(30)}` }, { now, width: 40 })).toBe(
      [
        "Time     –",
        "Status   –",
        "Took     –",
        `Address  https://media.example/${"x".repeat(9)}`,
        `         ${"x".repeat(21)}`,
      ].join("\n"),
    );
  });

  it("has values below their titles if they do not fit beside them", () => {
    expect(formatLogDetail("api", samples.api[0], { now, width: 26 }).split("\n").slice(0, 6)).toEqual([
      "Time",
      "  2026-11-21 14:05:01 UTC",
      "  · 28 s ago ·",
      "  2026-11-21T14:05:01.332Z",
      "Status",
      "  ✓ 200",
    ]);
  });

  it("shows unknown fields, and truncates long names", () => {
    const text = formatLogDetail(
      "api",
      { ...samples.api[0], ["x".repeat(500)]: { deep: [1] }, "\u001b[2J": "\u001b[2J" },
      { now },
    );
    expect(text).toContain(`${"x".repeat(12)}…${"x".repeat(11)}  {"deep":[1]}`);
    expect(text).toMatch(/^␛\[2J +␛\[2J$/m);
  });

  it("may be coloured", () => {
    expect(formatLogDetail("api", samples.api[1], { now, color: true })).toContain(
      "\u001b[2mStatus\u001b[22m   \u001b[31m▲ 400\u001b[39m",
    );
  });
});
