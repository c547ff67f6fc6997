import { describe, expect, it } from "vitest";
import { formatTrace } from "../terminal/index.js";
import { now } from "../test/samples.js";
import { colours } from "../test/terminal-text.js";
import { ambiguousTrace, emptyTrace, partialTrace, trace } from "../test/trace-samples.js";

const linesOf = (text: string): string[] => text.split("\n");

describe("a trace in the terminal", () => {
  it("has what was found, and a line for each entry, oldest first, with gaps and days between", () => {
    expect(linesOf(formatTrace(trace, { now, width: 160, title: "Trace of lobby" }))).toEqual([
      "Trace of lobby",
      "9 lines, 4 of them failures, Nov 20 23:59:58–today 14:04:02 UTC · webhooks to hooks.example/media",
      "",
      "Nov 20",
      "23:59:58 session 01KAKR6W…F6H8 created · on node-1",
      "         … 13 h 47 min without entries …",
      "Today",
      "13:47:02 connection 01KAKV0B…4F2D created · client stage-camera-2 · sendrecv · on node-1",
      "13:47:02 webhook connection.created → 200 in 84 ms · connection 01KAKV0B…4F2D",
      "         … 15 min without entries …",
      "14:02:11 client c1 refused: channel full (5 of 5) · sendrecv · on node-1",
      "14:02:12 client c7 refused 1,666× within a minute: token expired · recvonly · on node-1",
      "14:03:20 connection 01KAKV09…5HW1 failed after 20 s: ICE timeout · client c2 · recvonly · on node-2",
      "14:03:21 webhook connection.failed → 503 in 3.4 s · connection 01KAKV09…5HW1",
      "14:04:02 media API DisconnectChannel → 200 in 41 ms",
      "14:04:02 ✓ connection 01KAKV0B…4F2D ended after 17 min: disconnected by the API, 48 MB received, 2 MB sent · client stage-camera-2 · sendrecv · on node-1",
      "",
      "There may be older lines.",
    ]);
  });

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

  it("begins with what was not searched", () => {
    expect(linesOf(formatTrace(partialTrace, { now, width: 200 })).slice(0, 2)).toEqual([
      "Incomplete: only 13:40:00–14:05:30 UTC was searched. This service has no event log. Not searched: webhook log, whose entries don't say what they are about.",
      "Connection 01KAKV0B9G7T5R3P1M8K6H4F2D",
    ]);
  });

  it("says that nothing was found, or what the text may name", () => {
    expect(linesOf(formatTrace(emptyTrace, { now }))).toEqual([
      "Trace of 0J9V6TQ2…W1NA",
      "Nothing was found. Searched: event log, connection log and session log.",
    ]);
    expect(linesOf(formatTrace(ambiguousTrace, { now }))).toEqual([
      "Trace of 01KAKV0…",
      "This may be several things:",
      "connection 01KAKV09Q2M4EXK7C3R8ZB5HW1, last seen 14:03:20 · 2 min ago",
      "connection 01KAKV0B9G7T5R3P1M8K6H4F2D, last seen 14:04:02 · 1 min ago",
      "client 01KAKV0B9E7W5Q3X1Z8N6M4K2J, last seen Nov 20 09:00:00 · 1 d ago",
    ]);
  });
});
