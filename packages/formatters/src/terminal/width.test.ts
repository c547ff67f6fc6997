import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../test/arbitrary.js";
import { clean, textWidth } from "./width.js";

describe("in a terminal", () => {
  it.each([
    ["nothing", "", 0],
    ["plain text", "GET /orgs 200", 13],
    ["letters of other scripts", "Ünïcødé Ωμέγα Кино", 18],
    ["the printers' own symbols", "✓✗▲→·–…█▒▁␛�", 12],
    ["Chinese", "会議室", 6],
    ["kana", "かなカナ", 8],
    ["half-width kana, with its marks", "ｶﾞｷﾞ", 4],
    ["Hangul", "한국어", 6],
    ["decomposed Hangul", "\u1112\u1161\u11ab", 2],
    ["full-width Latin", "ＡＢ", 4],
    ["an ideographic space", "\u3000", 2],
    ["a separate accent", "e\u0301", 1],
    ["many combining accents", `a${"\u0300".repeat(50)}`, 1],
    ["an enclosing mark", "a\u20dd", 1],
    ["Thai with vowels above", "ที่", 1],
    ["Thai with a separate vowel", "กำ", 2],
    ["Arabic, with its marks", "سَلَام", 4],
    ["Persian with a joiner", "می\u200cخواهم", 7],
    ["an emoji", "🙂", 2],
    ["an emoji that is plain without a selector", "❤", 1],
    ["the same emoji with a selector", "❤️", 2],
    ["an emoji that is wide without a selector", "⌚", 2],
    ["a selector without an emoji", "é\ufe0f", 2],
    ["a skin tone", "👍🏽", 2],
    ["a skin tone without a person", "a🏽", 3],
    ["a family", "👩‍👩‍👧‍👦", 2],
    ["a profession with a skin tone", "👩🏾‍🚀", 2],
    ["a burning heart", "❤️‍🔥", 2],
    ["the flag of a country", "🇩🇪", 2],
    ["two flags", "🇩🇪🇫🇷", 4],
    ["half a flag", "🇩", 2],
    ["the flag of a region", "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", 2],
    ["a rainbow flag", "🏳️‍🌈", 2],
    ["keycaps", "1️⃣#️⃣", 4],
    ["a keycap without a selector", "1⃣", 2],
    ["an emoji beside plain text", "a🙂b", 4],
    ["a joiner without neighbours", "🙂\u200d", 2],
  ])("%s has a width of %s", (_, text, width) => {
    expect(textWidth(text)).toBe(width);
    // Also beside other text.
    expect(textWidth(`a ${text} 会 ${text}`)).toBe(2 * width + 6);
  });

  it("clean texts are no wider together than one by one", () => {
    fc.assert(
      fc.property(fc.array(anyText.map(clean), { maxLength: 5 }), (texts) => {
        const apart = texts.reduce((sum, text) => sum + textWidth(text), 0);
        expect(textWidth(texts.join("  "))).toBeLessThanOrEqual(apart + 2 * Math.max(texts.length - 1, 0));
      }),
    );
  });
});
