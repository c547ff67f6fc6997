import { logStatus } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import * as slack from "./slack/index.js";
import { alarmOf, calmWords, failureWords, lastHourWords, markOf, refusedWords, serviceWords } from "./status.js";
import * as terminal from "./terminal/index.js";
import { now, samples, service, statuses } from "./test/samples.js";
import { textsOf } from "./test/slack-preview.js";

const [HERE, THERE] = ["https://hooks.example/here", "https://hooks.example/there"];

/** Entries of the last minute: the number of entries per status, and their URL. */
function logged(...entries: [status: number, count: number, url?: string][]): unknown[] {
  const timestamp = new Date(now - 60_000).toISOString();
  return entries.flatMap(([status, count, url = HERE]) => Array(count).fill({ timestamp, status, url }));
}

const old = { timestamp: "2026-11-20T00:00:00Z", status: 500 };

describe("the description of a log's state", () => {
  it.each<[words: string, entries: unknown[]]>([
    ["– none in the last hour", []],
    ["✓ none in the last hour", [old]],
    ["✓ 1 webhook in the last hour", logged([200, 1])],
    ["✓ 37 webhooks in the last hour", logged([200, 37])],
    ["? at least 1,000 webhooks in the last hour", logged([200, 1000])],
    ["▲ 1 webhook in the last hour, which failed with 503, for hooks.example/here", logged([503, 1])],
    ["▲ 2 webhooks in the last hour, all of which failed without an answer, for hooks.example/here", logged([0, 2])],
    [
      "▲ 37 webhooks in the last hour, 12 of them failed, most often with 503; worst: hooks.example/here",
      logged([200, 25], [503, 10], [404, 2, THERE]),
    ],
    [
      "▲ 5 webhooks in the last hour, 4 of them failed; among them hooks.example/here",
      logged([200, 1], [404, 2], [503, 2, THERE]),
    ],
    [
      "▲ at least 1,000 webhooks in the last hour, at least 2 of them failed with 500",
      logged([200, 998], [500, 2]).map((entry) => ({ ...Object(entry), url: null })),
    ],
  ])("%s", (words, entries) => {
    const status = logStatus("webhooks", entries, { now });
    expect(`${markOf(status)} ${lastHourWords(status)}${failureWords(status.lastHour)}`).toBe(words);
  });
});

it.each<[entries: unknown[], details: string]>([
  [logged([200, 4], [503, 1]), "1 of 5 in the last hour with 503, for hooks.example/here."],
  [logged([200, 999], [503, 1]), "at least 1 of at least 1,000 in the last hour with 503, for hooks.example/here."],
])("a failing log has a heading with details", (entries, details) => {
  expect(alarmOf(logStatus("webhooks", entries, { now }))).toEqual({ what: "Webhooks fail", details });
});

describe("the description of the event log's state", () => {
  const event = { timestamp: new Date(now - 60_000).toISOString(), outcome: "failed", reason: "ice-timeout" };
  const full = { ...event, outcome: "refused", reason: "channel-full", client_id: "c1" };

  const expired = { ...full, reason: "expired" };
  const fine = { ...event, outcome: "ok" };

  it.each<[details: string, entries: unknown[]]>([
    ["1 of 2 events in the last hour, with the reason ICE timeout.", [event, fine]],
    [
      "2 of 2 events in the last hour, with the reason ICE timeout, for client c1.",
      Array(2).fill({ ...event, client_id: "c1" }),
    ],
    ["1 of 13 events in the last hour, with the reason ICE timeout.", [{ ...full, count: 12 }, event]],
  ])("names the connections that fail, and no refused clients: %s", (details, entries) => {
    const status = logStatus("events", entries, { now });
    expect(markOf(status)).toBe("▲");
    expect(alarmOf(status)).toEqual({ what: "Connections fail", details });
  });

  it.each<[words: string, calm: string, entries: unknown[]]>([
    ["✓ 1 event in the last hour", "✓ All is well: nothing failed in the last hour.", [fine]],
    [
      "✓ 1 event in the last hour; 1 attempt to connect refused (token expired)",
      "✓ Nothing failed in the last hour.",
      [expired],
    ],
    [
      "✓ 1,670 events in the last hour; 1,669 attempts to connect refused (most often token expired)",
      "✓ Nothing failed in the last hour.",
      [{ ...expired, count: 1666 }, { ...full, count: 3 }, fine],
    ],
    [
      "✓ 2 events in the last hour; 2 attempts to connect refused",
      "✓ Nothing failed in the last hour.",
      [expired, full],
    ],
    [
      "? at least 1,000 events in the last hour; at least 2 attempts to connect refused (token expired)",
      "? Nothing failed in what was searched of the last hour.",
      [...Array(998).fill(fine), expired, expired],
    ],
  ])("says how many clients were refused, which is no failure: %s", (words, calm, entries) => {
    const status = logStatus("events", entries, { now });
    expect(`${markOf(status)} ${lastHourWords(status)}${failureWords(status.lastHour)}${refusedWords(status)}`).toBe(
      words,
    );
    expect(calmWords([logStatus("sessions", [], { now }), status])).toBe(calm);
  });
});

it.each([
  [{ askedWith: "profile staging" }, "https://media.example answered in 1.24 s, with the key of profile staging."],
  [{}, "https://media.example answered in 1.24 s."],
])("the service is described by its URL, its response time and the owner of the key", (more, words) => {
  expect(serviceWords({ address: "https://media.example", answeredInMs: 1240, ...more })).toBe(words);
});

const readIn = ({ blocks }: slack.SlackMessage): string[] => textsOf(blocks);

const fine = logStatus("sessions", samples.sessions, { now });

describe("the state of a service", () => {
  it("has refused clients in the line of their log, and not among the failures", () => {
    const refused = samples.events.filter(({ outcome }) => outcome !== "failed");
    const [calm, logs] = readIn(slack.formatStatus([fine, logStatus("events", refused, { now })], service, { now }));
    expect(calm).toBe("✓ Nothing failed in the last hour.");
    expect(logs).toMatch(/\n✓ Event log: newest .*; 1,666 attempts to connect refused \(channel full\)$/);
  });

  it("says that a service has no event log, which is no failure", () => {
    const missing = { ...logStatus("events", [], { now }), isMissing: true } as const;
    const [calm, logs] = readIn(slack.formatStatus([fine, missing], service, { now }));
    expect(calm).toBe("✓ All is well: nothing failed in the last hour.");
    expect(logs).toMatch(/\n– Event log: this service has none$/);
  });

  it("says that everything is fine, or that there is no traffic", () => {
    expect(slack.formatStatus([fine], service, { now }).text).toBe("✓ All is well: nothing failed in the last hour.");
    const empty = logStatus("sessions", [], { now });
    const words = "– All is quiet: nothing was logged in the last hour.";
    expect(readIn(slack.formatStatus([empty], service, { now })).slice(0, 2)).toEqual([words, "– Session log: empty"]);
    expect(slack.formatStatus([], service, { now })).toMatchObject({ text: words, blocks: { length: 2 } });
  });

  it("writes a time that Slack cannot format in the requested zone", () => {
    const status = logStatus("sessions", [{ timestamp: "1969-07-20T20:17:40Z" }], { now });
    const [, line] = readIn(slack.formatStatus([status], service, { now, timeZone: "Asia/Tokyo" }));
    expect(line).toMatch(/^✓ Session log: newest 1969-07-21 05:17:40 · \d+ d ago, none in the last hour$/);
  });
});

describe("the state of a service", () => {
  it("shows the distance of an entry in the future", () => {
    const entry = { ...samples.api[0], timestamp: "2026-11-21T14:10:30Z" };
    const status = logStatus("api", [entry], { now });
    expect(terminal.formatStatus([status], service, { now })).toContain(
      "API log: newest in 5 min, 1 API call in the last hour.",
    );
  });

  it("wraps below the words if lines are short, and below the mark if they are very short", () => {
    const [sessions] = statuses.map((status) => [status]);
    expect(
      terminal
        .formatStatus(sessions ?? [], service, { now, width: 30 })
        .split("\n")
        .slice(-3),
    ).toEqual(["✓ Session log: newest 2 min", "  ago, 2 sessions in the last", "  hour."]);
    expect(
      terminal
        .formatStatus(sessions ?? [], service, { now, width: 12 })
        .split("\n")
        .slice(-7),
    ).toEqual(["✓", "Session log:", "newest 2 min", "ago, 2", "sessions in", "the last", "hour."]);
  });

  it("colours only the marks", () => {
    const text = terminal.formatStatus(statuses, service, { now, color: true });
    expect(text).toContain("\u001b[32m✓\u001b[39m Session log");
    expect(text).toContain("\u001b[31m▲\u001b[39m Webhook log");
  });

  it("says that a service has no event log, in a terminal", () => {
    const missing = { ...logStatus("events", [], { now }), isMissing: true } as const;
    expect(terminal.formatStatus([missing], { address: "a", answeredInMs: 1 }, { now })).toBe(
      "✓ a answered in 1 ms.\n– Event log: this service has none.",
    );
  });
});
