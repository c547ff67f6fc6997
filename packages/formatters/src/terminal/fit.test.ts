import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../test/arbitrary.js";
import { clean, cutEnd, fit, textWidth, wrap } from "./width.js";

describe("a text that is too wide", () => {
  it.each([
    ["abcdef", 6, "abcdef", "abcdef"],
    ["abcdefg", 6, "abc…fg", "abcde…"],
    ["会議室のチャンネル", 9, "会議…ネル", "会議室の…"],
    ["会議室のチャンネル", 8, "会議…ル", "会議室…"],
    ["👩‍👩‍👧‍👦🇩🇪1️⃣🙂", 5, "👩‍👩‍👧‍👦…🙂", "👩‍👩‍👧‍👦🇩🇪…"],
    ["e\u0301e\u0301e\u0301e\u0301", 3, "e\u0301…e\u0301", "e\u0301e\u0301…"],
    ["01KAKV0B…4K2J", 12, "01KAKV…4K2J", "01KAKV0B…4K…"],
    ["01KAKV0B…4K2J", 10, "01KAK…4K2J", "01KAKV0B…"],
    ["会", 1, "…", "…"],
    ["abc", 1, "…", "…"],
  ])("%s in %d columns loses its middle or its end", (text, width, inMiddle, atEnd) => {
    expect(fit(text, width)).toBe(inMiddle);
    expect(cutEnd(text, width)).toBe(atEnd);
  });

  it.each([
    ["wraps to the next line", "one two three", 7, ["one two", "three"]],
    ["keeps the spaces within a line", "a  b   c", 4, ["a  b", "  c"]],
    ["is broken within a word if necessary", "a verylongword b", 6, ["a", "verylo", "ngword", "b"]],
    ["continues after a broken word", "verylongword b", 8, ["verylong", "word b"]],
    ["is broken between wide characters", "会議室 会", 5, ["会議", "室 会"]],
    ["loses characters that fit on no line", "a会b", 1, ["a", "…", "b"]],
    ["may be empty", "", 5, [""]],
    ["is never broken if the width is infinite", "one two", Number.POSITIVE_INFINITY, ["one two"]],
  ])("%s", (_, text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines);
  });

  it("fits for any characters, and wraps without losing any", () => {
    fc.assert(
      fc.property(anyText.map(clean), fc.integer({ min: 1, max: 60 }), (text, width) => {
        for (const line of [fit(text, width), cutEnd(text, width), ...wrap(text, width)]) {
          expect(textWidth(line)).toBeLessThanOrEqual(width);
        }
        if (width > 3) expect(wrap(text, width).join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      }),
    );
  });
});
