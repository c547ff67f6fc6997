import { summarize } from "@media-ops/reports";
import { columnsOf } from "@media-ops/reports/entries";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyEntries, anyKind } from "../test/arbitrary.js";
import { kinds, now, samples } from "../test/samples.js";

const at = (time: string): number => Date.parse(`2026-11-21T${time}Z`);

describe("a summary of webhooks", () => {
  const summary = summarize("webhooks", samples.webhooks);

  it("counts failures by status and by URL", () => {
    expect(summary.count).toBe(5);
    expect(summary.failures).toEqual({
      count: 3,
      byStatus: [
        { status: 503, count: 1 },
        { status: 404, count: 1 },
        { status: 0, count: 1 },
      ],
      where: [
        { name: "https://hooks.example/teams/video/rooms/production/eu-central-1/events", count: 1 },
        { name: "https://hooks.example/media", count: 1 },
        { name: "https://unreachable.example/in", count: 1 },
      ],
      first: Date.parse("2026-11-21T13:58:02.900Z"),
    });
  });

  it("has quantiles of processing times that were actually measured", () => {
    expect(summary.elapsed).toEqual({ p50: 84, p95: 10_000, p99: 10_000, max: 10_000 });
  });

  it("covers the time from the oldest to the newest entry", () => {
    expect(summary.period).toEqual({
      from: Date.parse("2026-11-20T09:00:00.000Z"),
      to: Date.parse("2026-11-21T14:05:28.002Z"),
    });
  });
});

describe("a summary", () => {
  it("of connections has durations, bytes and channels", () => {
    expect(summarize("connections", samples.connections)).toMatchObject({
      duration: { p50: 0, p95: 44, p99: 44, max: 44 },
      channels: [{ name: "lobby@demo", count: 2 }],
      bytes: [
        { title: "Received", field: "total_received_bytes", total: 1_284_331_902 },
        { title: "Sent", field: "total_sent_bytes", total: 49_119 },
      ],
    });
    expect(summarize("connections", samples.connections)).not.toHaveProperty("failures");
  });

  it("of media API calls counts the operations, and those that failed", () => {
    expect(summarize("media-api", samples["media-api"]).failures?.where).toEqual([
      { name: "Media_20201005.PushChannel", count: 1 },
      { name: "Media_20151104.ListConnections", count: 1 },
    ]);
  });

  it("of API calls counts every call that an entry represents", () => {
    const [url, other] = ["https://media.example/orgs/list-api-logs", "https://media.example/orgs/list-webhook-logs"];
    const entries = [
      { timestamp: "2026-11-21T14:00:59Z", url, status: 429, elapsed_time_ms: 0, count: 2999 },
      { timestamp: "2026-11-21T14:00:10Z", url, status: 429, elapsed_time_ms: 0 },
      { timestamp: "2026-11-21T14:00:09Z", url: other, status: 400, elapsed_time_ms: 2, count: "12" },
      { timestamp: "2026-11-21T14:00:08Z", url, status: 200, elapsed_time_ms: 3, count: -4 },
    ];
    const summary = summarize("api", entries);
    expect(summary.count).toBe(3002);
    expect(summary.failures).toEqual({
      count: 3001,
      byStatus: [
        { status: 429, count: 3000 },
        { status: 400, count: 1 },
      ],
      where: [
        { name: url, count: 3000 },
        { name: other, count: 1 },
      ],
      first: at("14:00:09"),
    });
    const total = (name: "count" | "failed") => summary.overTime.reduce((sum, bucket) => sum + bucket[name], 0);
    expect([total("count"), total("failed")]).toEqual([3002, 3001]);
    // The entries of another kind may have such a field with another meaning.
    expect(summarize("webhooks", [{ status: 200, count: 7 }]).count).toBe(1);
  });

  it("lists the five most frequent names, most frequent first, and first seen first among equals", () => {
    const names = "aabbbccddddeeffg".split("");
    const entries = names.map((name) => ({ channel_id: name }));
    expect(summarize("sessions", entries).channels).toEqual([
      { name: "d", count: 4 },
      { name: "b", count: 3 },
      { name: "a", count: 2 },
      { name: "c", count: 2 },
      { name: "e", count: 2 },
    ]);
  });

  it("of no entries has only counts", () => {
    expect(summarize("webhooks", [])).toEqual({
      kind: "webhooks",
      count: 0,
      complete: true,
      failures: { count: 0, byStatus: [], where: [] },
      bytes: [],
      overTime: [],
    });
  });

  it("ignores entries without a value only for that value", () => {
    const entries = [
      { timestamp: "2026-11-21T14:00:00Z", status: 503, elapsed_time_ms: 7 },
      { timestamp: "soon", status: "503", elapsed_time_ms: "7", url: 5 },
      null,
      "text",
      [],
    ];
    const { count, period, failures, elapsed, overTime } = summarize("webhooks", entries);
    expect(count).toBe(5);
    expect(period).toEqual({ from: at("14:00:00"), to: at("14:00:00") + 1 });
    expect(failures).toEqual({ count: 1, byStatus: [{ status: 503, count: 1 }], where: [], first: at("14:00:00") });
    expect(elapsed).toEqual({ p50: 7, p95: 7, p99: 7, max: 7 });
    expect(overTime.map((bucket) => bucket.count)).toEqual([1]);
  });

  it("uses measured values instead of interpolated ones", () => {
    const entries = Array.from({ length: 20 }, (_, index) => ({ elapsed_time_ms: index + 1 }));
    expect(summarize("api", entries).elapsed).toEqual({ p50: 10, p95: 19, p99: 20, max: 20 });
  });
});

describe("the time buckets of a summary", () => {
  const entriesAt = (...times: string[]) => times.map((time) => ({ timestamp: `2026-11-21T${time}Z`, status: 200 }));

  it("start at round times and have no gaps", () => {
    const { overTime } = summarize("api", entriesAt("14:03:10", "14:03:59", "14:14:00"));
    expect(overTime.map(({ from, to, count }) => [from, to, count])).toEqual(
      [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1].map((count, index) => {
        return [at("14:03:00") + index * 60_000, at("14:04:00") + index * 60_000, count];
      }),
    );
  });

  it("cover the requested period, even without entries", () => {
    const { overTime } = summarize("api", entriesAt("14:03:10"), { since: at("13:00:00"), until: at("14:05:00") });
    expect(overTime[0]?.from).toBe(at("13:00:00"));
    expect(overTime.at(-1)?.to).toBe(at("14:05:00"));
    expect(overTime.map(({ count }) => count)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  });

  it("exclude entries outside the requested period", () => {
    const { overTime, count } = summarize("api", entriesAt("09:00:00", "14:00:00"), { since: at("13:59:00") });
    expect(count).toBe(2);
    expect(overTime.map((bucket) => bucket.count)).toEqual([...Array(12).fill(0), 1]);
  });

  it("are days if a month is requested", () => {
    const { overTime } = summarize("api", [], { since: now - 30 * 86_400_000, until: now });
    expect(overTime.map(({ from, to }) => (to - from) / 86_400_000)).toEqual(Array(overTime.length).fill(2));
    expect(overTime).toHaveLength(16);
  });

  it("have the failures and processing times of their entries", () => {
    const { overTime } = summarize("webhooks", [
      { timestamp: "2026-11-21T14:00:00Z", status: 500, elapsed_time_ms: 5 },
      { timestamp: "2026-11-21T14:00:00.9Z", status: 200, elapsed_time_ms: 3 },
      { timestamp: "2026-11-21T14:00:01Z", status: 200 },
    ]);
    expect(overTime.map(({ count, failed, elapsed }) => ({ count, failed, elapsed }))).toEqual([
      { count: 2, failed: 1, elapsed: { p50: 3, p95: 5, p99: 5, max: 5 } },
      { count: 1, failed: 0, elapsed: undefined },
    ]);
  });

  /** Every possible value of a `Date`. */
  const anyMoment = fc.option(
    fc.maxSafeInteger().map((time) => time % 8.64e15),
    { nil: undefined },
  );

  it("are at most twenty, equal and gapless, for any entries and any period", () => {
    const anyKindAndEntries = anyKind.chain((kind) => fc.tuple(fc.constant(kind), anyEntries(kind)));
    fc.assert(
      fc.property(anyKindAndEntries, anyMoment, anyMoment, ([kind, entries], since, until) => {
        const summary = summarize(kind, entries, { since, until });
        const { overTime, period } = summary;
        expect(overTime.length).toBeLessThanOrEqual(20);
        const [first] = overTime;
        for (const [index, { from, to }] of overTime.entries()) {
          expect(to - from).toBe((first?.to ?? 0) - (first?.from ?? 0));
          if (index > 0) expect(from).toBe(overTime[index - 1]?.to);
        }
        if (since !== undefined || until !== undefined) return;
        const timed = entries.filter((entry) => summarize(kind, [entry]).period);
        expect(overTime.reduce((sum, { count }) => sum + count, 0)).toBe(timed.length);
        expect(period === undefined).toBe(timed.length === 0);
      }),
      { numRuns: 50 },
    );
  });
});

it("a summary never throws for any period", () => {
  fc.assert(
    fc.property(fc.double(), fc.double(), fc.constantFrom("UTC", "Asia/Kolkata"), (since, until, timeZone) => {
      expect(() => summarize("webhooks", samples.webhooks, { since, until, timeZone })).not.toThrow();
    }),
    { numRuns: 1000, examples: [[-1.1e293, Number.MAX_VALUE, "Asia/Kolkata"]] },
  );
});

describe("every kind", () => {
  it("has a summary that counts by the types of its columns", () => {
    for (const kind of kinds) {
      const kindsOfValues = columnsOf(kind).map(({ as }) => as);
      const summary = summarize(kind, samples[kind]);
      const counts = samples[kind].map((entry) => ("count" in entry ? (entry.count ?? 1) : 1));
      expect(summary.count).toBe(counts.reduce((sum, count) => sum + count, 0));
      expect("failures" in summary).toBe(kindsOfValues.some((as) => as === "status" || as === "outcome"));
      expect("elapsed" in summary).toBe(kindsOfValues.includes("milliseconds"));
      expect("duration" in summary).toBe(kindsOfValues.includes("minutes"));
      expect("channels" in summary).toBe(kindsOfValues.includes("channel"));
      expect(summary.bytes).toHaveLength(kindsOfValues.filter((as) => as === "bytes").length);
    }
  });
});
