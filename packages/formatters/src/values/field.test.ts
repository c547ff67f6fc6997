import { fieldNamesOf, fieldOf } from "@media-ops/reports/entries";
import { describe, expect, it } from "vitest";
import { hostile } from "../test/hostile.js";

describe("a field", () => {
  it("is read if it is the object's own", () => {
    expect(fieldOf({ a: 1, b: null }, "a")).toBe(1);
    expect(fieldOf({ a: 1, b: null }, "b")).toBe(null);
    expect(fieldNamesOf({ a: 1, b: null })).toEqual(["a", "b"]);
  });

  it.each([undefined, null, 7, "text", {}, []])("is missing in %j", (thing) => {
    for (const name of ["a", "length", "constructor", "__proto__", undefined]) {
      if (name === "length" && Array.isArray(thing)) continue;
      expect(fieldOf(thing, name)).toBeUndefined();
    }
    expect(fieldNamesOf(thing)).toEqual([]);
  });

  it.each(Object.entries(hostile))("that cannot be read is missing: %s", (_, thing) => {
    expect(fieldOf(thing, "url")).toBeUndefined();
    expect(() => fieldNamesOf(thing)).not.toThrow();
  });
});
