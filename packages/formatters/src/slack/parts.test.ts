import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../test/arbitrary.js";
import { strayMarkup } from "../test/slack-markup.js";
import { codeSpan, escapeMrkdwn, fit } from "./parts.js";

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

describe("escapeMrkdwn", () => {
  it.each([
    ["a mention of everyone", "<!channel> @channel", "&lt;!channel&gt; @\u2060channel"],
    ["a mention of one person", "<@U123>", "&lt;@U123&gt;"],
    ["a link", "<https://evil.example|click>", "&lt;https://evil.example|click&gt;"],
    ["an entity", "&lt;", "&amp;lt;"],
    ["bold, italic, struck and code", "*a* _b_ ~c~ `d`", "∗a∗ ˍbˍ ∼c∼ ˋdˋ"],
    ["a quote", "> so he said", "\u2060&gt; so he said"],
    ["a quote on a later line", "a\n  > b", "a\n  \u2060&gt; b"],
    ["an emoji", ":tada: or :+1:", ":\u2060tada: or :\u2060+1:"],
  ])("turns %s into plain text", (_, text, escaped) => {
    expect(escapeMrkdwn(text)).toBe(escaped);
  });

  it.each(["max_channel_connections", "14:03:22", "lobby@demo", "a > b".replace(">", "to"), "日本語", "1 − 1 = 0"])(
    "leaves %j unchanged",
    (text) => {
      expect(escapeMrkdwn(text)).toBe(text);
    },
  );

  it("leaves no markup in any text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(strayMarkup({ blocks: [], text: escapeMrkdwn(text) })).toEqual([]);
      }),
    );
  });

  it.each([":a".repeat(50_000), ">".repeat(50_000), " \t".repeat(50_000), "_".repeat(50_000)])(
    "takes linear time, even for pathological input",
    (text) => {
      expect(escapeMrkdwn(text).length).toBeGreaterThanOrEqual(text.length);
    },
  );
});

describe("codeSpan", () => {
  it("shows a value character by character, and a backtick cannot end it", () => {
    expect(codeSpan("*a_b* <!here> `c`")).toBe("`*a_b* &lt;!here&gt; ˋcˋ`");
  });
});
