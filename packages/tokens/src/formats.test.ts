import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyChannelId } from "../test/claims.js";
import { toEpochSeconds } from "./formats.js";
import { isDateTime, isUuid, splitChannelId } from "./index.js";

describe("splitChannelId", () => {
  it.each([
    ["lobby@demo", "lobby", "demo"],
    ["ann@home@demo", "ann@home", "demo"],
    ["@@demo", "@", "demo"],
    ["@demo", "", "demo"],
    ["a room with spaces@demo", "a room with spaces", "demo"],
    ["🎥@demo", "🎥", "demo"],
    ["line\nbreak@demo", "line\nbreak", "demo"],
    ["lobby@ ", "lobby", " "],
    [`${"é".repeat(125)}@demo`, "é".repeat(125), "demo"],
  ])("splits %j at the last @", (channelId, name, projectId) => {
    expect(splitChannelId(channelId)).toEqual({ name, projectId });
  });

  it.each([
    ["an empty text", ""],
    ["no @", "lobby"],
    ["no project", "lobby@"],
    ["no project after a name with @", "ann@home@"],
    ["256 bytes in 256 characters", `${"a".repeat(251)}@demo`],
    ["256 bytes in 130 characters", `a${"é".repeat(125)}@demo`],
    ["the first half of a surrogate pair", "\ud83c@demo"],
    ["the second half of a surrogate pair", "lobby@\udfa5"],
  ])("returns undefined for %s", (_, channelId) => {
    expect(splitChannelId(channelId)).toBeUndefined();
  });

  it("loses nothing of any channel id", () => {
    fc.assert(
      fc.property(anyChannelId, (channelId) => {
        const { name, projectId } = splitChannelId(channelId) ?? {};
        expect(`${name}@${projectId}`).toBe(channelId);
        expect(projectId).not.toContain("@");
      }),
    );
  });
});

describe("isDateTime accepts", () => {
  it.each([
    ["UTC", "2026-04-01T09:30:15Z", 1775035815, 1775035815],
    ["lower case", "2026-04-01t09:30:15z", 1775035815, 1775035815],
    ["one fraction digit", "2026-04-01T09:30:15.4Z", 1775035815, 1775035816],
    ["more digits than a number holds", `2026-04-01T09:30:15.${"0".repeat(400)}1Z`, 1775035815, 1775035816],
    ["a fraction of zero", "2026-04-01T09:30:15.000Z", 1775035815, 1775035815],
    ["an offset to the east", "2026-04-01T18:30:15+09:00", 1775035815, 1775035815],
    ["an offset to the west", "2026-04-01T04:00:15-05:30", 1775035815, 1775035815],
    ["the offset of an unknown place", "2026-04-01T09:30:15-00:00", 1775035815, 1775035815],
    ["the largest offset", "2026-04-02T09:29:15+23:59", 1775035815, 1775035815],
    ["the smallest offset", "2026-03-31T09:31:15-23:59", 1775035815, 1775035815],
    ["a 29 February", "2024-02-29T00:00:00Z", 1709164800, 1709164800],
    ["the 29 February of a century", "2000-02-29T00:00:00Z", 951782400, 951782400],
    ["a time before 1970", "1969-12-31T23:59:59.5Z", -1, 0],
    ["the first year", "0000-01-01T00:00:00+00:01", -62167219260, -62167219260],
    ["the last year", "9999-12-31T23:59:59Z", 253402300799, 253402300799],
    ["a leap second, which counts as the midnight after it", "2016-12-31T23:59:60Z", 1483228800, 1483228800],
    ["the midnight after it", "2017-01-01T00:00:00Z", 1483228800, 1483228800],
    ["a part of a leap second", "2016-12-31T23:59:60.5Z", 1483228800, 1483228801],
    ["the last moment before a leap second", "2016-12-31T23:59:59.999Z", 1483228799, 1483228800],
    ["a leap second in Tokyo", "2017-01-01T08:59:60+09:00", 1483228800, 1483228800],
    ["a leap second in Newfoundland", "2015-06-30T20:29:60-03:30", 1435708800, 1435708800],
    ["a leap second at the end of any month", "2026-02-28T23:59:60Z", 1772323200, 1772323200],
  ])("%s: %s", (_, text, down, up) => {
    expect(isDateTime(text)).toBe(true);
    expect(toEpochSeconds(text)).toEqual({ down, up });
  });
});

describe("isDateTime refuses", () => {
  // Days and months that do not exist are refused below, in every combination.
  it.each([
    ...["", "1775035815", "2026-04-01", "2026-04-01Z", "09:30:15Z", "2026-04-01T09:30:15", "2026-W14-3T09:30:15Z"],
    ...["2026-04-01 09:30:15Z", "2026-04-01T09:30Z", "2026-04-01T09:30:15.Z", "2026-04-01T09:30:15,5Z"],
    ...[" 2026-04-01T09:30:15Z", "2026-04-01T09:30:15Z ", "2026-04-01T09:30:15Z\n"],
    ...["+002026-04-01T09:30:15Z", "12026-04-01T09:30:15Z", "２０２６-04-01T09:30:15Z"],
    ...["2026-04-01T09:30:15+0900", "2026-04-01T09:30:15+09", "2026-04-01T09:30:15+09:00Z"],
    ...["2026-04-01T09:30:15−09:00", "2026-04-01T09:30:15+24:00", "2026-04-01T09:30:15+09:60"],
    ...["2026-04-01T24:00:00Z", "2026-04-01T09:60:15Z", "2016-12-31T23:59:61Z"],
    // Leap seconds in the middle of a day or a month, or that do not exist in UTC.
    ...["2026-04-01T09:30:60Z", "2026-04-15T23:59:60Z", "2016-12-31T23:59:60+09:00"],
  ])("%j", (text) => {
    expect(isDateTime(text)).toBe(false);
  });
});

describe("isDateTime", () => {
  it("accepts and reads every time that a Date can write", () => {
    const years = { min: new Date("0000-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59.999Z") };
    fc.assert(
      fc.property(fc.date({ ...years, noInvalidDate: true }), (date) => {
        expect(toEpochSeconds(date.toISOString())).toEqual({
          down: Math.floor(date.getTime() / 1000),
          up: Math.floor((date.getTime() + 999) / 1000),
        });
      }),
    );
  });

  it("accepts only days that exist in the calendar", () => {
    const twoDigits = (number: number): string => String(number).padStart(2, "0");
    for (const year of ["1900", "2000", "2023", "2024"]) {
      for (let month = 0; month <= 13; month++) {
        for (let day = 0; day <= 32; day++) {
          const date = new Date(Date.UTC(Number(year), month - 1, day));
          const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
          expect(isDateTime(`${year}-${twoDigits(month)}-${twoDigits(day)}T12:00:00Z`)).toBe(exists);
        }
      }
    }
  });

  it("accepts any text without throwing, even a very long one", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !isDateTime(text)));
    expect(isDateTime(`2026-04-01T09:30:15.${"1".repeat(1_000_000)}`)).toBe(false);
  });
});

describe("isUuid", () => {
  it.each([
    ...["5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11", "0199a3c2-6f0e-7c61-b9a6-0c2f6f0a9d11"],
    // A version and a variant that do not exist, and both cases.
    ...["5f0c8a52-3f5e-ff0b-fd9a-3a4b8f7f2c11", "5F0C8A52-3F5E-4F0B-9D9A-3A4B8F7F2C11"],
    ...["5f0C8a52-3F5e-4f0B-9d9A-3a4B8f7F2c11", "00000000-0000-0000-0000-000000000000"],
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
  ])("accepts %s", (text) => {
    expect(isUuid(text)).toBe(true);
  });

  it.each([
    ...["", "5f0c8a523f5e4f0b9d9a3a4b8f7f2c11", "5f0c8a523-f5e-4f0b-9d9a-3a4b8f7f2c11"],
    ...["{5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11}", "urn:uuid:5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11"],
    ...["5g0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11", "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c1"],
    ...["5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c111", "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11\n"],
    " 5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11",
  ])("refuses %j", (text) => {
    expect(isUuid(text)).toBe(false);
  });

  it("accepts every UUID, and any text without throwing", () => {
    fc.assert(fc.property(fc.uuid(), isUuid));
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !isUuid(text)));
  });
});
