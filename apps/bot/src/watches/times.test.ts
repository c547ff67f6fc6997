import { describe, expect, it } from "vitest";
import { nextTime } from "./digest.js";
import { isQuiet } from "./watch-store.js";

const iso = (text: string): number => Date.parse(text);

describe("the next time of a digest", () => {
  it.each([
    ["later the same day", "UTC", "2026-07-28T08:59:30Z", "2026-07-28T09:00:00Z"],
    ["the next day, if it is that minute now", "UTC", "2026-07-28T09:00:10Z", "2026-07-29T09:00:00Z"],
    ["by the clock of the person's zone", "America/New_York", "2026-07-28T12:00:00Z", "2026-07-28T13:00:00Z"],
    ["by that clock, also when it is set forward", "Europe/Berlin", "2026-03-28T09:00:00Z", "2026-03-29T07:00:00Z"],
    ["by that clock, also when it is set back", "Europe/Berlin", "2026-10-24T09:00:00Z", "2026-10-25T08:00:00Z"],
  ])("is %s", (_, zone, now, next) => {
    expect(new Date(nextTime(9 * 60, zone, iso(now))).toISOString()).toBe(new Date(iso(next)).toISOString());
  });
});

describe("quiet hours", () => {
  const night = { from: 22 * 60, to: 7 * 60 };
  it.each([
    ["UTC", "2026-07-28T21:59:59Z", false],
    ["UTC", "2026-07-28T22:00:00Z", true],
    ["UTC", "2026-07-29T06:59:59Z", true],
    ["UTC", "2026-07-29T07:00:00Z", false],
    ["Asia/Tokyo", "2026-07-28T13:00:00Z", true],
  ])("go on through midnight in their own zone: %s, %s is %s", (zone, at, expected) => {
    expect(isQuiet(night, zone, iso(at))).toBe(expected);
  });

  it("may be within a day, or not set", () => {
    expect(isQuiet({ from: 60, to: 120 }, "UTC", iso("2026-07-28T01:30:00Z"))).toBe(true);
    expect(isQuiet({ from: 60, to: 120 }, "UTC", iso("2026-07-28T02:30:00Z"))).toBe(false);
    expect(isQuiet(undefined, "UTC", iso("2026-07-28T02:30:00Z"))).toBe(false);
  });
});
