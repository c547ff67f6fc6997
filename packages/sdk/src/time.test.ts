import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MediaUsageError } from "./errors.js";
import { expiresIn, parseTimestamp } from "./time.js";

describe("parseTimestamp", () => {
  it.each([
    ["2026-04-01T09:30:15Z", 1775035815000, 1775035815000000n, ""],
    ["2026-04-01T09:30:15.4Z", 1775035815400, 1775035815400000n, "4"],
    ["2026-04-01T09:30:15.482Z", 1775035815482, 1775035815482000n, "482"],
    ["2026-04-01T09:30:15.482913Z", 1775035815482, 1775035815482913n, "482913"],
    ["2026-04-01T09:30:15.482913999Z", 1775035815482, 1775035815482913n, "482913999"],
    ["2026-04-01T18:30:15.482913+09:00", 1775035815482, 1775035815482913n, "482913"],
    ["2026-04-01T04:00:15-05:30", 1775035815000, 1775035815000000n, ""],
    ["2026-04-01t09:30:15z", 1775035815000, 1775035815000000n, ""],
    ["1969-12-31T23:59:59.9995Z", -1, -500n, "9995"],
    ["2016-12-31T23:59:60Z", 1483228800000, 1483228800000000n, ""],
    ["2017-01-01T08:59:60.5+09:00", 1483228800500, 1483228800500000n, "5"],
    ["2024-02-29T00:00:00Z", 1709164800000, 1709164800000000n, ""],
  ])("reads %s", (text, epochMilliseconds, epochMicroseconds, fraction) => {
    expect(parseTimestamp(text)).toEqual({ epochMilliseconds, epochMicroseconds, fraction });
  });

  it.each([
    "2026-04-01",
    "2026-04-01T09:30:15",
    "2026-04-01 09:30:15Z",
    "2026-04-01T09:30Z",
    "2026-04-01T09:30:15.Z",
    "2026-04-01T09:30:15Z ",
    "2026-04-01T09:30:15Z\n",
    "2026-04-01T09:30:15+0900",
    "2026-04-01T09:30:15+24:00",
    "2026-04-01T24:00:00Z",
    "2026-04-01T09:60:15Z",
    "2026-04-01T09:30:61Z",
    "2026-04-01T09:30:60Z",
    "2026-00-01T09:30:15Z",
    "2026-02-30T09:30:15Z",
    "2025-02-29T09:30:15Z",
    "1775035815",
    "",
  ])("returns undefined for %j", (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  it("agrees with Date within its precision, and accepts any text", () => {
    const years = {
      min: new Date("0000-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true,
    };
    fc.assert(
      fc.property(fc.date(years), (date) => {
        expect(parseTimestamp(date.toISOString())?.epochMilliseconds).toBe(date.getTime());
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => parseTimestamp(text) === undefined || text.includes(":")));
  });
});

describe("expiresIn", () => {
  const now = Date.parse("2026-04-01T09:30:15.250Z");

  it.each([
    ["90s", "2026-04-01T09:31:45.250Z"],
    ["10m", "2026-04-01T09:40:15.250Z"],
    ["2h", "2026-04-01T11:30:15.250Z"],
    ["1d", "2026-04-02T09:30:15.250Z"],
    ["1h30m", "2026-04-01T11:00:15.250Z"],
    ["0s", "2026-04-01T09:30:15.250Z"],
  ])("%s from now is %s", (duration, time) => {
    expect(expiresIn(duration, now)).toBe(time);
  });

  it("starts at the current time by default", () => {
    const before = Date.now();
    const end = Date.parse(expiresIn("1m"));
    expect(end - 60_000).toBeGreaterThanOrEqual(before);
    expect(end - 60_000).toBeLessThanOrEqual(Date.now());
  });

  it.each(["", "10", "m", "10 m", "1.5h", "-5m", "10m!", "1w", "9999999d"])(
    "refuses %j, and shows a valid example",
    (duration) => {
      expect(() => expiresIn(duration, now)).toThrow(MediaUsageError);
      expect(() => expiresIn(duration, now)).toThrow(
        `Invalid duration "${duration}". Use a form like "90s", "10m" or "1h30m".`,
      );
    },
  );
});
