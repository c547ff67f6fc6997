import type { Trace, TraceLine } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import { emptyTrace, now, partialTrace, trace } from "../test/samples.js";
import { leastGap, type TraceOptions, timelineOf } from "./timeline.js";

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

const lineAt = (timestamp: string, more: object = {}): TraceLine => ({
  kind: "events",
  entry: { timestamp, type: "connection.created", outcome: "ok", ...more },
});

const traceOf = (lines: TraceLine[], more: Partial<Trace> = {}): Trace => ({
  ...trace,
  lines,
  older: undefined,
  ...more,
});

/** The timeline as short texts: the time of a line, or a gap or day. */
function drawn(given: Trace, options: Partial<TraceOptions> = {}): string[] {
  const { items, clock } = timelineOf(given, { now, ...options });
  return items.map((item) => (item.is !== "line" ? item.text : item.time === undefined ? "?" : clock.full(item.time)));
}

const wordsOf = (given: Trace, options: Partial<TraceOptions> = {}): string =>
  timelineOf(given, { now, ...options }).words;

describe("what counts as a gap", () => {
  it.each<[least: number, gaps: number[]]>([
    [5 * MINUTE, []],
    [5 * MINUTE, [SECOND]],
    [5 * MINUTE, [SECOND, 12 * MINUTE, SECOND]],
    [5 * MINUTE, [DAY, DAY, DAY]],
    // A quarter of the lines may follow a gap.
    [5 * MINUTE, Array.from({ length: 40 }, (_, at) => (at % 4 === 0 ? 6 * MINUTE : SECOND))],
    [30 * MINUTE, Array.from({ length: 40 }, (_, at) => (at % 3 === 0 ? 6 * MINUTE : SECOND))],
    [30 * MINUTE, [...Array(20).fill(10 * MINUTE), HOUR]],
    [3 * HOUR, [...Array(20).fill(HOUR), 4 * HOUR]],
    [DAY, [...Array(20).fill(4 * HOUR), DAY]],
    [7 * DAY, Array(20).fill(DAY)],
  ])("is %d ms, so that there are more lines than gaps: %j", (least, gaps) => {
    expect(leastGap(gaps)).toBe(least);
  });
});

describe("a timeline", () => {
  it("has its lines in the given order, with the gaps between them", () => {
    const lines = ["13:00:00", "13:04:59.999", "13:17:10", "14:02:11"].map((time) => lineAt(`2026-11-21T${time}Z`));
    expect(drawn(traceOf(lines))).toEqual([
      "2026-11-21 13:00:00",
      "2026-11-21 13:04:59",
      "… 12 min without entries …",
      "2026-11-21 13:17:10",
      "… 45 min without entries …",
      "2026-11-21 14:02:11",
    ]);
  });

  it("names the days in the reader's zone, except if all is today", () => {
    const lines = ["2025-12-31T23:59:59Z", "2026-11-20T14:59:59Z", "2026-11-20T15:00:00Z"].map((time) => lineAt(time));
    expect(drawn(traceOf(lines))).toEqual([
      "2025-12-31",
      "2025-12-31 23:59:59",
      "… 323 d 15 h without entries …",
      "Nov 20",
      "2026-11-20 14:59:59",
      "2026-11-20 15:00:00",
    ]);
    expect(drawn(traceOf(lines.slice(1)), { timeZone: "Asia/Tokyo" })).toEqual([
      "Nov 20",
      "2026-11-20 23:59:59",
      "Today",
      "2026-11-21 00:00:00",
    ]);
    expect(drawn(traceOf([lineAt("2026-11-21T00:00:00Z")]))).toEqual(["2026-11-21 00:00:00"]);
  });

  it("keeps a line whose entry has no time", () => {
    expect(drawn(traceOf([lineAt("2026-11-21T14:00:00Z"), lineAt("?"), lineAt("2026-11-21T14:00:01Z")]))).toEqual([
      "2026-11-21 14:00:00",
      "?",
      "2026-11-21 14:00:01",
    ]);
  });

  it("has one line for a client that was refused again and again, until something else happens", () => {
    const refused = (time: string, more: object = {}) =>
      lineAt(`2026-11-21T${time}Z`, {
        ...{ type: "admission.refused", outcome: "refused", client_id: "tv-61", role: "recvonly" },
        ...{ reason: "expired", detail: "at 2026-11-21T12:00:00Z", ...more },
      });
    const lines = [
      refused("13:00:00", { jwt_id: "t1" }),
      refused("13:00:50", { jwt_id: "t1", count: 5 }),
      refused("13:02:00", { jwt_id: "t2" }),
      lineAt("2026-11-21T13:02:10Z"),
      refused("13:03:00"),
      refused("13:03:10", { reason: "wrong-role", detail: undefined }),
      refused("13:03:20", { client_id: undefined }),
      refused("13:03:30", { client_id: undefined }),
    ];
    const { words, items, count } = timelineOf(traceOf(lines), { now });
    expect(items.map((item) => item.is === "line" && [item.words.text, item.lines])).toEqual([
      ["client tv-61 refused 7× within 2 min: token expired (1 h 2 min earlier)", 3],
      ["a connection created", 1],
      ["client tv-61 refused: token expired (1 h 3 min earlier)", 1],
      ["client tv-61 refused: token for another role", 1],
      ["a client refused: token expired (1 h 3 min earlier)", 1],
      ["a client refused: token expired (1 h 4 min earlier)", 1],
    ]);
    expect([count, words]).toEqual([6, "6 lines, 5 of them failures, 13:00:00–13:03:30 UTC · recvonly"]);
  });

  it("has a new line for a client that is refused again after a pause", () => {
    const lines = ["13:00:00", "13:04:00", "13:08:00", "13:13:00", "13:50:00"].map((time) =>
      lineAt(`2026-11-21T${time}Z`, { type: "admission.refused", outcome: "refused", client_id: "c1" }),
    );
    expect(drawn(traceOf(lines))).toEqual([
      "2026-11-21 13:00:00",
      "… 5 min without entries …",
      "2026-11-21 13:13:00",
      "… 37 min without entries …",
      "2026-11-21 13:50:00",
    ]);
  });

  it("says once what all lines share, and not again what is traced", () => {
    const place = { channel_id: "lobby@demo", node_name: "node-1" };
    const lines = [
      lineAt("2026-11-21T14:00:00Z", { connection_id: "K1", client_id: "c1", role: "sendrecv", ...place }),
      lineAt("2026-11-21T14:00:01Z", { connection_id: "K2", client_id: "c1", role: "recvonly", ...place }),
      lineAt("2026-11-21T14:00:02Z", { type: "session.created", session_id: "S1", ...place }),
    ];
    const { words, items } = timelineOf(traceOf(lines, { subject: "client", id: "c1" }), { now });
    expect(words).toBe("3 lines, 14:00:00–14:00:02 UTC · in lobby · on node-1");
    const facts = items.map((item) => (item.is === "line" ? item.words.facts.map(({ text }) => text) : []));
    expect(facts).toEqual([["sendrecv"], ["recvonly"], []]);
  });
});

describe("the heading of a timeline", () => {
  it.each<[words: string, given: Trace, options?: Partial<TraceOptions>]>([
    ["1 line, at 14:00:00 UTC", traceOf([lineAt("2026-11-21T14:00:00Z")])],
    ["1 line", traceOf([lineAt("?")])],
    ["1 line, a failure, at 14:00:00 UTC", traceOf([lineAt("2026-11-21T14:00:00Z", { outcome: "failed" })])],
    [
      "2 lines in the last hour, 1 of them a failure, 23:00:00–23:01:00",
      traceOf([lineAt("2026-11-21T14:00:00Z", { outcome: "refused" }), lineAt("2026-11-21T14:01:00Z")]),
      { when: "in the last hour", timeZone: "Asia/Tokyo" },
    ],
    [
      "Nothing was found in the last hour. Searched: event log, connection log, session log, media API log and webhook log.",
      { ...emptyTrace, subject: "channel", id: "lobby" },
      { when: "in the last hour" },
    ],
    [
      "Nothing was found there. Searched: connection log.",
      { ...emptyTrace, subject: "client", id: "c1", complete: false, missing: ["events", "webhooks"] },
    ],
  ])("is %j", (words, given, options) => {
    expect(wordsOf(given, options)).toBe(words);
  });

  it.each<[title: string, given: Partial<Trace>]>([
    ["Channel lobby", { id: "lobby" }],
    ["Connection 0J9V6TQ2M4EXK7C3R8ZB5HW1NA", { subject: "connection", id: "0J9V6TQ2M4EXK7C3R8ZB5HW1NA" }],
    ["Client stage camera", { subject: "client", id: "stage camera" }],
  ])("names what is traced, so that it can be copied: %s", (title, given) => {
    expect(timelineOf({ ...trace, ...given }, { now }).title).toBe(title);
    expect(timelineOf({ ...trace, ...given }, { now, title: "Look here" }).title).toBe("Look here");
  });

  it("begins with what was not searched", () => {
    expect(timelineOf(trace, { now }).incomplete).toBe("");
    expect(timelineOf(partialTrace, { now }).incomplete).toBe(
      "Incomplete: only 13:40:00–14:05:30 UTC was searched. This service has no event log. Not searched: webhook log, whose entries don't say what they are about.",
    );
    expect(timelineOf({ ...partialTrace, missing: [] }, { now, until: now - 300_000 }).incomplete).toBe(
      "Incomplete: only 13:40:00–14:00:30 UTC was searched.",
    );
    expect(timelineOf({ ...trace, complete: false }, { now }).incomplete).toBe("Incomplete: only a part was searched.");
  });

  it("says whether there are older and newer lines", () => {
    expect(timelineOf(trace, { now, note: "Shortened." }).notes).toEqual(["There may be older lines.", "Shortened."]);
    const newer = { what: "lobby" };
    expect(timelineOf({ ...trace, older: undefined, newer }, { now }).notes).toEqual(["There may be newer lines."]);
  });
});
