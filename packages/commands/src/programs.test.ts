import { describe, expect, it } from "vitest";
import { coreCommands } from "./commands.js";
import { command } from "./grammar.js";
import { kinds } from "./kinds.js";
import { defineLanguage } from "./language.js";
import { checkCommand, checkInTerminal, operationCommands } from "./operations.js";
import { language, when } from "./test/language.js";

const terminal = defineLanguage([...coreCommands, ...operationCommands, checkCommand]);
const tokenId = "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11";

function described(typed: string): string {
  const result = language.parse(typed, when);
  if (!result.ok) throw new Error(result.problem.reason);
  return language.describe(result.command, { ...when, project: "demo" });
}

describe("a command for people", () => {
  it.each([
    [`revoke ${tokenId}`, `revoke token ${tokenId} of demo`],
    ["revoke lobby disconnect", "revoke all tokens for lobby of demo, and disconnect its clients"],
    ["revoke lobby before:2h", "revoke all tokens for lobby of demo, issued before 2026-11-21 10:00 UTC"],
    ["resend since:1h", "resend failed deliveries (last hour) of demo"],
    ["enable event", "enable the event endpoint of demo"],
    ["disconnect lobby", "disconnect channel lobby in project demo"],
    ["disconnect lobby connection:c1", "disconnect connection c1 of channel lobby in project demo"],
    ["tokens lobby by:me all", "access tokens for lobby of demo, revoked and ended ones, too, by you"],
    ["audit by:<@U0ANN> action:token.revoke", "audit log of demo, by <@U0ANN>, token.revoke"],
    ["watch webhooks failed", "watch of failed webhooks of demo"],
    [
      "watch webhooks failed when:failed>5% over:10m quiet:22-7",
      "watch of failed webhooks of demo, more than 5% failed, within 10 min, quiet from 22:00 to 07:00",
    ],
    [
      "watch events reason:ice-timeout when:count>=2000 over:90m in:other",
      "watch of event logs of other, reason ice-timeout, at least 2,000, within 1 h 30 min",
    ],
    ["watch api url~list- when:p95>2s", "watch of API logs of demo, url with list-, p95 above 2 s"],
    ["watch api when:p50>=250ms over:30s", "watch of API logs of demo, p50 at least 250 ms, within 30 s"],
    ["watch api over:1m", "watch of API logs of demo, within a minute"],
    ["watch api over:60m", "watch of API logs of demo, within an hour"],
    ["watch api when:failed>=0.5%", "watch of API logs of demo, at least 0.5% failed"],
    ["digest at:9 in:#general", "daily digest of demo, at 09:00, in #general"],
    ["digest at:off project:other", "daily digest of other, off"],
  ])("%j is %j", (typed, words) => {
    expect(described(typed)).toBe(words);
  });

  it("has phrases for a heading of its own", () => {
    const result = language.parse("watch events failed reason:ice-* channel:lobby when:count>20", when);
    const phrases = { conditions: "reason ice-*, channel lobby", period: "", limit: "" };
    expect(result.ok && language.phrases(result.command)).toEqual(phrases);
  });
});

describe("a program's language", () => {
  it("has the commands that the program adds, each name once", () => {
    const core = defineLanguage(coreCommands);
    expect(core.parse("revoke lobby", when).ok).toBe(false);
    expect(language.help("tokens").title).toBe("tokens");
    expect(language.help("token revoke").title).toBe("revoke");
    const twice = command({ name: "disconnect", effect: "deletes", about: "Forgets.", examples: [] });
    expect(() => defineLanguage([...operationCommands, twice])).toThrow("Two commands are named disconnect.");
  });

  it.each([
    ["check", { name: "check" }],
    ["token check", { name: "check" }],
    ["verify token channel:lobby role:sendonly", { name: "check", channel: "lobby", role: "sendonly" }],
  ])("has %j in the terminal, and in Slack where it works", (typed, means) => {
    expect(terminal.parse(typed, when)).toEqual({ ok: true, command: means });
    const problem = { reason: checkInTerminal.reason, nearest: "tokens" };
    expect(language.parse(typed, when)).toMatchObject({ ok: false, problem });
  });

  it("says which commands open a window, act, ask about a project, and refer to people or channels", () => {
    const named = (isSo: (spec: (typeof language.commands)[number]) => unknown) =>
      language.commands.filter(isSo).map(({ name }) => name);
    expect(named(({ isAct }) => isAct)).toEqual(["token", "revoke", "resend", "enable", "disconnect"]);
    expect(named(({ opensWindow }) => opensWindow)).toEqual(["token", "revoke", "resend", "enable", "disconnect"]);
    expect(named(({ isQuestion }) => isQuestion)).toEqual(["logs", "summary", "trace", "why", "live", "status"]);
    expect(named(({ keepsReferences }) => keepsReferences)).toEqual(["tokens", "audit"]);
  });

  it.each([
    ["revoke lobby", "revoke"],
    ["/media tokens revoke lobby", "revoke"],
    ["Audit by:<@U0ANN>", "audit"],
    ["which tokens are out?", "tokens"],
    ["webhooks", undefined],
    ["", undefined],
    ['token "lobby', undefined],
  ])("knows the command that the first words of %j name", (typed, name) => {
    expect(language.commandNamed(typed)?.name).toBe(name);
  });

  it.each([
    ["the commands", ["re"], ["revoke", "resend"]],
    ["what follows a command's name", ["tokens", "re"], ["revoke", "recvonly"]],
    ["check after token", ["token", "ch"], ["check"]],
    ["the states of deliveries", ["deliveries", "w"], ["waiting"]],
    ["the endpoints", ["endpoints", "enable", ""], ["auth", "session", "event", "in:"]],
    ["people", ["tokens", "by:"], ["by:me"]],
    ["actions", ["audit", "action:t"], ["action:token.revoke"]],
    ["words that are there or not", ["revoke", "lobby", "d"], ["disconnect"]],
  ])("completes %s", (_, words, texts) => {
    expect(terminal.complete(words).map(({ text }) => text)).toEqual(texts);
  });

  it.each<[string[], string[]]>([
    [["watch", "api", "w"], ["when:"]],
    [
      ["watch", "api", "when:"],
      ["when:count>20", "when:failed>5%", "when:p95>2s", "when:p99>5s", "when:p50>1s"],
    ],
    [["watch", "sessions", "when:"], ["when:count>20"]],
    [
      ["watch", "api", "over:"],
      ["over:10m", "over:1h"],
    ],
    [
      ["watch", "api", "quiet:"],
      ["quiet:22:00-07:00", "quiet:18:00-09:00"],
    ],
    [
      ["digest", ""],
      ["at:", "in:", "project:"],
    ],
    [
      ["digest", "at:"],
      ["at:09:00", "at:17:30", "at:off"],
    ],
  ])("completes %j in Slack", (words, texts) => {
    expect(language.complete(words).map(({ text }) => text)).toEqual(texts);
  });

  it.each(kinds)("offers only limits of a watch that the log %s has", (kind) => {
    for (const { text } of language.complete(["watch", kind, "when:"])) {
      const result = language.parse(`watch ${kind} ${text}`, when);
      expect(result.ok && language.write(result.command)).toBe(`watch ${kind} ${text}`);
    }
  });

  it.each(terminal.commands)("has help on $name with examples that parse", ({ name }) => {
    const { title, usage, examples } = terminal.help(name);
    expect(title).toBe(name);
    expect(usage[0]).toMatch(new RegExp(`^${name}\\b`));
    for (const [text] of examples) expect(terminal.parse(text, when).ok).toBe(true);
  });

  it("shows in the help which words are typed as they are, and the options of Slack's commands", () => {
    const rows = language.help("revoke").sections.find(({ title }) => title === "Arguments")?.rows;
    expect(rows?.map(([term]) => term)).toEqual(["<channel>", "<token id>", "disconnect"]);
    expect(language.help("watch").usage).toEqual([
      "watch <kind> [filters] [when:count>20] [over:5m] [in:demo] [quiet:22:00-07:00]",
    ]);
    expect(language.help("digest").usage).toEqual(["digest [at:09:00] [in:#general] [project:demo]"]);
  });
});
