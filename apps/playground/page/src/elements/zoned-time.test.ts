import { expect, test } from "vitest";
import { secondsAt, zonedTime } from "./zoned-time.js";

test.each([
  ["2026-11-21T15:05", "Europe/Berlin", "2026-11-21T14:05:00Z"],
  ["2026-07-01T00:30", "Europe/Berlin", "2026-06-30T22:30:00Z"],
  ["2026-11-21T15:05", "America/New_York", "2026-11-21T20:05:00Z"],
  ["2026-11-21T15:05", "Asia/Kolkata", "2026-11-21T09:35:00Z"],
  // Just before and after the clock goes back.
  ["2026-10-25T01:30", "Europe/Berlin", "2026-10-24T23:30:00Z"],
  ["2026-10-25T03:30", "Europe/Berlin", "2026-10-25T02:30:00Z"],
  // Just after it has gone forward.
  ["2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00:00Z"],
])("%s in %s is %s, and back", (local, timeZone, utc) => {
  const seconds = Date.parse(utc) / 1000;
  expect(secondsAt(local, timeZone)).toBe(seconds);
  expect(zonedTime(seconds, timeZone)).toBe(local);
});

test("what is no time is none", () => {
  expect(secondsAt("", "UTC")).toBeUndefined();
});
