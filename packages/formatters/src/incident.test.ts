import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { changeWords, type Incident, incidentWords } from "./incident.js";
import * as slack from "./slack/index.js";
import { incidents, now } from "./test/samples.js";

const { blind, failing, iceTimeouts, nodeGone, recovered, refused, slow } = incidents;

const MINUTE = 60_000;
const read = (incident: Incident) => {
  const { mark, what, details } = incidentWords(incident, { now });
  return [`${mark} ${what}`, details];
};

describe("an incident that goes on", () => {
  it.each<[name: string, incident: Incident, heading: string, details: string]>([
    [
      "failed connections and refused clients together",
      {
        ...iceTimeouts,
        groups: [
          {
            field: "reason",
            tallies: [
              { name: "channel-full", count: 1000 },
              { name: "ice-timeout", count: 204 },
            ],
          },
        ],
      },
      "▲ Connections fail or are refused: channel full",
      "1,204 connections failed or were refused since Nov 20 12:05:30 UTC (1 d 2 h), most with the reason channel full. In the last 10 min, 12% failed or were refused, above 5%; at worst 31%.",
    ],
    [
      "failures of most webhooks to one receiver, whatever their type",
      {
        ...failing,
        groups: [
          { field: "url", tallies: [{ name: "https://hooks.example/media", count: 500 }] },
          { field: "type", tallies: [{ name: "session.created", count: 834 }] },
        ],
      },
      "▲ Webhooks fail",
      "834 of 1,200 webhooks failed since 13:53:00 UTC (12 min), 300 in the last 5 min; worst: hooks.example/media (500).",
    ],
    [
      "failures of most webhooks of one type",
      {
        ...failing,
        groups: [
          { field: "url", tallies: [{ name: "https://hooks.example/media", count: 400 }] },
          { field: "type", tallies: [{ name: "session.created", count: 834 }] },
        ],
      },
      "▲ Webhooks fail",
      "834 of 1,200 webhooks failed since 13:53:00 UTC (12 min), 300 in the last 5 min, all for event session.created.",
    ],
    [
      "slow calls that are fast again",
      { ...slow, value: 900, groups: [] },
      "▲ Media API calls are slow",
      "p95 is 900 ms, no longer above 2 s within 5 min; worst 4.2 s. 45 of 900 media API calls took longer than 2 s since 13:53:00 UTC (12 min).",
    ],
    [
      "a share that is just as high as its limit",
      { ...iceTimeouts, value: 0.05, worst: 0.05, groups: [] },
      "▲ Connections fail",
      "1,204 connections failed since Nov 20 12:05:30 UTC (1 d 2 h). In the last 10 min, 5% failed, the limit.",
    ],
    [
      "a share of failures within a minute",
      { ...iceTimeouts, overMs: MINUTE, groups: [] },
      "▲ Connections fail",
      "1,204 connections failed since Nov 20 12:05:30 UTC (1 d 2 h). In the last minute, 12% failed, above 5%; at worst 31%.",
    ],
    [
      "many entries that are no failures",
      { ...nodeGone, kind: "connections", count: 834, value: 0, groups: [], began: now - 12 * MINUTE },
      "▲ Many connections",
      "834 connections since 13:53:30 UTC (12 min), none in the last 5 min.",
    ],
    [
      "one failure",
      { ...failing, count: 1, value: 1, total: 1, groups: [{ field: "status", tallies: [{ name: "0", count: 1 }] }] },
      "▲ Webhooks fail: no answer",
      "1 webhook failed at 13:53:00 UTC, without an answer.",
    ],
    [
      "nothing but failures, in one place",
      {
        ...failing,
        total: 834,
        value: 834,
        groups: [
          { field: "status", tallies: [{ name: "503", count: 834 }] },
          { field: "url", tallies: [{ name: "https://hooks.example/media", count: 834 }] },
        ],
      },
      "▲ Webhooks fail: 503",
      "All 834 webhooks failed since 13:53:00 UTC (12 min), all with 503, for hooks.example/media.",
    ],
    [
      "failures without a main cause or place",
      {
        ...failing,
        value: 834,
        groups: [
          { field: "status", tallies: ["503", "504", "0"].map((name, at) => ({ name, count: 300 - at })) },
          { field: "url", tallies: ["a", "b", "c", "d", "e"].map((name, at) => ({ name, count: 200 - at })) },
        ],
      },
      "▲ Webhooks fail",
      "834 of 1,200 webhooks failed since 13:53:00 UTC (12 min), most often with 503.",
    ],
    [
      "failures that came back",
      { ...failing, value: 834, groups: [], times: 4 },
      "▲ Webhooks fail",
      "834 of 1,200 webhooks failed since 13:53:00 UTC (12 min). It came back 3 times.",
    ],
    [
      "nothing at all",
      { ...failing, count: 0, value: 0, groups: [] },
      "▲ Webhooks fail",
      "0 of 1,200 webhooks failed since 13:53:00 UTC (12 min).",
    ],
  ])("says how many, since when and why: %s", (_, incident, heading, details) => {
    expect(read(incident)).toEqual([heading, details]);
  });

  it("has its times in the zone of the reader", () => {
    const { details } = incidentWords(failing, { now, timeZone: "Asia/Tokyo" });
    expect(details).toContain(" since 22:53:00 (12 min), ");
  });
});

describe("an incident that is over", () => {
  it.each<[name: string, incident: Incident, heading: string, details: string]>([
    [
      "a share of failures, for more than a day",
      { ...iceTimeouts, ended: now - MINUTE, groups: [] },
      "✓ Connections failed",
      "Recovered after 1 d 2 h, 1,204 failures among 18,331 events from Nov 20 12:05:30 to today 14:04:30 UTC; up to 31% within 10 min.",
    ],
    [
      "a share of failures within a minute",
      { ...iceTimeouts, overMs: MINUTE, ended: now - MINUTE, groups: [] },
      "✓ Connections failed",
      "Recovered after 1 d 2 h, 1,204 failures among 18,331 events from Nov 20 12:05:30 to today 14:04:30 UTC; up to 31% within a minute.",
    ],
    [
      "slow calls",
      { ...slow, ended: now - MINUTE, groups: [] },
      "✓ Media API calls were slow",
      "Recovered after 11 min: 45 of 900 media API calls took longer than 2 s from 13:53:00 to 14:04:30 UTC; p95 was up to 4.2 s.",
    ],
    [
      "one moment, in which nothing failed",
      { ...nodeGone, ended: nodeGone.began },
      "✓ Events: node died",
      "Over after less than a minute, 1 event at 14:04:00 UTC, with the reason node died, on node-1.",
    ],
  ])("says how long it took and how many there were: %s", (_, incident, heading, details) => {
    expect(read(incident)).toEqual([heading, details]);
  });
});

describe("an incident of a service that does not answer", () => {
  it("is not known, whatever was seen before", () => {
    expect(incidentWords({ ...recovered, blindSince: now - MINUTE }, { now })).toMatchObject({ mark: "?" });
  });

  it("names what is not known if nothing was seen", () => {
    expect(read({ ...blind, count: 0, groups: [] })).toEqual([
      "? No answer",
      "The service has not answered since 14:02:30 UTC (3 min): whether webhooks fail is not known.",
    ]);
  });
});

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
      "8,340 of 12,000 webhooks failed so far, up from 834.",
    ],
    [
      "ten times more were refused",
      refused,
      { ...refused, count: 1200 },
      "1,200 attempts to connect were refused so far, up from 120.",
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
      "The most frequent cause is now DTLS failed, previously ICE timeout.",
    ],
    [
      "another place is the worst",
      iceTimeouts,
      { ...iceTimeouts, groups: mostly(["reason", "ice-timeout"], ["channel_id", "lobby@demo"]) },
      "The worst is now channel lobby, previously node-2.",
    ],
    [
      "both are others",
      failing,
      { ...failing, groups: mostly(["status", "0"], ["url", "https://unreachable.example/in"]) },
      "The most frequent cause is now no answer, previously 503; the worst is now unreachable.example/in, previously hooks.example/media.",
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

const watch = { title: "demo", description: "failed webhooks, more than 10 in 5 min" };
const format = (incident: Incident, options: Partial<slack.SlackIncidentOptions> = {}) =>
  slack.formatIncident(incident, { now, ...watch, ...options });

describe("an incident", () => {
  it("says that all of them failed, in one line for a phone", () => {
    expect(format({ ...failing, total: 834 }).text).toBe("Webhooks fail in demo: all 834 in 12 min, most with 503");
  });

  it("has no place if that goes without saying", () => {
    expect(format(failing, { title: "" }).text).toBe("Webhooks fail: 834 of 1,200 in 12 min, most with 503");
  });

  it("has a chart only if entries lie in two periods or more", () => {
    const types = (incident: Incident) => format(incident).blocks.map(({ type }) => type);
    expect(types(failing)).toEqual(["rich_text", "data_visualization", "context"]);
    expect(types(refused)).toEqual(["rich_text", "context"]);
    expect(
      types({ ...failing, overTime: failing.overTime.map((one, at) => ({ ...one, count: at === 3 ? 5 : 0 })) }),
    ).toEqual(["rich_text", "context"]);
  });

  it("has a chart of the last twenty periods, if there are more", () => {
    const overTime = Array.from({ length: 25 }, (_, at) => ({ from: at * 60_000, to: (at + 1) * 60_000, count: at }));
    const { blocks } = format({ ...failing, overTime: overTime.reverse() });
    const labels = Array.from({ length: 20 }, (_, at) => `00:${String(at + 5).padStart(2, "0")}`);
    expect(blocks[1]).toMatchObject({ chart: { axis_config: { categories: labels } } });
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
  });

  it.each<[incident: Incident, title: string, series: string]>([
    [failing, "Failed webhooks over time", "Failed"],
    [{ ...refused, overTime: failing.overTime }, "Refused attempts over time", "Refused"],
    [slow, "Slow media API calls over time", "Slow"],
    [{ ...slow, measure: "count" }, "Media API calls over time", "Media API calls"],
  ])("names what its chart counts: %#", (incident, title, series) => {
    expect(format(incident, { timeZone: "Asia/Tokyo" }).blocks[1]).toMatchObject({
      title,
      chart: { type: "bar", series: [{ name: series }], axis_config: { x_label: "Asia/Tokyo" } },
    });
  });
});
