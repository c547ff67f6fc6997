import { describe, expect, it } from "vitest";
import { incidents } from "../test/samples.js";
import type { Incident } from "./incident.js";
import { changeWords } from "./words.js";

const { blind, failing, iceTimeouts, nodeGone, recovered, refused, slow } = incidents;

/** Groups in which one name has nearly all entries. */
const mostly = (...names: [field: string, name: string][]) =>
  names.map(([field, name]) => ({
    field,
    tallies: [
      { name, count: 1100 },
      { name: "another", count: 2 },
    ],
  }));

describe("a change of an incident", () => {
  it.each<[name: string, before: Incident, after: Incident, words: string]>([
    ["it recovered", failing, recovered, "Recovered after 12 min, 834 failures."],
    ["it recovered while the service did not answer", blind, recovered, "Recovered after 12 min, 834 failures."],
    [
      "slow calls are fast again",
      slow,
      { ...slow, ended: slow.began + 60_000 },
      "Recovered after 1 min: 45 of 900 media API calls took longer than 2 s.",
    ],
    [
      "it is over, and was no failure",
      nodeGone,
      { ...nodeGone, ended: nodeGone.began },
      "Over after less than a minute, 1 event.",
    ],
    ["it came back", recovered, { ...failing, times: 5 }, "Webhooks fail again: it came back 4 times."],
    [
      "it came back for the first time",
      { ...recovered, times: 1 },
      { ...failing, times: 2 },
      "Webhooks fail again: it came back once.",
    ],
    ["it came back within one look", failing, { ...failing, times: 3 }, "Webhooks fail again: it came back twice."],
    ["it goes on, and how often it came back is not known", recovered, failing, "Webhooks fail again."],
    [
      "ten times more failed",
      failing,
      { ...failing, count: 8340, total: 12_000 },
      "8,340 of 12,000 webhooks failed by now, 834 before.",
    ],
    [
      "ten times more were refused",
      refused,
      { ...refused, count: 1200 },
      "1,200 attempts to connect were refused by now, 120 before.",
    ],
    ["a percentile doubled", slow, { ...slow, worst: 8400 }, "p95 rose to 8.4 s, from 4.2 s."],
    ["a share doubled", iceTimeouts, { ...iceTimeouts, worst: 0.62 }, "Up to 62% failed within 10 min, 31% before."],
    [
      "a share within an hour doubled",
      { ...iceTimeouts, overMs: 3_600_000 },
      { ...iceTimeouts, overMs: 3_600_000, worst: 0.62 },
      "Up to 62% failed within an hour, 31% before.",
    ],
    [
      "another cause is the most frequent",
      iceTimeouts,
      { ...iceTimeouts, groups: mostly(["reason", "dtls-failed"], ["node_name", "node-2"]) },
      "The most frequent cause is now DTLS failed, before ICE timeout.",
    ],
    [
      "another place is the worst",
      iceTimeouts,
      { ...iceTimeouts, groups: mostly(["reason", "ice-timeout"], ["channel_id", "lobby@demo"]) },
      "The worst is now channel lobby, before node-2.",
    ],
    [
      "both are others",
      failing,
      { ...failing, groups: mostly(["status", "0"], ["url", "https://unreachable.example/in"]) },
      "The most frequent cause is now no answer, before 503; the worst is now unreachable.example/in, before hooks.example/media.",
    ],
  ])("is worth a note if %s", (_, before, after, words) => {
    expect(changeWords(before, after)).toBe(words);
  });

  it.each<[name: string, before: Incident, after: Incident]>([
    ["nothing changed", failing, failing],
    ["a few more failed", failing, { ...failing, count: 8339, total: 12_000, value: 5000, worst: 5000 }],
    ["it got less", iceTimeouts, { ...iceTimeouts, value: 0.01 }],
    ["it got a little worse", slow, { ...slow, worst: 8399 }],
    ["the service does not answer any more", failing, { ...blind, ended: failing.began }],
    ["the service does not answer, and more was seen before", failing, { ...blind, count: 9000, total: 10_000 }],
    ["there was no main cause or place before", { ...failing, groups: [] }, failing],
    ["there is none any more", failing, { ...failing, groups: [] }],
    ["it is still over", recovered, { ...recovered, lookedUntil: recovered.lookedUntil + 60_000 }],
  ])("is not worth a note if %s", (_, before, after) => {
    expect(changeWords(before, after)).toBeUndefined();
  });
});
