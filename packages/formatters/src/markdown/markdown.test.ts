import type { LogKind } from "@media-ops/contract";
import { columnsOf } from "@media-ops/reports/entries";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyKindAndEntry, anyText } from "../test/arbitrary.js";
import { cellsOf, meaning, shownText } from "../test/markdown-text.js";
import { ofEntries } from "../test/of-entries.js";
import { now, samples } from "../test/samples.js";
import { show } from "../values/show.js";
import { clockFor, oneLine } from "../values/words.js";
import * as markdown from "./index.js";
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

const summed = ofEntries(markdown.formatSummary);

const clock = clockFor({ now });
const shownIn = (kind: LogKind) => columnsOf(kind).filter((column) => column.in !== "detail");

describe("entries in Markdown", () => {
  it("can have a heading and another time zone", () => {
    const lines = markdown
      .formatLogs("api", samples.api, { now, timeZone: "Asia/Tokyo", title: "Calls @ #1" })
      .split("\n");
    expect(lines.slice(0, 3)).toEqual([
      "### Calls <span>@</span> <span>#</span>1",
      "",
      "| Time (Asia/Tokyo) | Status | Took | Address |",
    ]);
    expect(lines[4]).toMatch(/^\| 2026-11-21 23:05:01 \|/);
    expect(() => markdown.formatLogs("api", [], { now, timeZone: "Mars/Olympus" })).toThrow(RangeError);
  });

  it("have a message for an empty list", () => {
    expect(markdown.formatLogs("media-api", [], { now })).toBe("No media API calls were found.");
    expect(markdown.formatLogs("media-api", [], { now, title: "T" })).toBe("### T\n\nNo media API calls were found.");
  });

  it("show every character of the entries", () => {
    fc.assert(
      fc.property(anyKindAndEntry, ([kind, entry]) => {
        const [, , row = ""] = markdown.formatLogs(kind, [entry], { now }).split("\n");
        const expected = shownIn(kind).map((column) => show(entry, column, clock));
        expect(cellsOf(row).map(shownText)).toEqual(
          expected.map(({ text, time }) => (time === undefined ? text : clock.full(time))),
        );
      }),
    );
  });
});

describe("a summary in Markdown", () => {
  it("of no entries says so", () => {
    expect(summed("api", [], { now, title: "*" })).toBe("### \\*\n\nNo API calls.");
  });
});
