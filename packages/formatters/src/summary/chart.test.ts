import { summarize } from "@media-ops/reports";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyEntries, anyKind } from "../test/arbitrary.js";
import { samples } from "../test/samples.js";
import { chartOf } from "./chart.js";

const at = (...times: string[]) => times.map((timestamp) => ({ timestamp, status: 200, elapsed_time_ms: 5 }));

function labelsOf(times: string[], timeZone?: string): string[] {
  return chartOf(summarize("webhooks", at(...times)), "entries", timeZone)?.labels ?? [];
}

describe("the labels of a chart", () => {
  it.each<[string, string[], string | undefined, string, string]>([
    [
      "the time to the second within minutes",
      ["2026-11-21T14:00:00Z", "2026-11-21T14:00:40Z"],
      undefined,
      "14:00:00",
      "14:00:40",
    ],
    ["the time within a day", ["2026-11-21T10:00:00Z", "2026-11-21T14:00:00Z"], undefined, "10:00", "14:00"],
    [
      "date and time across midnight",
      ["2026-11-20T23:00:00Z", "2026-11-21T01:00:00Z"],
      undefined,
      "Nov 20 23:00",
      "Nov 21 01:00",
    ],
    ["the date within weeks", ["2026-11-03T10:00:00Z", "2026-11-21T10:00:00Z"], undefined, "Nov 3", "Nov 21"],
    [
      "date and time within weeks if days begin at another time",
      ["2026-11-03T10:00:00Z", "2026-11-21T10:00:00Z"],
      "Asia/Kolkata",
      "Nov 3 05:30",
      "Nov 21 05:30",
    ],
    ["the year if it changes", ["2025-12-31T10:00:00Z", "2026-01-12T10:00:00Z"], undefined, "2025-12-31", "2026-01-12"],
  ])("are %s", (_, times, timeZone, first, last) => {
    const labels = labelsOf(times, timeZone);
    expect([labels.at(0), labels.at(-1)]).toEqual([first, last]);
  });

  it("are days if the buckets are local days, even if one is shorter", () => {
    const entries = at("2026-03-29T10:00:00Z", "2026-04-12T10:00:00Z");
    const chart = chartOf(summarize("webhooks", entries, { timeZone: "Europe/Berlin" }), "entries", "Europe/Berlin");
    expect(chart?.labels).toHaveLength(15);
    expect(chart?.labels.slice(0, 2)).toEqual(["Mar 29", "Mar 30"]);
  });

  it("distinguish an hour that occurs twice because clocks are put back", () => {
    const labels = labelsOf(["2026-11-01T05:00:00Z", "2026-11-01T07:00:00Z"], "America/New_York");
    expect(labels).toContain("01:00");
    expect(labels).toContain("01:00 (2)");
  });

  it("are at most 20 characters long and unique, for any entries", () => {
    const anyTimeZone = fc.constantFrom("UTC", "Asia/Kathmandu", "America/New_York", "Australia/Lord_Howe");
    const anyCase = anyKind.chain((kind) => fc.tuple(fc.constant(kind), anyEntries(kind), anyTimeZone));
    fc.assert(
      fc.property(anyCase, fc.constantFrom("entries", "latency"), ([kind, entries, timeZone], of) => {
        const chart = chartOf(summarize(kind, entries), of, timeZone);
        if (!chart) return;
        expect(chart.labels.length).toBeLessThanOrEqual(20);
        expect(new Set(chart.labels).size).toBe(chart.labels.length);
        expect(Math.max(...chart.labels.map((label) => label.length))).toBeLessThanOrEqual(20);
        for (const { values } of chart.series) expect(values).toHaveLength(chart.labels.length);
      }),
    );
  });
});

describe("a chart", () => {
  it("of entries has a 0 for empty buckets", () => {
    const chart = chartOf(summarize("sessions", samples.sessions), "entries");
    expect(chart?.series).toEqual([{ name: "Sessions", values: [1, ...Array(14).fill(0), 1, 1] }]);
  });

  it("of latency omits buckets without a value", () => {
    expect(chartOf(summarize("media-api", samples["media-api"]), "latency")).toEqual({
      of: "latency",
      title: "How long media API calls took",
      unit: "ms",
      labels: ["13:20", "13:55", "14:00"],
      hasGaps: true,
      series: [
        { name: "p50", values: [10_000, 12, 41] },
        { name: "p95", values: [10_000, 12, 41] },
      ],
      unsearched: [false, false, false],
    });
  });

  it("of latency falls back to entries if a kind has no such times", () => {
    expect(chartOf(summarize("sessions", samples.sessions), "latency")).toMatchObject({
      of: "entries",
      title: "Sessions over time",
    });
  });

  it("is undefined if no entry has a time", () => {
    expect(chartOf(summarize("webhooks", [{}]), "entries")).toBeUndefined();
  });
});
