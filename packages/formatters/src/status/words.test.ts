import { logStatus } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import { now } from "../test/samples.js";
import { alarmOf, calmWords, failureWords, lastHourWords, markOf, refusedWords, serviceWords } from "./words.js";

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
