import fc from "fast-check";
import { expect, it } from "vitest";
import { fromMicros, keyAfter, microsOf, momentKey } from "./moments.js";

it.each([
  ["2026-04-01T09:30:15Z", "2026-04-01T09:30:15"],
  ["2026-04-01t09:30:15.500z", "2026-04-01T09:30:15.5"],
  ["2026-04-01T18:30:15.123456789+09:00", "2026-04-01T09:30:15.123456789"],
  ["2026-01-01T00:00:00-00:30", "2026-01-01T00:30:00"],
  ["2016-12-31T23:59:60.25Z", "2016-12-31T23:59:60.25"],
  ["2017-01-01T08:59:60+09:00", "2016-12-31T23:59:60"],
  ["0000-01-01T00:00:00+01:00", "0000-01-01T00:00:00"],
  ["9999-12-31T23:59:59-01:00", "9999-12-31T23:59:60"],
])("%s sorts as %s", (text, key) => {
  expect(momentKey(text)).toBe(key);
});

it.each(["", "yesterday", "2026-04-01", "2026-04-01T09:30:15", "2026-02-30T00:00:00Z"])("%j is not a time", (text) => {
  expect(momentKey(text)).toBeUndefined();
});

const micros = fc.integer({ min: -62_000_000_000_000_000 / 8, max: 4_000_000_000_000_000 });

it("µs and sort keys are the same times in the same order", () => {
  fc.assert(
    fc.property(micros, micros, (one, other) => {
      expect(microsOf(fromMicros(one))).toBe(one);
      expect(fromMicros(one) < fromMicros(other)).toBe(one < other);
    }),
  );
});

it("digits beyond µs and leap seconds are between whole µs", () => {
  expect(microsOf("1970-01-01T00:00:00.0000012")).toBe(1.5);
  expect(microsOf("2016-12-31T23:59:60.5") - microsOf("2017-01-01T00:00:00")).toBe(-0.5);
  expect(microsOf("2026-04-01T09:30:15.123456789") - microsOf("2026-04-01T09:30:15.123456")).toBe(0.5);
});

it("no key sorts between a key and the one after it", () => {
  for (const key of ["2026-04-01T09:30:15", "2026-04-01T09:30:15.5"]) {
    const longer = key.includes(".") ? `${key}1` : `${key}.1`;
    expect([longer, keyAfter(key), key].sort()).toEqual([key, keyAfter(key), longer]);
  }
});
