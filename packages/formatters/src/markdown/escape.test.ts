import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../test/arbitrary.js";
import { meaning, shownText } from "../test/markdown-text.js";
import { oneLine } from "../values/text.js";
import { escapeMarkdown } from "./markup.js";

describe("escapeMarkdown returns plain text", () => {
  it.each([
    ["a cell separator", "a | b", "a &#124; b"],
    ["a cell separator after a backslash", "a \\| b", "a \\\\&#124; b"],
    ["a link", "[click](https://evil.example)", "\\[click\\](https<span>:</span>//evil.example)"],
    ["an image", "![x](y)", "!\\[x\\](y)"],
    ["a URL", "http://evil.example", "http<span>:</span>//evil.example"],
    ["a URL without a scheme", "www.evil.example", "www<span>.</span>evil.example"],
    ["a URL in brackets", "<https://evil.example>", "&lt;https<span>:</span>//evil.example&gt;"],
    ["a mail address", "a@evil.example", "a<span>@</span>evil.example"],
    ["a mention", "@someone, @org/team", "<span>@</span>someone, <span>@</span>org/team"],
    ["an issue", "#12, org/repo#3, GH-4", "<span>#</span>12, org/repo<span>#</span>3, GH<span>-</span>4"],
    ["HTML", "<img src=x onerror=y>", "&lt;img src=x onerror=y&gt;"],
    ["an entity", "&lt;b&gt; &#38; &", "&amp;lt;b&amp;gt; &amp;<span>#</span>38; &"],
    ["code", "`a` ``b``", "\\`a\\` \\`\\`b\\`\\`"],
    ["emphasis", "*a* **b** _c_ __d__ ~~e~~", "\\*a\\* \\*\\*b\\*\\* \\_c\\_ \\_\\_d\\_\\_ \\~\\~e\\~\\~"],
    ["a formula", "$x$", "<span>$</span>x<span>$</span>"],
    ["an emoji", ":tada: :+1:", "<span>:</span>tada: <span>:</span>+1:"],
    ["several lines", "a\n\n# b", "a␊␊<span>#</span> b"],
    ["a change of the writing direction", "\u202egnp", "�gnp"],
  ])("%s", (_, text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped);
  });

  it.each([
    "Media_20151104.PushChannel",
    "max_channel_connections",
    "14:03:22 · 2 min ago",
    "1.24 MB (1,240,000 bytes)",
    "会議室",
    "a-b",
    "100% + 1 = x!",
  ])("unchanged if nothing needs escaping: %s", (text) => {
    expect(escapeMarkdown(text)).toBe(text);
  });

  it("for any text, with every character visible", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: fc.constantFrom(..."a_*`[]()!<>&|\\@#$:/.wg-h1 ") })), (text) => {
        expect(meaning(escapeMarkdown(text))).toEqual([]);
        expect(shownText(escapeMarkdown(text))).toBe(oneLine(text));
      }),
    );
  });

  it.each([":a".repeat(50_000), "www.".repeat(25_000), "_".repeat(50_000), "gh-1".repeat(25_000)])(
    "in linear time, even for pathological input",
    (text) => {
      expect(escapeMarkdown(text).length).toBeGreaterThanOrEqual(text.length);
    },
  );
});
