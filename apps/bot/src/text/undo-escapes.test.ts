import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { undoEscapes } from "./undo-escapes.js";

describe("what Slack makes of a text", () => {
  it.each([
    ["logs webhooks status&gt;=400", "logs webhooks status>=400"],
    ["bytes&lt;5MB", "bytes<5MB"],
    ["url:a&amp;b", "url:a&b"],
    ["url:a&amp;lt;b", "url:a&lt;b"],
    ["token <#C0123ABCD|lobby>", "token lobby"],
    ["token <#C0123ABCD|>", "token C0123ABCD"],
    ["token <#C0123ABCD>", "token C0123ABCD"],
    ["client:<@U0123ABCD|ann>", "client:ann"],
    ["client:<@U0123ABCD>", "client:U0123ABCD"],
    ["url:<https://hooks.example/media>", "url:https://hooks.example/media"],
    ["url:<https://hooks.example/media|hooks.example/media>", "url:hooks.example/media"],
    ["url:<https://hooks.example/?a=1&amp;b=2>", "url:https://hooks.example/?a=1&b=2"],
    ["channel:<mailto:lobby@demo.example|lobby@demo.example>", "channel:lobby@demo.example"],
    ["channel:<mailto:lobby@demo.example>", "channel:lobby@demo.example"],
    ["<!here>", "here"],
    ["<!subteam^S0123|ops>", "ops"],
    ["status&gt;=400 &lt;b&gt;", "status>=400 <b>"],
  ])("is undone: %s", (sent, typed) => {
    expect(undoEscapes(sent)).toBe(typed);
  });

  it("is undone for every text that Slack only escapes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (typed) => {
        const sent = typed.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign] ?? sign);
        expect(undoEscapes(sent)).toBe(typed);
      }),
    );
  });
});
