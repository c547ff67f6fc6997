import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../test/arbitrary.js";
import { brief, graphemesOf, oneLine, textOf } from "./text.js";

/** Everything that untrusted text must not contain, listed independently of the code. */
const DANGEROUS = /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Cs}/u;

describe("oneLine", () => {
  it.each([
    ["a line break", "a\r\nb", "a␍␊b"],
    ["a tab", "a\tb", "a␉b"],
    ["a colour", "\u001b[31mred", "␛[31mred"],
    ["a terminal's title", "\u001b]0;x\u0007", "␛]0;x␇"],
    ["a colour as a single character", "\u009b31mred", "�31mred"],
    ["a delete character", "a\u007f", "a␡"],
    ["an end-of-text character", "\0", "␀"],
    ["a change of the writing direction", "\u202egnp.exe", "�gnp.exe"],
    ["an isolated change of the writing direction", "a\u2066b\u2069", "a�b�"],
    ["the line ends of Unicode", "a\u2028b\u2029c\u0085d", "a�b�c�d"],
    ["half a surrogate pair", "\ud83d", "�"],
    ["a zero-width space", "a\u200bb", "a�b"],
    ["a soft hyphen", "pass\u00adword", "pass�word"],
    ["a byte order mark", "\ufeffx", "�x"],
    ["a Hangul filler", "a\u3164b", "a�b"],
    ["a joiner between plain letters", "ad\u200dmin", "ad�min"],
    ["a selector after a plain letter", "a\ufe0f", "a�"],
    ["text that is hidden in tags", "x\u{e0068}\u{e0069}", "x��"],
    ["marks that would cover the lines around", `a${"\u0301".repeat(10)}b`, `a${"\u0301".repeat(8)}��b`],
    ["text that is hidden in a flag", `🏴${"\u{e0068}".repeat(8)}`, `🏴${"\u{e0068}".repeat(7)}�`],
  ])("shows %s as a visible symbol", (_, text, shown) => {
    expect(oneLine(text)).toBe(shown);
  });

  it.each([
    ["a family", "👩‍👩‍👧‍👦"],
    ["a rainbow flag", "🏳️‍🌈"],
    ["a keycap", "1️⃣"],
    ["the flag of a region", "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"],
    ["Persian, which needs a joiner", "می\u200cخواهم"],
    ["Hindi, which needs one, too", "क्\u200dष"],
    ["a name in a rare form", "葛\u{e0100}城"],
    ["separate accents", "e\u0301"],
    ["Hebrew with all its marks", "בְּ\u05a5רֵאשִׁ֖ית"],
    ["Tibetan, which is stacked", "ཧྐྵྨླྺྼྻྂ"],
    ["quotes and dashes", "“a” – b…"],
  ])("leaves %s unchanged", (_, text) => {
    expect(oneLine(text)).toBe(text);
  });

  it.each([
    "\u{e0041}".repeat(50_000),
    "\u{1f3f4}\u{e0041}".repeat(50_000),
    "a\u200d".repeat(50_000),
    "\u0301".repeat(50_000),
  ])("takes linear time, even for pathological input", (text) => {
    expect(oneLine(text).length).toBeLessThanOrEqual(text.length);
  });

  it("leaves nothing dangerous in any text, and is idempotent", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(oneLine(text)).not.toMatch(DANGEROUS);
        expect(oneLine(oneLine(text))).toBe(oneLine(text));
      }),
    );
  });
});

describe("textOf", () => {
  it.each([
    [undefined, "–"],
    [null, "–"],
    ["", "–"],
    [0, "0"],
    [false, "false"],
    ["a\nb", "a␊b"],
    [{ a: [1, "b"] }, '{"a":[1,"b"]}'],
    [[], "[]"],
    [12n, "bigint"],
    [Symbol("a"), "symbol"],
    [{ toJSON: () => undefined }, "object"],
  ])("writes %o as %s", (value, text) => {
    expect(textOf(value)).toBe(text);
  });

  it("writes a value that contains itself", () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(textOf(cycle)).toBe("object");
  });

  it("never throws, and is never empty", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(textOf(value)).not.toBe("");
      }),
    );
  });
});

describe("brief", () => {
  it.each([
    ["a text that fits", "abcdef", 6, undefined, "abcdef"],
    ["a text that does not fit", "abcdefg", 6, undefined, "abc…fg"],
    ["more of its start on request", "01KAKV0B9E7W5Q3X1Z8N6M4K2J", 13, 4, "01KAKV0B…4K2J"],
    ["whole surrogate pairs", "🙂".repeat(6), 5, undefined, "🙂🙂…🙂🙂"],
    ["as many surrogate pairs as fit, even in a longer text", "🙂".repeat(5), 5, undefined, "🙂".repeat(5)],
    ["whole family emoji", "👩‍👩‍👧‍👦".repeat(5), 20, undefined, "👩‍👩‍👧‍👦…👩‍👩‍👧‍👦"],
    ["accents on their letters", "e\u0301".repeat(5), 6, undefined, "e\u0301…e\u0301"],
    ["a letter with more marks than fit", `a${"\u0301".repeat(8)}`, 4, undefined, "…"],
    ["a text on one line", "a\n\u202eb", 9, undefined, "a␊�b"],
    ["the ends of a very long text", `会議${"x".repeat(5_000_000)}議室`, 5, undefined, "会議…議室"],
    ["the ends of very many emoji", "👩‍👩‍👧‍👦".repeat(500_000), 20, undefined, "👩‍👩‍👧‍👦…👩‍👩‍👧‍👦"],
    ["only the placeholder", "abc", 1, undefined, "…"],
  ])("returns %s", (_, text, longest, atEnd, expected) => {
    expect(brief(text, longest, atEnd)).toBe(expected);
  });

  it("never exceeds its limit, and consists of the line's characters", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 50 }), (text, longest) => {
        const short = brief(text, longest);
        const line = oneLine(text);
        if (short === line) return;
        expect(Array.from(short).length).toBeLessThanOrEqual(longest);
        const [head = "", tail = ""] = splitAtMiddle(short, line);
        const signs = graphemesOf(line);
        expect(signs.slice(0, graphemesOf(head).length).join("")).toBe(head);
        expect(signs.slice(signs.length - graphemesOf(tail).length).join("")).toBe(tail);
      }),
    );
  });
});

/** The "…" that replaces the middle: the text may contain others. */
function splitAtMiddle(short: string, text: string): string[] {
  for (let at = short.indexOf("…"); at >= 0; at = short.indexOf("…", at + 1)) {
    const parts = [short.slice(0, at), short.slice(at + 1)];
    if (text.startsWith(parts[0] ?? "") && text.endsWith(parts[1] ?? "")) return parts;
  }
  return [];
}

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
