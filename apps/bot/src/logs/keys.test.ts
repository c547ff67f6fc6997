import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isKey, keyAt, placeOf } from "./keys.js";

const at = (timestamp: string, more = "") => ({ timestamp, more });

describe("the key of an entry", () => {
  it("finds any entry again, whatever the service listed", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.jsonValue(), fc.record({ timestamp: fc.jsonValue() }))),
        fc.nat(),
        (some, any) => {
          fc.pre(some.length > 0);
          const key = keyAt(some, any % some.length);
          expect(isKey(key)).toBe(true);
          expect(key.length).toBeLessThanOrEqual(30);
          expect(placeOf(some, key)).toEqual({ at: any % some.length, isThere: true });
        },
      ),
    );
  });

  it("tells entries apart that are logged in the same microsecond, and those that are alike", () => {
    const time = "2026-11-21T14:03:22.123456Z";
    const entries = [at(time, "a"), at(time, "b"), at(time, "a"), at(time, "a")];
    const keys = entries.map((_, place) => keyAt(entries, place));
    expect(new Set(keys).size).toBe(4);
    expect(keys.map((key) => key.slice(-1))).toEqual(["3", "1", "2", "1"]);
  });

  it("stays the same when others come in that are alike", () => {
    const one = at("2026-11-21T14:03:22Z");
    expect(keyAt([one, one, one], 1)).toBe(keyAt([one, one], 0));
  });

  it("is of another entry when anything in it is other", () => {
    const entries = [at("2026-11-21T14:03:22Z", "a")];
    expect(placeOf(entries, keyAt([at("2026-11-21T14:03:22Z", "b")], 0)).isThere).toBe(false);
  });
});

describe("the place of an entry that is gone", () => {
  const entries = [at("2026-11-21T14:00:03Z"), at("2026-11-21T14:00:02Z"), at("2026-11-21T14:00:01.000001Z")];

  it.each([
    ["2026-11-21T14:00:04Z", 0],
    ["2026-11-21T14:00:02.5Z", 1],
    // Those of the same time that are left were before it.
    ["2026-11-21T14:00:02Z", 2],
    ["2026-11-21T14:00:01.000002Z", 2],
    ["2026-11-21T14:00:01.000001Z", 3],
    ["2026-11-21T13:00:00Z", 3],
    ["1969-12-31T23:59:59Z", 3],
  ])("is that of its time: %s", (timestamp, place) => {
    expect(placeOf(entries, keyAt([at(timestamp, "gone")], 0))).toEqual({ at: place, isThere: false });
  });

  it("is the beginning, where it had no time", () => {
    expect(placeOf(entries, keyAt([{ more: "gone" }], 0))).toEqual({ at: 0, isThere: false });
  });

  it("is found beside entries that have no time", () => {
    const odd = [at("2026-11-21T14:00:03Z"), null, at("yesterday"), at("2026-11-21T14:00:01Z")];
    expect(placeOf(odd, keyAt([at("2026-11-21T14:00:02Z")], 0)).at).toBe(3);
  });
});
