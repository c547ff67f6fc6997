import { keptOf } from "@media-ops/reports/entries";
import { describe, expect, it } from "vitest";
import { now } from "../test/samples.js";
import { type Found, foundHeading } from "./heading.js";

const at = (time: string): number => Date.parse(`${time}Z`);
const [from, to] = [at("2026-11-21T13:41:25"), at("2026-11-21T13:41:26")];

describe("the heading of a listing", () => {
  it.each<[heading: string, found: Found]>([
    ["37 webhooks", { found: 37, of: 37 }],
    ["0 webhooks", { found: 0 }],
    ["1 webhook of 5", { found: 1, of: 5 }],
    ["1 failed webhook of 5", { found: 1, of: 5, only: "failed" }],
    ["5 failed webhooks of 5", { found: 5, of: 5, only: "failed" }],
    [
      "37 failed webhooks of 1,240,332 in the last 2 hours",
      { found: 37, of: 1_240_332, only: "failed", when: "in the last 2 hours" },
    ],
    [
      "1,200 successful webhooks since 13:00, sent to ~hooks, project demo",
      { found: 1200, only: "ok", when: "since 13:00", more: "sent to ~hooks, project demo" },
    ],
    ["at least 20 webhooks", { found: 20, isAtLeast: true }],
    [
      "Incomplete: only 13:41:25–13:41:26 UTC was searched. 3 webhooks of 1,000 in the last hour",
      { found: 3, of: 1000, when: "in the last hour", searched: { from, to } },
    ],
    [
      "Incomplete: only 13:41:25–13:41:26 UTC was searched. At least 3 failed webhooks in the last hour",
      { found: 3, isAtLeast: true, only: "failed", when: "in the last hour", searched: { from, to } },
    ],
    [
      "Top 10 by bytes of 1,240 failed webhooks of 5,000 in the last hour",
      { found: 1240, of: 5000, only: "failed", when: "in the last hour", sorted: { top: 10, order: "by bytes" } },
    ],
    [
      "Incomplete: entries are kept for 30 days. 37 failed webhooks of 100 in the last 30 days",
      { found: 37, of: 100, only: "failed", when: "in the last 30 days", gone: "part" },
    ],
    [
      "Nothing is known of failed webhooks until 2026-09-01, project demo: entries are kept for 30 days.",
      { found: 0, of: 0, only: "failed", when: "until 2026-09-01", more: "project demo", gone: "all" },
    ],
    [
      "7 webhooks in the last hour, by bytes",
      { found: 7, when: "in the last hour", sorted: { top: 7, order: "by bytes" } },
    ],
    [
      "Incomplete: only 13:41:25–13:41:26 UTC was searched. Top 2 by bytes of at least 9 webhooks",
      { found: 9, isAtLeast: true, sorted: { top: 2, order: "by bytes" }, searched: { from, to } },
    ],
  ])("is %j", (heading, found) => {
    expect(foundHeading("webhooks", found, { now })).toBe(heading);
  });

  it("is of the 30 days that are kept", () => {
    const daysAgo = (days: number) => now - days * 86_400_000;
    expect(keptOf({ since: daysAgo(30) }, now)).toEqual({ since: daysAgo(30) });
    expect(keptOf({ since: daysAgo(31) }, now)).toEqual({ since: daysAgo(30), gone: "part" });
    expect(keptOf({ since: daysAgo(60), until: daysAgo(31) }, now)).toEqual({ since: daysAgo(31), gone: "all" });
    expect(keptOf({ until: daysAgo(31) }, now)).toEqual({ since: daysAgo(31), gone: "all" });
    expect(keptOf({}, now)).toEqual({});
  });

  it.each<[words: string, from: string, to: string, timeZone: string]>([
    ["22:41:25–22:41:26", "2026-11-21T13:41:25", "2026-11-21T13:41:26", "Asia/Tokyo"],
    ["Nov 20 13:00:00–14:00:00 UTC", "2026-11-20T13:00:00", "2026-11-20T14:00:00", "UTC"],
    ["Nov 20 23:00:00–today 00:30:00 UTC", "2026-11-20T23:00:00", "2026-11-21T00:30:00", "UTC"],
    ["Nov 3 23:00:00–Nov 4 00:30:00 UTC", "2026-11-03T23:00:00", "2026-11-04T00:30:00", "UTC"],
  ])("names the searched period: %s", (words, from, to, timeZone) => {
    const searched = { from: at(from), to: at(to) };
    expect(foundHeading("api", { found: 0, searched }, { now, timeZone })).toBe(
      `Incomplete: only ${words} was searched. 0 API calls there`,
    );
  });
});
