import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../test/arbitrary.js";
import { clean, cutEnd, fit, textWidth, wrap } from "./width.js";

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

describe("clean", () => {
  it.each([
    ["a colour", "\u001b[31mred\u001b[0m", "␛[31mred␛[0m"],
    ["a private character", "\ue0b0", "�"],
    ["a noncharacter", "\uffff", "�"],
    ["an unassigned character", "\u{e1000}\u0378", "��"],
    ["a leading combining mark", "\u0301a", "◌\u0301a"],
  ])("shows %s as visible symbols", (_, text, shown) => {
    expect(clean(text)).toBe(shown);
  });

  it.each(["plain text, 100% of it", "会議室", "👩‍👩‍👧‍👦 1️⃣ 🏳️‍🌈", "می\u200cخواهم", "e\u0301"])(
    "leaves %s unchanged",
    (text) => {
      expect(clean(text)).toBe(text);
    },
  );

  it("removes everything that a terminal interprets or that is misleading, from any text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(clean(text)).not.toMatch(/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
        expect(clean(clean(text))).toBe(clean(text));
      }),
    );
  });
});
