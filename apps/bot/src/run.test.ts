import { checkBlocks } from "@media-ops/fake-slack";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readConfig } from "./config.js";
import { undoEscapes } from "./http/entrance.js";
import { language } from "./language.js";
import { keyInChat, notUnderstood, readCommand, secretFaults } from "./run.js";
import { oneWorkspace } from "./test/config.js";

describe("Slack's encoding of a text", () => {
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

const now = Date.parse("2026-11-21T12:00:00Z");

describe("a command that only Slack has", () => {
  const examples = language.commands.flatMap(({ examples }) => examples.map(([text]) => text));

  it.each(examples)("is written as text that means the same later, such as a watch that is stored: %s", (text) => {
    const read = language.parse(text, { now });
    if (!read.ok) throw new Error(read.problem.reason);
    expect(language.parse(language.write(read.command), { now: now + 86_400_000, timeZone: "Asia/Tokyo" })).toEqual(
      read,
    );
  });

  it.each([
    [
      "watch webhooks failed when:failed>5% over:10m quiet:22-7",
      "watch of failed webhooks, more than 5% failed, within 10 min, quiet from 22:00 to 07:00",
    ],
    ["watch api when:p95>2s in:demo", "watch of API logs of demo, p95 above 2 s"],
    ["watches", "watches"],
    ["digest at:9am in:#C0123 project:demo", "daily digest of demo, at 09:00, in #C0123"],
    ["digest at:off", "daily digest, off"],
  ])("is described in words: %s", (text, words) => {
    const read = language.parse(text, { now });
    expect(read.ok && language.describe(read.command)).toBe(words);
  });

  it.each([
    [
      "watch webhooks since:10m",
      "watch has no option since; logs, summary, trace, why, deliveries, resend and audit have it.",
      "help watch",
    ],
    ["watch webhooks wehn:count>5", 'Unknown name "wehn". Did you mean when?', "watch webhooks when:count>5"],
    ["watch api by:url", "watch has no option by; summary, tokens and audit have it.", "help watch"],
    ["digest in:demo", "in takes a channel such as #general; project:demo names the project.", "help digest"],
    ["alert webhooks failed", 'Unknown command "alert". Did you mean watch?', "help watch"],
    ["alarms", 'Unknown command "alarms". Did you mean watches?', "watches"],
    ["unwatch webhooks", 'watches takes no "webhooks", only in:.', "help watches"],
  ])("is refused with the nearest right one, and never made by a suggestion: %s", (text, reason, nearest) => {
    expect(language.parse(text, { now })).toMatchObject({ ok: false, problem: { reason, nearest } });
  });
});

const key = "mo_0123_0123456789abcdefghijklmnop";

describe("the values of a window", () => {
  it("are refused if they contain a key, a token or a URL that gives access to Slack, without repeating it", () => {
    const values = {
      reason: `demo with ${key}`,
      channel: "eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiIxIn0.abcdefghijklmnop",
      address: "https://hooks.slack.com/services/T1/B1/abcdefghijklmnop",
      project: "demo",
      limit: undefined,
    };
    const faults = secretFaults(values, {});
    expect(Object.keys(faults ?? {})).toEqual(["reason", "channel", "address"]);
    expect(faults?.reason).toBe(
      "This contains a key or a token, so nothing was done with it. Remove it here, revoke it, and use a new one.",
    );
    expect(JSON.stringify(faults)).not.toContain("abcdefgh");
  });

  it("may contain a key in its own field, and in no other", () => {
    expect(secretFaults({ key, project: "demo" }, { secretField: "key" })).toBeUndefined();
    expect(Object.keys(secretFaults({ key, project: key }, { secretField: "key" }) ?? {})).toEqual(["project"]);
  });
});

const secret = "planted_key_that_nobody_may_see_0123456789";
const someone = (isAdmin: boolean) => ({
  prefix: "/media",
  config: readConfig(oneWorkspace),
  member: async () => ({ userId: "U1", isAdmin, isGuest: false, groups: new Set<string>() }),
});

describe("a key that was typed into a conversation", () => {
  it.each([
    `connect demo mo_0123456789abcdef_${secret}`,
    `use mo_0123456789abcdef_${secret}`,
    `connect https://media.example/?key=mo_0123456789abcdef_${secret}`,
    `token eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiIxIn0.${secret}`,
    `help xoxb-1-2-${secret}`,
  ])("is not repeated, and the answer leads to the window: %s", async (text) => {
    const draft = await keyInChat(text, someone(true));
    expect(draft?.text).toContain("Revoke it");
    expect(JSON.stringify(draft)).not.toContain("planted");
    expect(JSON.stringify(draft)).toContain("Connect a project");
    expect(checkBlocks(draft?.blocks ?? [], "message")).toEqual({ ok: true });
  });

  it("is answered without a button for the window to people without permission", async () => {
    const draft = await keyInChat(`connect mo_0123456789abcdef_${secret}`, someone(false));
    expect(draft?.blocks).toHaveLength(1);
  });

  it.each(["", "logs webhooks status>=400", "use mo_demo", "help token"])("is not detected in %o", async (text) => {
    expect(await keyInChat(text, someone(true))).toBeUndefined();
  });
});

describe("the corrected command", () => {
  it("is on a button that Slack accepts, for any length of text and of the command's name", () => {
    for (const prefix of ["/media", "/media-of-the-acme-company-staging"]) {
      const { blocks } = notUnderstood("No.", `logs webhooks url:${"x".repeat(200)}`, { prefix });
      expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
      expect(JSON.stringify(blocks)).toContain(`${prefix} logs webhooks`);
    }
  });

  it("has no button if it exceeds the length of a button's value", () => {
    const { blocks } = notUnderstood("No.", `logs webhooks url:${"x".repeat(2000)}`, { prefix: "/media" });
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
    expect(JSON.stringify(blocks)).not.toContain("xx");
  });
});

describe("the times of any command", () => {
  const when = { now: Date.parse("2026-11-21T14:05:30Z") };
  const inTokyo = { ...when, timeZone: "Asia/Tokyo" };
  const request = { now: () => when.now, timeZone: inTokyo.timeZone };
  const typed = language.commands.flatMap(({ name, arguments: words = {}, options = {} }) => {
    const needed = Object.values(words).filter(({ required, open }) => required || open);
    const begun = [name, ...needed.map(({ value }) => value.example)].join(" ");
    const named = [...Object.keys(words), ...Object.entries(options).map(([member, { word = member }]) => word)];
    return named.map((word) => `${begun} ${word}:2026-11-20`);
  });

  it("depend on the time zone", () => {
    const read = (text: string, where: object) => JSON.stringify(language.parse(text, { ...when, ...where }));
    expect(typed.filter((text) => read(text, when) !== read(text, inTokyo))).toContain(
      "token lobby starting:2026-11-20",
    );
  });

  it.each(typed.filter((text) => language.parse(text, when).ok))("are in the person's own time zone: %s", (text) => {
    expect(readCommand(text, request)).toEqual(language.parse(text, inTokyo));
  });
});
