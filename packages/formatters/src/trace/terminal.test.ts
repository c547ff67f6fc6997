import { describe, expect, it } from "vitest";
import { formatTrace } from "../terminal/index.js";
import { now, trace } from "../test/samples.js";
import { colours } from "../test/terminal-text.js";

const linesOf = (text: string): string[] => text.split("\n");

describe("a trace in the terminal", () => {
  it("has the times of the reader's zone", () => {
    const lines = linesOf(formatTrace(trace, { now, timeZone: "Asia/Tokyo", width: 160 }));
    expect(lines.slice(1, 4)).toEqual([
      "9 lines, 4 of them failures, 08:59:58–23:04:02 · webhooks to hooks.example/media",
      "",
      "08:59:58 session 01KAKR6W…F6H8 created · on node-1",
    ]);
  });

  it("wraps beside the times, and below them if lines are very short", () => {
    const refused = { ...trace, older: undefined, lines: trace.lines.slice(3, 4) };
    expect(linesOf(formatTrace(refused, { now, width: 40 })).slice(-3)).toEqual([
      "",
      "14:02:11 client c1 refused: channel full",
      "         (5 of 5) · sendrecv · on node-1",
    ]);
    expect(linesOf(formatTrace(refused, { now, width: 16 })).slice(-6)).toEqual([
      "14:02:11",
      "client c1",
      "refused: channel",
      "full (5 of 5) ·",
      "sendrecv · on",
      "node-1",
    ]);
  });

  it("colours what failed and what ended well, and greys what is beside it", () => {
    const text = colours(formatTrace(trace, { now, width: 160, color: true }));
    expect(text).toContain("14:02:11 <31>client c1 refused: channel full (5 of 5)<39><2> · sendrecv · on node-1<22>");
    expect(text).toContain("14:04:02 <32>✓ connection 01KAKV0B…4F2D ended after 17 min");
    expect(text).toContain("         <2>… 15 min without entries …<22>");
    expect(text).toContain("<1>Today<22>");
  });
});
