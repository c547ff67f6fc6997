import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fit } from "./parts.js";

describe("truncated text", () => {
  it.each([
    ["short", 5, "short"],
    ["longer", 5, "long…"],
    ["abc👩def", 5, "abc…"],
    ["abc👩def", 6, "abc👩…"],
  ])("%j in %d characters is %j", (text, longest, fitting) => {
    expect(fit(text, longest)).toBe(fitting);
  });

  it("is never longer, and never splits a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 20 }), (text, longest) => {
        const fitting = fit(text, longest);
        expect(fitting.length).toBeLessThanOrEqual(longest);
        expect(fitting).not.toMatch(/\p{Cs}/u);
      }),
    );
  });
});
