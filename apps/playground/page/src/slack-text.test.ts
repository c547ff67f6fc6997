import { describe, expect, test } from "vitest";
import { readMrkdwn, withMentions } from "./slack-text.js";

/** Returns the parsed text without undefined styles. */
const read = (text: string): unknown => JSON.parse(JSON.stringify(readMrkdwn(text)));
const section = (...pieces: object[]) => [
  { type: "section", pieces: pieces.map((piece) => ({ style: {}, ...piece })) },
];
const text = (words: string, style = {}) => ({ type: "text", text: words, style });

describe("Slack's markup", () => {
  test.each([
    ["plain words", section(text("plain words"))],
    ["a *bold* word", section(text("a "), text("bold", { bold: true }), text(" word"))],
    ["_so_ and ~no~", section(text("so", { italic: true }), text(" and "), text("no", { strike: true }))],
    ["*_both_*", section(text("both", { bold: true, italic: true }))],
    ["`a*b*c`", section(text("a*b*c", { code: true }))],
    ["status&gt;=400 &amp;lt;", section(text("status>=400 &lt;"))],
    ["snake_case_name 2 * 3 * 4", section(text("snake_case_name 2 * 3 * 4"))],
    ["10:05:22", section(text("10:05:22"))],
    [
      "<@U1> <#C1|general>",
      section({ type: "user", id: "U1" }, text(" "), { type: "channel", id: "C1", name: "general" }),
    ],
    ["<https://a.example/?a=1&amp;b|A>", section({ type: "link", url: "https://a.example/?a=1&b", text: "A" })],
    [
      "see https://a.example/b.",
      section(text("see "), { type: "link", url: "https://a.example/b", text: "https://a.example/b" }, text(".")),
    ],
    [
      "<!date^1795165200^{date_num} {time}|then>",
      section({ type: "date", timestamp: 1795165200, format: "{date_num} {time}", fallback: "then" }),
    ],
    ["*never closed", section(text("*never closed"))],
  ])("reads %s", (typed, expected) => {
    expect(read(typed)).toEqual(expected);
  });

  test("separates quotes and code from lines", () => {
    const parts = readMrkdwn("before\n&gt; quoted\n&gt; twice\n```\n*code*\n```\nafter");
    expect(parts.map(({ type }) => type)).toEqual(["section", "quote", "preformatted", "section"]);
    expect(parts).toMatchObject([
      { pieces: [{ text: "before" }] },
      { pieces: [{ text: "quoted\ntwice" }] },
      { pieces: [{ text: "*code*" }] },
      { pieces: [{ text: "after" }] },
    ]);
  });

  test("reads long text without marks quickly", () => {
    const started = performance.now();
    readMrkdwn(`${"*a _b ~c <d `e :f ".repeat(2000)}`);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

const person = (id: string, name: string, realName: string) => ({
  id,
  name,
  realName,
  isAdmin: false,
  timeZone: "UTC",
});
const scene = {
  app: { name: "Media Ops", userId: "UB", messageShortcuts: [] },
  people: [person("U1", "ann", "Ann Meyer"), person("U2", "ann-marie", "Ann-Marie (EU)")],
  places: [
    { id: "C1", name: "ops", kind: "channel" },
    { id: "C2", name: "ops-eu", kind: "channel" },
    { id: "D1", name: "Media Ops", kind: "direct" },
  ],
} as const;

test.each([
  ["@Media Ops why lobby", "<@UB> why lobby"],
  ["and you, @media ops?", "and you, <@UB>?"],
  ["@Ann Meyer and @ann", "<@U1> and <@U1>"],
  ["@ann-marie, @Ann-Marie (EU)", "<@U2>, <@U2>"],
  ["digest in:#ops-eu or #ops", "digest in:<#C2> or <#C1>"],
  ["@annika ann@ann #opsworld @Media", "@annika ann@ann #opsworld @Media"],
])("%j is sent as %j", (typed, sent) => {
  expect(withMentions(typed, scene)).toBe(sent);
});
