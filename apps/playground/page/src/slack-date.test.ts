import { describe, expect, test } from "vitest";
import { dateWriter, dayOf, formatSlackDate } from "./slack-date.js";

const AT = Date.parse("2026-11-21T23:05:09Z") / 1000;
const hours = (count: number): number => (AT + count * 3600) * 1000;
const plain = (text: string): string => text.replaceAll(" ", " ");

describe("a time is shown in the reader's time zone", () => {
  test.each([
    ["{date_num} {time_secs}", "Europe/Berlin", "2026-11-22 12:05:09 AM"],
    ["{date_num} {time}", "America/New_York", "2026-11-21 6:05 PM"],
    ["{date_short}", "UTC", "Nov 21, 2026"],
    ["{date_long}", "UTC", "Saturday, November 21, 2026"],
    ["on {date_short} at {time}", "UTC", "on Nov 21, 2026 at 11:05 PM"],
    ["{unheard_of}", "UTC", "{unheard_of}"],
  ])("%s in %s", (format, timeZone, expected) => {
    expect(plain(formatSlackDate(AT, format, { timeZone, now: hours(100) }))).toBe(expected);
  });
});

describe("a recent time is shown in words", () => {
  test.each([
    ["{date_short_pretty}", 0, "today"],
    ["{date_short_pretty}", 1, "yesterday"],
    ["{date_short_pretty}", -24, "tomorrow"],
    ["{date_short_pretty}", 72, "Nov 21, 2026"],
    ["{date_short}", 0, "Nov 21, 2026"],
    ["{ago}", 3, "3 hours ago"],
    ["{ago}", 1 / 60, "1 minute ago"],
    ["{ago}", -2 / 3600, "just now"],
    ["{ago}", -49, "in 2 days"],
  ])("%s, seen %d hours later", (format, later, expected) => {
    expect(formatSlackDate(AT, format, { timeZone: "UTC", now: hours(later) })).toBe(expected);
  });
});

test("an invalid time is shown as nothing", () => {
  expect(formatSlackDate(Number.NaN, "{date}", { timeZone: "UTC", now: 0 })).toBe("");
});

test("a day depends on the time zone", () => {
  expect([dayOf(AT * 1000, "UTC"), dayOf(AT * 1000, "Europe/Berlin")]).toEqual(["2026-11-21", "2026-11-22"]);
});

test("one formatter is created for each combination of options", () => {
  const inBerlin = dateWriter("en-US", { timeZone: "Europe/Berlin", hour: "numeric" });
  expect(dateWriter("en-US", { timeZone: "Europe/Berlin", hour: "numeric" })).toBe(inBerlin);
  const inNewYork = dateWriter("en-US", { timeZone: "America/New_York", hour: "numeric" });
  expect([inBerlin, inNewYork].map((writer) => writer.resolvedOptions().timeZone)).toEqual([
    "Europe/Berlin",
    "America/New_York",
  ]);
});
