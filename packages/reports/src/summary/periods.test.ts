import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { offsetsIn } from "../entries/index.js";
import { summarize } from "./summarize.js";

const [HOUR, DAY] = [3_600_000, 86_400_000];

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
