import type { LogKind } from "@media-ops/contract";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnsOf, KINDS as kinds, offsetsIn } from "./entries/index.js";
import { summarize } from "./summary.js";

const [HOUR, DAY] = [3_600_000, 86_400_000];
const at = (time: string): number => Date.parse(`2026-11-21T${time}Z`);

/** An entry with a valid value in each column. */
function entryOf(kind: LogKind): object {
  const sampleOf = (as: string): unknown =>
    as === "time"
      ? "2026-11-21T14:00:00Z"
      : as === "outcome"
        ? "failed"
        : /channel|id|address|text/.test(as)
          ? "x"
          : 500;
  return Object.fromEntries(columnsOf(kind).map(({ field, as }) => [field, sampleOf(as)]));
}

describe("a summary", () => {
  it("of webhooks counts failures by status and by URL, and covers the time from the oldest to the newest entry", () => {
    const url = "https://hooks.example/media";
    const entries = [
      { timestamp: "2026-11-21T14:05:28.001Z", url, status: 200, elapsed_time_ms: 84 },
      { timestamp: "2026-11-21T14:05:26.5Z", url: "https://hooks.example/rooms", status: 503, elapsed_time_ms: 1240 },
      { timestamp: "2026-11-21T13:58:02.900Z", url, status: 404, elapsed_time_ms: 31 },
      { timestamp: "2026-11-21T13:58:04Z", url: "https://unreachable.example/in", status: 0, elapsed_time_ms: 10_000 },
      { timestamp: "2026-11-20T09:00:00.000Z", url, status: 200, elapsed_time_ms: 3 },
    ];
    const summary = summarize("webhooks", entries);
    expect(summary).toMatchObject({
      count: 5,
      period: { from: Date.parse("2026-11-20T09:00:00Z"), to: Date.parse("2026-11-21T14:05:28.002Z") },
      // Values that were actually measured.
      elapsed: { p50: 84, p95: 10_000, p99: 10_000, max: 10_000 },
    });
    expect(summary.failures).toEqual({
      count: 3,
      byStatus: [
        { status: 503, count: 1 },
        { status: 404, count: 1 },
        { status: 0, count: 1 },
      ],
      where: [
        { name: "https://hooks.example/rooms", count: 1 },
        { name: url, count: 1 },
        { name: "https://unreachable.example/in", count: 1 },
      ],
      first: Date.parse("2026-11-21T13:58:02.900Z"),
    });
  });

  it("of connections has durations, bytes and channels", () => {
    const connection = (duration_min: number, total_received_bytes: number) => {
      return { channel_id: "lobby@demo", duration_min, total_received_bytes, total_sent_bytes: 7 };
    };
    const summary = summarize("connections", [connection(44, 1_284_331_902), connection(0, 1)]);
    expect(summary).toMatchObject({
      duration: { p50: 0, p95: 44, p99: 44, max: 44 },
      channels: [{ name: "lobby@demo", count: 2 }],
      bytes: [
        { title: "Received", field: "total_received_bytes", total: 1_284_331_903 },
        { title: "Sent", field: "total_sent_bytes", total: 14 },
      ],
    });
    expect(summary).not.toHaveProperty("failures");
  });

  it("of media API calls counts the operations that failed", () => {
    const calls = ["PushChannel", "ListConnections"].map((media_target) => ({ media_target, status: 404 }));
    expect(summarize("media-api", [...calls, { media_target: "Ping", status: 200 }]).failures?.where).toEqual([
      { name: "PushChannel", count: 1 },
      { name: "ListConnections", count: 1 },
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
    const { count, failures, overTime } = summarize("api", entries);
    expect(count).toBe(3002);
    expect(failures).toEqual({
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
    const total = (name: "count" | "failed") => overTime.reduce((sum, bucket) => sum + bucket[name], 0);
    expect([total("count"), total("failed")]).toEqual([3002, 3001]);
    // The entries of another kind may have such a field with another meaning.
    expect(summarize("webhooks", [{ status: 200, count: 7 }]).count).toBe(1);
  });

  it("lists the five most frequent names, most frequent first, and first seen first among equals", () => {
    const entries = "aabbbccddddeeffg".split("").map((name) => ({ channel_id: name }));
    const channels = summarize("sessions", entries).channels?.map(({ name, count }) => `${name}${count}`);
    expect(channels).toEqual(["d4", "b3", "a2", "c2", "e2"]);
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

  it.each(kinds)("of %s counts by the types of its columns", (kind) => {
    const [types, summary] = [columnsOf(kind).map(({ as }) => as), summarize(kind, [entryOf(kind)])];
    expect(summary.count).toBe(1);
    expect("failures" in summary).toBe(types.some((as) => as === "status" || as === "outcome"));
    expect("elapsed" in summary).toBe(types.includes("milliseconds"));
    expect("duration" in summary).toBe(types.includes("minutes"));
    expect("channels" in summary).toBe(types.includes("channel"));
    expect(summary.bytes).toHaveLength(types.filter((as) => as === "bytes").length);
  });

  it("never throws for any period", () => {
    fc.assert(
      fc.property(fc.double(), fc.double(), fc.constantFrom("UTC", "Asia/Kolkata"), (since, until, timeZone) => {
        expect(() => summarize("webhooks", [entryOf("webhooks")], { since, until, timeZone })).not.toThrow();
      }),
      { numRuns: 1000, examples: [[-1.1e293, Number.MAX_VALUE, "Asia/Kolkata"]] },
    );
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

  it("cover the requested period, even without entries, and exclude entries outside of it", () => {
    const { overTime } = summarize("api", entriesAt("14:03:10"), { since: at("13:00:00"), until: at("14:05:00") });
    expect([overTime[0]?.from, overTime.at(-1)?.to]).toEqual([at("13:00:00"), at("14:05:00")]);
    expect(overTime.map(({ count }) => count)).toEqual([...Array(12).fill(0), 1]);
    const outside = summarize("api", entriesAt("09:00:00", "14:00:00"), { since: at("13:59:00") });
    expect(outside.count).toBe(2);
    expect(outside.overTime.map(({ count }) => count)).toEqual([...Array(12).fill(0), 1]);
  });

  it("are days if a month is requested", () => {
    const until = at("14:05:30");
    const { overTime } = summarize("api", [], { since: until - 30 * DAY, until });
    expect(overTime.map(({ from, to }) => (to - from) / DAY)).toEqual(Array(16).fill(2));
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

  it("are at most twenty, equal and gapless, for any entries and any period", () => {
    const anyTime = fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true });
    const anyTimestamp = fc.oneof(
      anyTime.map((date) => date.toISOString()),
      fc.string(),
      fc.integer(),
    );
    const anyEntry = fc.oneof(fc.record({ timestamp: anyTimestamp, status: fc.integer() }), fc.jsonValue());
    /** Every possible value of a `Date`. */
    const anyMoment = fc.option(
      fc.maxSafeInteger().map((time) => time % 8.64e15),
      { nil: undefined },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.array(anyEntry, { maxLength: 60 }),
        anyMoment,
        anyMoment,
        (kind, entries, since, until) => {
          const { overTime, period } = summarize(kind, entries, { since, until });
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
        },
      ),
      { numRuns: 100 },
    );
  });
});

/** The local start of each bucket, and its length in hours. */
function stretchesOf(since: string, until: string, timeZone: string): string[] {
  const local = (time: number): string => new Date(time + offsetsIn(timeZone)(time)).toISOString().replace("T", " ");
  const { overTime } = summarize("api", [], { since: Date.parse(since), until: Date.parse(until), timeZone });
  return overTime.map(({ from, to }) => `${local(from).slice(5, 16)} for ${(to - from) / HOUR} h`);
}

describe("the time buckets in a zone", () => {
  it.each<[what: string, timeZone: string, since: string, until: string, stretches: string[]]>([
    [
      "are local hours in a zone with a half-hour offset",
      "Asia/Kolkata",
      "2026-11-21T04:10:00Z",
      "2026-11-21T16:40:00Z",
      ["11-21 09:00 for 1 h", "11-21 10:00 for 1 h"],
    ],
    [
      "are local days in a zone with a half-hour offset",
      "Asia/Kolkata",
      "2026-11-10T04:10:00Z",
      "2026-11-21T04:10:00Z",
      ["11-10 00:00 for 24 h", "11-11 00:00 for 24 h"],
    ],
    [
      "include a day of 23 hours if clocks are put forward",
      "Europe/Berlin",
      "2026-03-28T10:00:00Z",
      "2026-04-09T10:00:00Z",
      ["03-28 00:00 for 24 h", "03-29 00:00 for 23 h", "03-30 00:00 for 24 h"],
    ],
    [
      "include a day of 25 hours if clocks are put back",
      "Europe/Berlin",
      "2026-10-24T10:00:00Z",
      "2026-11-06T10:00:00Z",
      ["10-24 00:00 for 24 h", "10-25 00:00 for 25 h", "10-26 00:00 for 24 h"],
    ],
    [
      "include a day that begins at one if clocks skip midnight",
      "America/Havana",
      "2026-03-07T12:00:00Z",
      "2026-03-19T12:00:00Z",
      ["03-07 00:00 for 24 h", "03-08 01:00 for 23 h", "03-09 00:00 for 24 h"],
    ],
    [
      "include a day that begins at the first of two midnights",
      "America/Havana",
      "2026-10-31T12:00:00Z",
      "2026-11-12T12:00:00Z",
      ["10-31 00:00 for 24 h", "11-01 00:00 for 25 h", "11-02 00:00 for 24 h"],
    ],
    [
      "start after a skipped hour that would contain their start",
      "America/New_York",
      "2026-03-08T05:30:00Z",
      "2026-03-09T05:30:00Z",
      ["03-08 00:00 for 2 h", "03-08 03:00 for 1 h", "03-08 04:00 for 2 h"],
    ],
    [
      "include a repeated hour twice",
      "America/New_York",
      "2026-11-01T04:30:00Z",
      "2026-11-01T16:30:00Z",
      ["11-01 00:00 for 1 h", "11-01 01:00 for 1 h", "11-01 01:00 for 1 h", "11-01 02:00 for 1 h"],
    ],
  ])("%s", (_, timeZone, since, until, stretches) => {
    expect(stretchesOf(since, until, timeZone).slice(0, stretches.length)).toEqual(stretches);
  });

  it("skip a day that does not exist", () => {
    const stretches = stretchesOf("2011-12-30T05:00:00Z", "2011-12-31T15:00:00Z", "Pacific/Apia");
    const hours = ["00", "03", "06", "09", "12", "15", "18", "21"].map((hour) => `12-31 ${hour}:00 for 3 h`);
    expect(stretches).toEqual([
      "12-29 18:00 for 3 h",
      "12-29 21:00 for 3 h",
      ...hours,
      "01-01 00:00 for 3 h",
      "01-01 03:00 for 3 h",
    ]);
  });

  it("cover all entries, at most twenty and without gaps, and start on full hours if they last for hours", () => {
    const anyZone = fc.constantFrom(
      "America/New_York",
      "Europe/London",
      "Asia/Kolkata",
      "Pacific/Chatham",
      "Pacific/Apia",
    );
    const anySince = fc.integer({ min: Date.UTC(2000), max: Date.UTC(2040) });
    const anyLength = fc.oneof(fc.nat(HOUR), fc.nat(3 * DAY), fc.nat(60 * DAY), fc.nat(4000 * DAY));
    const anyParts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 });
    fc.assert(
      fc.property(anyZone, anySince, anyLength, anyParts, (timeZone, since, length, parts) => {
        // The end is excluded.
        const timeOf = (part: number) => since + Math.min(Math.floor(part * length), Math.max(length - 1, 0));
        const entries = parts.map((part) => ({ timestamp: new Date(timeOf(part)).toISOString() }));
        const { overTime } = summarize("api", entries, { since, until: since + length, timeZone });
        expect(overTime.reduce((sum, { count }) => sum + count, 0)).toBe(parts.length);
        expect(overTime.length).toBeLessThanOrEqual(20);
        const local = (time: number): string =>
          new Date(time + offsetsIn(timeZone)(time)).toISOString().replace("T", " ");
        for (const [at, { from, to }] of overTime.entries()) {
          expect(to).toBeGreaterThan(from);
          if (at > 0) expect(from).toBe(overTime[at - 1]?.to);
          if (to - from >= HOUR) expect(local(from)).toMatch(/:00:00\.000Z$/);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("are refused for an unknown zone", () => {
    expect(() => summarize("api", [], { timeZone: "Mars/Olympus" })).toThrow(/^Unknown time zone "Mars\/Olympus"\./);
  });
});
