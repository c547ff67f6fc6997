import { expect, it } from "vitest";
import { slackDate } from "./slack-date.js";

it.each([
  [Date.UTC(2026, 10, 21, 12, 0, 30, 999), "<!date^1795262430^{date_short_pretty} {time_secs}|2026-11-21T12:00:30Z>"],
  [0, "<!date^0^{date_short_pretty} {time_secs}|1970-01-01T00:00:00Z>"],
  [-1000, "-1 s after 1970"],
  [1e300, "1e+297 s after 1970"],
  [Number.NaN, "NaN s after 1970"],
])("%d is a time that Slack writes for each reader, or a number where it cannot", (ms, words) => {
  expect(slackDate(ms)).toBe(words);
});
