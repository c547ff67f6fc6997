import { checkBlocks } from "@media-ops/fake-slack";
import type { Trace, TraceLine } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import * as slack from "./slack/index.js";
import * as terminal from "./terminal/index.js";
import { ambiguousTrace, emptyTrace, now, partialTrace, samples, trace } from "./test/samples.js";
import { previewOf } from "./test/slack-preview.js";
import { colours } from "./test/terminal-text.js";
import { leastGap, lineWords, type TraceOptions, timelineOf, timeOfLine, traceLineWords } from "./trace.js";

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

const id = "0J9V6TQ2M4EXK7C3R8ZB5HW1NA";
const timestamp = "2026-11-21T14:03:20Z";

type EventEntry = Extract<TraceLine, { kind: "events" }>["entry"];

const event = (entry: Partial<EventEntry>): TraceLine => ({
  kind: "events",
  entry: { timestamp, type: "connection.created", outcome: "ok", ...entry },
});
const refused = (entry: Partial<EventEntry>) => event({ type: "admission.refused", outcome: "refused", ...entry });
const failed = (entry: Partial<EventEntry>) => event({ type: "connection.failed", outcome: "failed", ...entry });

/** What an answer from a service may be. */
const raw = (kind: string, entry: unknown, end?: unknown): TraceLine => ({ kind, entry, end }) as TraceLine;

describe("a line of a trace", () => {
  it.each<[words: string, line: TraceLine]>([
    [
      "client c1 refused 1,666× within a minute: token expired",
      refused({ client_id: "c1", reason: "expired", count: 1666 }),
    ],
    ["connection 0J9V6TQ2…W1NA refused: no token", refused({ connection_id: id, reason: "no-token" })],
    ["a client refused 3× within a minute: unknown project", refused({ reason: "unknown-project", count: 3 })],
    ["a client refused", refused({})],
    ["connection 0J9V6TQ2…W1NA created", event({ connection_id: id })],
    [
      "connection 0J9V6TQ2…W1NA failed after 20 s: ICE timeout",
      failed({ connection_id: id, reason: "ice-timeout", media_reason: "ICE-TIMEOUT", elapsed_time_ms: 20_000 }),
    ],
    [
      "connection 0J9V6TQ2…W1NA failed: NO-ROUTE",
      failed({ connection_id: id, reason: "other", media_reason: "NO-ROUTE" }),
    ],
    ["a connection failed", failed({})],
    [
      "connection K8 vanished after 1 h: node died",
      event({
        type: "connection.vanished",
        outcome: "failed",
        connection_id: "K8",
        reason: "node-gone",
        elapsed_time_ms: 3_600_000,
      }),
    ],
    [
      "connection K8 failed after 3 min: signaling lost",
      event({
        type: "connection.destroyed",
        outcome: "failed",
        connection_id: "K8",
        reason: "signaling-lost",
        elapsed_time_ms: 180_000,
      }),
    ],
    ["✓ connection K8 ended", event({ type: "connection.destroyed", connection_id: "K8", media_reason: "NO-ERROR" })],
    [
      "✓ connection K8 ended after 17 min: disconnected by the API",
      event({
        type: "connection.destroyed",
        connection_id: "K8",
        reason: "disconnected-by-api",
        elapsed_time_ms: 1_020_000,
      }),
    ],
    ["session S1 created", event({ type: "session.created", session_id: "S1" })],
    ["✓ session S1 ended", event({ type: "session.destroyed", session_id: "S1" })],
    [
      "session S1 vanished: node died",
      event({ type: "session.vanished", outcome: "failed", session_id: "S1", reason: "node-gone" }),
    ],
    ["recording started", event({ type: "recording.started" })],
    ["recording started late", event({ type: "recording.started.late" })],
    ["something", event({ type: "something" })],
    ["connection", event({ type: "connection" })],
    [
      "✓ connection 01KAKV0B…4F2D ended after 44 min 42 s, 1.28 GB received, 48.1 kB sent",
      raw("connections", samples.connections[0]),
    ],
    [
      "✓ session 01KAKR6W…F6H8 ended after 2 h 5 min, 1,204 connections, at most 87 at once",
      raw("sessions", samples.sessions[0]),
    ],
    ["webhook connection.destroyed → 503 in 1.24 s", raw("webhooks", samples.webhooks[1])],
    ["webhook session.created → no answer after 10 s", raw("webhooks", samples.webhooks[3])],
    ["API media.example/projects/create-access-token → 400 in 1 ms", raw("api", samples.api[1])],
  ])("says what happened: %s", (words, line) => {
    expect(traceLineWords(line, { isBrief: true })).toBe(words);
  });

  it("names client, channel and node, if they are not left out", () => {
    const where = { channel_id: "lobby@demo", role: "recvonly", node_name: "node-2" };
    expect(traceLineWords(failed({ connection_id: id, client_id: "c1", ...where }))).toBe(
      "connection 0J9V6TQ2…W1NA failed · client c1 · in lobby · recvonly · on node-2",
    );
    expect(traceLineWords(refused({ client_id: "c1", connection_id: id, ...where }))).toBe(
      "client c1 refused · in lobby · recvonly · on node-2",
    );
    expect(traceLineWords(event({ type: "recording.started", connection_id: id, ...where }))).toBe(
      "recording started · connection 0J9V6TQ2…W1NA · in lobby · recvonly · on node-2",
    );
    expect(traceLineWords(raw("webhooks", { ...samples.webhooks[1], connection_id: id }))).toBe(
      "webhook connection.destroyed → 503 in 1.24 s · connection 0J9V6TQ2…W1NA · to hooks.example/teams/vide…ion/eu-central-1/events",
    );
  });

  it("has the figures of the end that another log has, and the more precise duration", () => {
    const end = { created_timestamp: "2026-11-21T13:46:20Z", destroyed_timestamp: timestamp, duration_min: 17 };
    const bytes = { total_received_bytes: 48_000_000, total_sent_bytes: 2_000_000 };
    const entry = { type: "connection.destroyed", outcome: "ok", connection_id: "K8" };
    const words = (more: object, end: object) =>
      traceLineWords(raw("events", { ...entry, ...more }, end), { isBrief: true });
    expect(words({}, { ...end, ...bytes })).toBe("✓ connection K8 ended after 17 min, 48 MB received, 2 MB sent");
    expect(words({ elapsed_time_ms: 1_020_500 }, end)).toBe("✓ connection K8 ended after 17 min 1 s");
    expect(words({}, { duration_min: 17 })).toBe("✓ connection K8 ended after 17 min");
    expect(words({}, { ...end, destroyed_timestamp: "2026-11-21T13:00:00Z" })).toBe(
      "✓ connection K8 ended after 17 min",
    );
    const session = { type: "session.destroyed", outcome: "ok", session_id: "S1" };
    expect(traceLineWords(raw("events", session, { total_connections: 1, max_connections: 1 }))).toBe(
      "✓ session S1 ended, 1 connection, at most 1 at once",
    );
  });

  it.each<[tone: string, line: TraceLine]>([
    ["plain", event({})],
    ["good", event({ type: "connection.destroyed" })],
    ["bad", event({ type: "connection.destroyed", outcome: "failed" })],
    ["bad", failed({})],
    ["bad", refused({})],
    ["plain", raw("webhooks", { status: 200 })],
    ["notice", raw("webhooks", { status: 302 })],
    ["bad", raw("webhooks", { status: 404 })],
    ["bad", raw("webhooks", { status: 0 })],
    ["plain", raw("webhooks", {})],
  ])("is %s, as its outcome or status", (tone, line) => {
    expect(lineWords(line).tone).toBe(tone);
  });

  it("has the time of its entry", () => {
    expect(timeOfLine(event({}))).toBe(Date.parse(timestamp));
    expect(timeOfLine(raw("events", { timestamp: "yesterday" }))).toBeUndefined();
  });

  it.each<[words: string, line: unknown]>([
    ["–", undefined],
    ["–", {}],
    ["votes", { kind: "votes", entry: { type: "cast" } }],
    ["–", { kind: "events", entry: null }],
    [
      "7 refused",
      { kind: "events", entry: { type: "admission.refused", client_id: 7, outcome: "refused", reason: 5 } },
    ],
    ["webhook – → –", { kind: "webhooks", entry: { status: "503", elapsed_time_ms: -1 } }],
    ["✓ a connection ended", { kind: "connections", entry: { duration_min: Number.NaN, total_sent_bytes: "many" } }],
  ])("is %j if it is not what it should be: %j", (words, line) => {
    expect(traceLineWords(line as TraceLine, { isBrief: true }).replace("client ", "")).toBe(words);
  });
});

/** What a reader in UTC sees, without bold text. */
const read = ({ blocks }: slack.SlackMessage): string[] =>
  previewOf(blocks)
    .replaceAll("**", "")
    .replaceAll(/<\/?sub>/g, "")
    .split(/<br>|\n+/);

/** A trace with many lines, a second apart, the newest now. */
function long(count: number, more: object = {}): Trace {
  const lines = Array.from({ length: count }, (_, at): TraceLine => {
    const timestamp = new Date(now - (count - at - 1) * 1000).toISOString();
    return {
      kind: "events",
      entry: { timestamp, type: "connection.created", outcome: "ok", connection_id: `K${at + 1}`, ...more },
    };
  });
  return { ...trace, lines };
}

describe("a trace in Slack", () => {
  it("shows each time in the reader's zone, with the date unless all are today", () => {
    const formatsOf = (given: Trace) =>
      JSON.stringify(slack.formatTrace(given, { now }).blocks).match(/(?<="format":")[^"]+/g);
    expect(new Set(formatsOf(trace))).toEqual(new Set(["{date_num} {time_secs}"]));
    expect(new Set(formatsOf({ ...trace, lines: trace.lines.slice(1) }))).toEqual(new Set(["{time_secs}"]));
    const old = slack.formatTrace(long(1, { timestamp: "1969-07-20T20:17:40Z" }), { now, timeZone: "Asia/Tokyo" });
    expect(read(old)).toContain("1969-07-21 05:17:40 connection K1 created");
  });

  it("says what the text may name", () => {
    expect(read(slack.formatTrace(ambiguousTrace, { now }))).toEqual([
      "Trace of 01KAKV0…",
      "This could be any of these:",
      "- connection 01KAKV09Q2M4EXK7C3R8ZB5HW1, last seen 14:03:20 · 2 min ago",
      "- connection 01KAKV0B9G7T5R3P1M8K6H4F2D, last seen 14:04:02 · 1 min ago",
      "- client 01KAKV0B9E7W5Q3X1Z8N6M4K2J, last seen 2026-11-20 09:00:00 · 1 d ago",
    ]);
  });

  it("keeps the newest lines if not all fit, and says how many it omits", () => {
    const message = slack.formatTrace(long(1000), { now });
    const lines = read(message);
    expect(message.shown).toBeGreaterThan(100);
    expect(message.shown).toBeLessThan(1000);
    expect(lines).toContain("14:05:30 connection K1000 created");
    expect(lines).toContain(
      `The newest ${message.shown} of 1,000 lines: ${1000 - message.shown} older ones do not fit. There may be older lines.`,
    );
    expect(lines.filter((line) => / created$/.test(line))).toHaveLength(message.shown);
    expect(checkBlocks(message.blocks, "message")).toEqual({ ok: true });
    // Few blocks, none of which is longer than Slack's sections may be.
    expect(message.blocks.length).toBeLessThan(10);
    for (const block of message.blocks) expect(previewOf([block]).length).toBeLessThan(3000);
  });

  it("shows all lines of a client that was refused a thousand times as one", () => {
    const refused = { type: "admission.refused", outcome: "refused", client_id: "c1", reason: "no-token" };
    const message = slack.formatTrace(long(1000, refused), { now });
    expect(message.shown).toBe(1000);
    expect(read(message)).toContain("13:48:51 client c1 refused 1,000× within 16 min 39 s: no token");
  });

  it("omits a gap together with the lines before it", () => {
    // The last line that fits follows a gap.
    const { shown } = slack.formatTrace(long(1000), { now });
    const lines = long(1000).lines.map((line, at): TraceLine => {
      if (at >= 1000 - shown || line.kind !== "events") return line;
      return { ...line, entry: { ...line.entry, timestamp: new Date(now - 12 * 3_600_000).toISOString() } };
    });
    const message = slack.formatTrace({ ...trace, lines }, { now });
    expect(read(message).slice(2, 4)).toEqual([expect.stringMatching(/ created$/), expect.stringMatching(/ created$/)]);
  });
});

const linesOf = (text: string): string[] => text.split("\n");

describe("a trace in the terminal", () => {
  it("has the times of the reader's zone", () => {
    const lines = linesOf(terminal.formatTrace(trace, { now, timeZone: "Asia/Tokyo", width: 160 }));
    expect(lines.slice(1, 4)).toEqual([
      "9 lines, 4 of them failures, 08:59:58–23:04:02 · webhooks to hooks.example/media",
      "",
      "08:59:58 session 01KAKR6W…F6H8 created · on node-1",
    ]);
  });

  it("wraps beside the times, and below them if lines are very short", () => {
    const refused = { ...trace, older: undefined, lines: trace.lines.slice(3, 4) };
    expect(linesOf(terminal.formatTrace(refused, { now, width: 40 })).slice(-3)).toEqual([
      "",
      "14:02:11 client c1 refused: channel full",
      "         (5 of 5) · sendrecv · on node-1",
    ]);
    expect(linesOf(terminal.formatTrace(refused, { now, width: 16 })).slice(-6)).toEqual([
      "14:02:11",
      "client c1",
      "refused: channel",
      "full (5 of 5) ·",
      "sendrecv · on",
      "node-1",
    ]);
  });

  it("colours what failed and what ended well, and greys what is beside it", () => {
    const text = colours(terminal.formatTrace(trace, { now, width: 160, color: true }));
    expect(text).toContain("14:02:11 <31>client c1 refused: channel full (5 of 5)<39><2> · sendrecv · on node-1<22>");
    expect(text).toContain("14:04:02 <32>✓ connection 01KAKV0B…4F2D ended after 17 min");
    expect(text).toContain("         <2>… 15 min without entries …<22>");
    expect(text).toContain("<1>Today<22>");
  });
});
