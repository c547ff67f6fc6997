import { describe, expect, it } from "vitest";
import { readTimestamp } from "./index.js";

describe("a timestamp", () => {
  it.each([
    ["without a fraction", "2026-11-21T14:05:30Z", "2026-11-21T14:05:30.000Z"],
    ["with one digit", "2026-11-21T14:05:30.5Z", "2026-11-21T14:05:30.500Z"],
    ["with six digits", "2026-11-21T14:05:30.123999Z", "2026-11-21T14:05:30.123Z"],
    ["with more digits than a number holds", `2026-11-21T14:05:30.${"9".repeat(400)}Z`, "2026-11-21T14:05:30.999Z"],
    ["with an offset", "2026-11-20T09:00:00.25+05:45", "2026-11-20T03:15:00.250Z"],
    ["in lower case", "2026-11-21t14:05:30.5z", "2026-11-21T14:05:30.500Z"],
    ["with ten digits", "2026-11-21T14:05:30.0003000000Z", "2026-11-21T14:05:30.000Z"],
    ["of a leap day", "2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ["of a leap second", "2016-12-31T23:59:60.25Z", "2017-01-01T00:00:00.250Z"],
    ["of a leap second with an offset", "2017-01-01T08:59:60+09:00", "2017-01-01T00:00:00.000Z"],
  ])("%s is read", (_, text, instant) => {
    expect(readTimestamp(text)).toBe(Date.parse(instant));
  });

  it.each([
    ...["", "soon", " 2026-11-21T14:05:30Z", "2026-11-21", "2026-11-21T14:05Z", "2026-11-21T14:05:30", "1795269930"],
    ...["2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T25:00:00Z"],
    ...["2026-11-21T14:05:30+24:00", 1_795_269_930_000, null, undefined, {}],
  ])("is not %j", (value) => {
    expect(readTimestamp(value)).toBeUndefined();
  });
});
