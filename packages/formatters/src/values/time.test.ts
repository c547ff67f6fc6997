import { millisecondsOf } from "@media-ops/reports/entries";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clockFor, formatAgo } from "./time.js";

const now = Date.parse("2026-11-21T14:05:30Z");
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

describe("a timestamp", () => {
  it.each([
    ["without a fraction", "2026-11-21T14:05:30Z", now],
    ["with one digit", "2026-11-21T14:05:30.5Z", now + 500],
    ["with six digits", "2026-11-21T14:05:30.000001Z", now],
    ["with more digits than a number holds", `2026-11-21T14:05:30.${"9".repeat(400)}Z`, now + 999],
    ["with an offset", "2026-11-21T23:05:30+09:00", now],
    ["in lower case", "2026-11-21t14:05:30z", now],
    ["of a leap day", "2024-02-29T00:00:00Z", 1_709_164_800_000],
    ["of a leap second", "2016-12-31T23:59:60.25Z", Date.parse("2017-01-01T00:00:00.250Z")],
    ["of a leap second with an offset", "2017-01-01T08:59:60+09:00", Date.parse("2017-01-01T00:00:00Z")],
  ])("%s parses", (_, text, time) => {
    expect(millisecondsOf(text)).toBe(time);
  });

  it.each([
    "2026-11-21",
    "2026-11-21T14:05:30",
    "2026-02-30T00:00:00Z",
    "2026-11-21T25:00:00Z",
    " 2026-11-21T14:05:30Z",
    "1795269930",
    "",
    1_795_269_930_000,
    null,
    undefined,
    {},
  ])("%j is rejected", (value) => {
    expect(millisecondsOf(value)).toBeUndefined();
  });
});

describe("the distance of a time from now", () => {
  it.each([
    [0, "now"],
    [999, "now"],
    [SECOND, "1 s ago"],
    [59_999, "59 s ago"],
    [MINUTE, "1 min ago"],
    [HOUR - 1, "59 min ago"],
    [HOUR, "1 h ago"],
    [DAY - 1, "23 h ago"],
    [DAY, "1 d ago"],
    [30 * DAY, "30 d ago"],
    [-500, "now"],
    // Slightly less than ten minutes reads as ten minutes.
    [-599_400, "in 10 min"],
    [-5 * MINUTE, "in 5 min"],
    [-3 * HOUR, "in 3 h"],
    [500 - MINUTE, "in 1 min"],
    [500 - HOUR, "in 1 h"],
    [500 - DAY, "in 1 d"],
  ])("after %d ms is %s", (distance, text) => {
    expect(formatAgo(now - distance, now)).toBe(text);
  });
});

describe("a clock", () => {
  it.each([
    ["only the time for today", undefined, "2026-11-21T00:00:00Z", "00:00:00", "2026-11-21 00:00:00"],
    ["yesterday with the date", undefined, "2026-11-20T23:59:59.999Z", "Nov 20 23:59:59", "2026-11-20 23:59:59"],
    ["a date with a single digit", undefined, "2026-01-03T04:05:06Z", "Jan 3 04:05:06", "2026-01-03 04:05:06"],
    ["another year with the year", undefined, "2025-12-31T23:59:59Z", "2025-12-31 23:59:59", "2025-12-31 23:59:59"],
    ["tomorrow with the date", undefined, "2026-11-22T00:00:00Z", "Nov 22 00:00:00", "2026-11-22 00:00:00"],
    ["the local today", "Asia/Tokyo", "2026-11-21T14:59:59Z", "23:59:59", "2026-11-21 23:59:59"],
    ["the local tomorrow", "Asia/Tokyo", "2026-11-21T15:00:00Z", "Nov 22 00:00:00", "2026-11-22 00:00:00"],
    ["zones with half-hour offsets", "Asia/Kolkata", "2026-11-21T14:00:00Z", "19:30:00", "2026-11-21 19:30:00"],
    [
      "zones with quarter-hour offsets",
      "Pacific/Chatham",
      "2026-11-20T14:00:00Z",
      "Nov 21 03:45:00",
      "2026-11-21 03:45:00",
    ],
    // Berlin puts its clocks forward from 2 to 3, at 01:00 UTC, and back from 3 to 2, at the same time.
    ["the last second of winter", "Europe/Berlin", "2026-03-29T00:59:59Z", "Mar 29 01:59:59", "2026-03-29 01:59:59"],
    ["the first second of summer", "Europe/Berlin", "2026-03-29T01:00:00Z", "Mar 29 03:00:00", "2026-03-29 03:00:00"],
    ["the last second of summer", "Europe/Berlin", "2026-10-25T00:59:59Z", "Oct 25 02:59:59", "2026-10-25 02:59:59"],
    ["the repeated hour", "Europe/Berlin", "2026-10-25T01:00:00Z", "Oct 25 02:00:00", "2026-10-25 02:00:00"],
    // Lord Howe Island puts its clocks forward by half an hour.
    [
      "half an hour of summer time",
      "Australia/Lord_Howe",
      "2026-10-03T15:30:00Z",
      "Oct 4 02:30:00",
      "2026-10-04 02:30:00",
    ],
    ["times before zones", "Europe/Berlin", "0050-06-01T12:00:00Z", "0050-06-01 12:53:28", "0050-06-01 12:53:28"],
    ["the first supported time", "America/New_York", "0000-01-01T00:00:00Z", expect.any(String), "0000-01-01 00:00:00"],
    ["the last supported time", "Asia/Tokyo", "9999-12-31T23:59:59Z", "9999-12-31 23:59:59", "9999-12-31 23:59:59"],
  ])("shows %s", (_, timeZone, time, short, full) => {
    const clock = clockFor({ now, timeZone });
    expect(clock.short(Date.parse(time))).toEqual(short);
    expect(clock.full(Date.parse(time))).toBe(full);
    expect(clock.zoned(Date.parse(time))).toBe(`${full} ${timeZone ?? "UTC"}`);
  });

  it.each(["America/New_York", "Asia/Kathmandu", "Europe/Dublin", "Pacific/Apia", "UTC"])(
    "in %s matches the zone's local time at any time",
    (timeZone) => {
      const clock = clockFor({ now, timeZone });
      const judge = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
      const anyTime = fc.date({ min: new Date("1980-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
      fc.assert(
        fc.property(anyTime, (time) => {
          expect(clock.full(time.getTime())).toBe(judge.format(time));
        }),
      );
    },
  );

  it.each(["Mars/Olympus", "", "+25:00"])("is refused for %j, which is not a zone", (timeZone) => {
    expect(() => clockFor({ now, timeZone })).toThrow(
      new RangeError(`Unknown time zone "${timeZone}". Use an IANA name, such as Europe/Berlin or UTC.`),
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    "is refused for the current time %d",
    (time) => {
      expect(() => clockFor({ now: time })).toThrow(
        new RangeError(`now must be milliseconds since 1970, such as Date.now(), but is ${time}.`),
      );
    },
  );

  it("writes any finite time", () => {
    const clock = clockFor({ now, timeZone: "Europe/Berlin" });
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (time) => {
        expect(clock.full(time)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
      }),
    );
  });
});
