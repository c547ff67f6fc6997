import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatMinutes,
  formatPeriod,
  formatShare,
  formatWithin,
} from "./numbers.js";

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

describe("a count", () => {
  it.each([
    [0, "0"],
    [-0, "0"],
    [999, "999"],
    [1000, "1,000"],
    [1_234_567, "1,234,567"],
    [-1_234_567, "-1,234,567"],
    [0.5, "0.5"],
    [1234.5, "1234.5"],
    [1e21, "1e+21"],
    [Number.MAX_SAFE_INTEGER, "9,007,199,254,740,991"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "Infinity"],
  ])("of %d is %s", (value, text) => {
    expect(formatCount(value)).toBe(text);
  });
});

describe("bytes", () => {
  it.each([
    [0, "0 B"],
    [1, "1 B"],
    [999, "999 B"],
    [1000, "1 kB"],
    [1004, "1 kB"],
    [1005, "1 kB"],
    [1240, "1.24 kB"],
    [48_120, "48.1 kB"],
    [99_949, "99.9 kB"],
    [99_950, "100 kB"],
    [999_499, "999 kB"],
    [999_500, "1 MB"],
    [1_284_331_902, "1.28 GB"],
    [5e12, "5 TB"],
    [7.3e15, "7.3 PB"],
    [1e18, "1 EB"],
    [1e21, "1,000 EB"],
    [-5, "-5 B"],
    [-5_000_000, "-5,000,000 B"],
    [Number.NaN, "NaN B"],
  ])("%d are %s", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it("never have more than three digits before their unit, up to an exabyte", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e18, noNaN: true }), (bytes) => {
        expect(formatBytes(Math.round(bytes))).toMatch(/^\d{1,3}(\.\d{1,2})? ([kMGTPE]?B)$/);
      }),
    );
  });
});

describe("a duration", () => {
  it.each([
    [0, "0 ms"],
    [0.4, "0 ms"],
    [84, "84 ms"],
    [84.5, "85 ms"],
    [999.4, "999 ms"],
    [999.5, "1 s"],
    [1240, "1.24 s"],
    [10_000, "10 s"],
    [59_949, "59.9 s"],
    [59_950, "1 min"],
    [MINUTE + 59.9 * SECOND, "2 min"],
    [2 * MINUTE + 3 * SECOND, "2 min 3 s"],
    [59 * MINUTE + 59.6 * SECOND, "1 h"],
    [125 * MINUTE, "2 h 5 min"],
    [HOUR + 29 * SECOND, "1 h"],
    [HOUR + 31 * SECOND, "1 h 1 min"],
    [23 * HOUR + 59 * MINUTE + 40 * SECOND, "1 d"],
    [3 * DAY + 4 * HOUR, "3 d 4 h"],
    [3 * DAY + 4 * HOUR + 31 * MINUTE, "3 d 5 h"],
    [4000 * DAY, "4,000 d"],
    [-1, "-1 ms"],
    [-125 * MINUTE, "-2 h 5 min"],
    [Number.NaN, "NaN ms"],
    [Number.POSITIVE_INFINITY, "Infinity ms"],
  ])("of %d ms is %s", (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  it("never exceeds a unit's maximum", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 400 * DAY, noNaN: true }), (milliseconds) => {
        const parts = formatDuration(milliseconds).split(/ (?=\d)/);
        const most: Record<string, number> = { ms: 999, s: 59.9, min: 59, h: 23, d: 400 };
        expect(parts.length).toBeLessThanOrEqual(2);
        for (const part of parts) {
          const [count, unit = ""] = part.split(" ");
          expect(Number(count)).toBeLessThanOrEqual(most[unit] ?? -1);
        }
      }),
    );
  });
});

describe("a duration in a sentence", () => {
  it.each([
    [SECOND, "the last second", "within a second"],
    [MINUTE, "the last minute", "within a minute"],
    [HOUR, "the last hour", "within an hour"],
    [DAY, "the last day", "within a day"],
    [90 * SECOND, "the last 1 min 30 s", "within 1 min 30 s"],
    [20 * MINUTE, "the last 20 min", "within 20 min"],
    [0, "the last 0 ms", "within 0 ms"],
  ])("of %d ms reads as %s and %s", (milliseconds, last, within) => {
    expect(`the last ${formatPeriod(milliseconds)}`).toBe(last);
    expect(`within ${formatWithin(milliseconds)}`).toBe(within);
  });
});

describe("a duration in whole minutes", () => {
  it.each([
    [0, "< 1 min"],
    [1, "1 min"],
    [44, "44 min"],
    [125, "2 h 5 min"],
    [-1, "-1 min"],
  ])("of %d is %s", (minutes, text) => {
    expect(formatMinutes(minutes)).toBe(text);
  });
});

describe("a share", () => {
  it.each([
    [0, 0, "0%"],
    [0, 7, "0%"],
    [7, 7, "100%"],
    [1, 3, "33%"],
    [1, 11, "9.1%"],
    [3, 100, "3%"],
    [1, 1000, "0.1%"],
    [1, 1001, "< 0.1%"],
    [999, 1000, "99.9%"],
    [99_999, 100_000, "> 99.9%"],
    [9951, 10_000, "99.5%"],
    [9996, 10_000, "> 99.9%"],
  ])("of %d in %d is %s", (part, whole, text) => {
    expect(formatShare(part, whole)).toBe(text);
  });

  it("is never 0% or 100% unless it is exact", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1, max: 1e9 }), (part, more) => {
        expect(["0%", "100%"]).not.toContain(formatShare(part, part + more));
      }),
    );
  });
});
