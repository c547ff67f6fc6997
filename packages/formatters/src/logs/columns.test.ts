import type { LogKind } from "@media-ops/contract";
import type { ListingFigures } from "@media-ops/reports";
import { columnsOf, keptOf } from "@media-ops/reports/entries";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyEntry, anyKind } from "../test/arbitrary.js";
import { now, samples } from "../test/samples.js";
import { detailColumnsOf, entryLabel } from "./columns.js";
import { type Asked, listingHeading } from "./heading.js";

describe("the columns of one entry", () => {
  it("are all of its kind in the order of the table, including missing ones", () => {
    expect(detailColumnsOf("connections", samples.connections[0])).toEqual(columnsOf("connections"));
    expect(detailColumnsOf("connections", {})).toEqual(columnsOf("connections"));
  });

  it("end with unknown fields, under their own names", () => {
    const entry = { ...samples.api[0], region: "eu", "a\nb": { c: 1 }, "": 3 };
    expect(detailColumnsOf("api", entry).slice(4)).toEqual([
      { field: "region", title: "region", as: "text", in: "detail" },
      { field: "a\nb", title: "a␊b", as: "text", in: "detail" },
      { field: "", title: "(no name)", as: "text", in: "detail" },
    ]);
  });
});

const [delivery] = samples.webhooks;

describe("the label of an entry", () => {
  it.each<[LogKind, unknown, string]>([
    ["sessions", samples.sessions[0], "14:03:22 · lobby · 01KAKR6W…F6H8"],
    ["sessions", samples.sessions[2], "Nov 20 22:15:09 · 会議室 · 01KAJ3F2…H5J7"],
    ["connections", samples.connections[1], "14:03:20 · lobby · camera-7"],
    ["api", samples.api[1], "14:01:44 · ▲ 400 · media.example/projects/create-access-token"],
    ["media-api", samples["media-api"][2], "13:20:00 · ✗ 503 · Media_20151104.ListConnections · lobby"],
    ["webhooks", delivery, "14:05:28 · ✓ 200 · connection.created · hooks.example/media"],
    ["webhooks", samples.webhooks[3], "13:58:02 · ✗ no answer · session.created · unreachable.example/in"],
    ["webhooks", samples.webhooks[1], "14:05:12 · ✗ 503 · connection.destroyed · hooks.example/te…central-1/events"],
    ["events", samples.events[0], "14:03:22 · ✓ disconnected by the API · connection.destroyed · lobby"],
    ["events", samples.events[1], "14:03:20 · ✗ ICE timeout · connection.failed · lobby · stage-ca…ra-2"],
    ["events", samples.events[2], "14:02:11 · ▲ channel full (5 of 5) · admission.refused · lobby · c1"],
    ["events", samples.events[3], "13:18:40 · ✓ ok · connection.created · lobby"],
  ])("of %s has its time and its most distinctive fields", (kind, entry, label) => {
    expect(entryLabel(kind, entry, { now })).toBe(label);
  });

  it("is in the reader's zone, and has the date if the day differs there", () => {
    expect(entryLabel("webhooks", delivery, { now, timeZone: "Asia/Tokyo" })).toMatch(/^23:05:28 /);
    const entry = { ...delivery, timestamp: "2026-11-21T15:00:00Z" };
    expect(entryLabel("webhooks", entry, { now, timeZone: "Asia/Tokyo" })).toMatch(/^Nov 22 00:00:00 /);
  });

  it("shortens two long texts to equal parts", () => {
    const entry = { ...delivery, type: "t".repeat(40), url: "u".repeat(40) };
    expect(entryLabel("webhooks", entry, { now })).toBe(
      `14:05:28 · ✓ 200 · ${"t".repeat(13)}…${"t".repeat(12)} · ${"u".repeat(13)}…${"u".repeat(12)}`,
    );
  });

  it.each([undefined, null, {}, 7, { type: "  ", url: "" }])("is a dash if all fields are missing", (entry) => {
    expect(entryLabel("webhooks", entry, { now })).toBe("–");
  });

  it("has from 1 to 75 units, on one line and without split characters, for any entry", () => {
    const anyKindAndEntry = anyKind.chain((kind) => fc.tuple(fc.constant(kind), anyEntry(kind)));
    const anyTimeZone = fc.constantFrom(undefined, "Asia/Kolkata", "America/New_York");
    fc.assert(
      fc.property(anyKindAndEntry, anyTimeZone, ([kind, entry], timeZone) => {
        const label = entryLabel(kind, entry, { now, timeZone });
        expect(label.trim()).not.toBe("");
        expect(label.length).toBeLessThanOrEqual(75);
        expect(label).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]|\p{Cs}/u);
      }),
      { numRuns: 200 },
    );
  });
});

const at = (time: string): number => Date.parse(`${time}Z`);
const [from, to] = [at("2026-11-21T13:41:25"), at("2026-11-21T13:41:26")];

describe("the heading of a listing", () => {
  const [month, last] = [now - 31 * 86_400_000, "in the last hour"];
  const [searchedTo, until] = [new Date(from).toISOString(), to];
  const top = { order: "by bytes" };
  it.each<[heading: string, asked: Partial<Asked> & { when?: string; more?: string }, figures: ListingFigures]>([
    ["37 webhooks", {}, { found: 37, of: 37 }],
    ["0 webhooks", {}, { found: 0 }],
    ["1 webhook of 5", {}, { found: 1, of: 5 }],
    ["1 failed webhook of 5", { only: "failed" }, { found: 1, of: 5 }],
    ["5 failed webhooks of 5", { only: "failed" }, { found: 5, of: 5 }],
    [
      "37 failed webhooks of 1,240,332 in the last 2 hours",
      { only: "failed", when: "in the last 2 hours" },
      { found: 37, of: 1_240_332 },
    ],
    [
      "1,200 successful webhooks since 13:00, sent to ~hooks, project demo",
      { only: "ok", when: "since 13:00", more: "sent to ~hooks, project demo" },
      { found: 1200 },
    ],
    ["at least 20 webhooks", {}, { found: 20, isAtLeast: true }],
    [
      "Incomplete: only 13:41:25–13:41:26 UTC was searched. 3 webhooks of 1,000 in the last hour",
      { until, when: last },
      { found: 3, of: 1000, searchedTo, isAtLeast: false },
    ],
    [
      "Incomplete: only 13:41:25–13:41:26 UTC was searched. At least 3 failed webhooks in the last hour",
      { until, only: "failed", when: last },
      { found: 3, searchedTo },
    ],
    [
      "Top 10 by bytes of 1,240 failed webhooks of 5,000 in the last hour",
      { ...top, only: "failed", when: last },
      { found: 1240, of: 5000, top: 10 },
    ],
    [
      "Incomplete: entries are kept for 30 days. 37 failed webhooks of 100 in the last 30 days",
      { since: month, only: "failed", when: "in the last 30 days" },
      { found: 37, of: 100 },
    ],
    [
      "Nothing is known of failed webhooks until 2026-09-01, project demo: entries are kept for 30 days.",
      { until: month, only: "failed", when: "until 2026-09-01", more: "project demo" },
      { found: 0, of: 0 },
    ],
    ["7 webhooks in the last hour, by bytes", { ...top, when: last }, { found: 7, top: 7 }],
    [
      "Incomplete: only 13:41:25–13:41:26 UTC was searched. Top 2 by bytes of at least 9 webhooks",
      { ...top, until },
      { found: 9, top: 2, searchedTo },
    ],
  ])("is %j", (heading, { when = "", more = "", ...asked }, figures) => {
    const phrases = () => ({ period: when, more });
    expect(listingHeading({ kind: "webhooks", ...asked, phrases }, figures, { now })).toBe(heading);
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
    const asked = { kind: "api" as const, until: at(to), phrases: () => ({ period: "", more: "" }) };
    const figures = { found: 0, searchedTo: new Date(at(from)).toISOString() };
    expect(listingHeading(asked, figures, { now, timeZone })).toBe(
      `Incomplete: only ${words} was searched. 0 API calls there`,
    );
  });
});
