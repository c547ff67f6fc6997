import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphemesOf } from "./text.js";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

describe("the graphemes of a text", () => {
  it("are the same if a text is processed in pieces", () => {
    const unit = fc.constantFrom(
      "a",
      "\u0301",
      "👩",
      "\u200d",
      "🇩",
      "\ud83d",
      "\udc00",
      "क",
      "\u094d",
      "🏴",
      "\u{e0067}",
      "한",
      "\r",
      "\n",
    );
    const anyLongText = fc.tuple(
      fc.string({ unit, minLength: 1, maxLength: 30 }),
      fc.integer({ min: 990, max: 1010 }),
      fc.string({ unit }),
    );
    fc.assert(
      fc.property(anyLongText, ([some, length, rest]) => {
        const text = some.repeat(Math.ceil(length / some.length)).slice(-length) + rest.repeat(20);
        expect(graphemesOf(text)).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment));
      }),
    );
  });

  it.each([
    ["emoji", "👩‍👩‍👧‍👦", 80_000, 80_000],
    ["marks on one letter", "\u0301", 400_000, 1],
    ["halves of flags", "🇩", 200_000, 100_000],
  ])("of very many %s are found in linear time", (_, sign, count, signs) => {
    expect(graphemesOf(sign.repeat(count))).toHaveLength(signs);
  });
});
