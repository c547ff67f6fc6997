import fc from "fast-check";
import { expect, describe as group, it } from "vitest";
import { coreCommands } from "./commands.js";
import { kinds } from "./kinds.js";
import { defineLanguage } from "./language.js";
import { isHarmless } from "./messages.js";
import { anyInput, anySlackCommand } from "./test/arbitrary.js";
import { limitSpellings, rightDigests, rightWatches, spanSpellings } from "./test/right-watches.js";
import { type SlackCommand, slackCommands } from "./test/slack-commands.js";
import { when } from "./test/when.js";
import { wrongWatches } from "./test/wrong-watches.js";
import { splitWords } from "./words.js";

const language = defineLanguage([...coreCommands, ...slackCommands]);

function parsed(typed: string | readonly string[], now = when.now) {
  const result = language.parse(typed, { now });
  if (!result.ok) throw new Error(result.problem.message);
  return result.command;
}

const written = (typed: string): string => language.write(parsed(typed));
const rows = (table: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(table).flatMap(([text, forms]) => forms.map((form) => [form, text] as const));

group("a watch", () => {
  it.each(rightWatches)("%j parses", (typed, means) => {
    expect(parsed(`watch ${typed}`)).toEqual({ name: "watch", ...means });
  });

  it.each(rows(limitSpellings))("with %j has the limit %j", (typed, limit) => {
    expect(written(`watch api ${typed} in:demo`)).toBe(`watch api when:${limit} in:demo`);
    const cut = splitWords(`watch events over:5m ${typed}`);
    expect(cut.ok && language.write(parsed(cut.words.map(({ raw }) => raw)))).toBe(
      `watch events when:${limit} over:5m`,
    );
  });

  it.each(rows(spanSpellings))("with %j is quiet from %j", (typed, span) => {
    expect(written(`watch sessions ${typed} over:5m`)).toBe(`watch sessions over:5m quiet:${span}`);
  });

  it.each(kinds)("of %s has every limit that help and completion offer", (kind) => {
    for (const { text } of language.complete(["watch", kind, "when:"])) {
      expect(written(`watch ${kind} ${text}`)).toBe(`watch ${kind} ${text}`);
    }
  });

  it.each([
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
  ])("in words, %j is %j", (typed, text) => {
    expect(language.describe(parsed(typed), { project: "demo", now: when.now })).toBe(text);
  });

  it("has phrases for a heading of its own", () => {
    expect(language.phrases(parsed("watch events failed reason:ice-* channel:lobby when:count>20"))).toEqual({
      conditions: "reason ice-*, channel lobby",
      period: "",
      limit: "",
    });
  });
});

group("a digest", () => {
  it.each(rightDigests)("%j parses", (typed, means, text) => {
    const command = parsed(`digest ${typed}`);
    expect(command).toEqual({ name: "digest", ...means });
    expect(language.write(command)).toBe(`digest${text}`);
  });
});

group("an invalid watch or digest", () => {
  for (const [about, wrong] of Object.entries(wrongWatches)) {
    it.each(wrong)(`${about}: %j returns one exact message`, (typed, reason, nearest) => {
      const result = language.parse(typed, when);
      expect(result).toMatchObject({ ok: false, problem: { reason, nearest } });
      expect(parsed(nearest)).toBeDefined();
    });
  }

  it("is answered with one line and a valid command, whatever is typed", () => {
    fc.assert(
      fc.property(fc.constantFrom("watch", "watch api", "digest"), anyInput, (head, input) => {
        const result = language.parse(typeof input === "string" ? `${head} ${input}` : [head, ...input], when);
        if (result.ok) return;
        const { message, nearest } = result.problem;
        expect(isHarmless(message) && message.length <= 300).toBe(true);
        expect(language.parse(nearest, when).ok).toBe(true);
      }),
    );
  });
});

group("the written text of a command of Slack", () => {
  it("is parsed as the same command at any time and in any zone, also as separate words", () => {
    fc.assert(
      fc.property(anySlackCommand(), (command) => {
        const text = language.write(command);
        expect(parsed(text)).toEqual(command);
        expect(language.parse(text, { now: 0, timeZone: "Asia/Tokyo" })).toEqual({ ok: true, command });
        const cut = splitWords(text);
        expect(cut.ok && parsed(cut.words.map(({ raw }) => raw))).toEqual(command);
      }),
    );
  });

  it("keeps every percentage with up to 3 decimals", () => {
    for (let thousandths = 1; thousandths < 100_000; thousandths += 7) {
      const when: SlackCommand = {
        name: "watch",
        kind: "api",
        filters: [],
        when: { measure: "failed", limit: thousandths / 100_000, orEqual: true },
      };
      expect(parsed(language.write(when))).toEqual(when);
    }
  });
});

group("help and completion", () => {
  const completed = (...words: string[]) => language.complete(words).map(({ text }) => text);

  it("show the options of a watch with their forms", () => {
    expect(language.help("watch").usage).toEqual([
      "watch <kind> [filters] [when:count>20] [over:5m] [in:demo] [quiet:22:00-07:00]",
    ]);
    expect(language.help("digest").usage).toEqual(["digest [at:09:00] [in:#general] [project:demo]"]);
    expect(language.help("webhooks").usage).toContain(
      "watch webhooks [filters] [when:count>20] [over:5m] [in:demo] [quiet:22:00-07:00]",
    );
  });

  it("offer the options, and the limits that suit the log", () => {
    expect(completed("watch", "api", "w")).toEqual(["when:"]);
    expect(completed("watch", "api", "when:")).toEqual([
      "when:count>20",
      "when:failed>5%",
      "when:p95>2s",
      "when:p99>5s",
      "when:p50>1s",
    ]);
    expect(completed("watch", "api", "when:p9")).toEqual(["when:p95>2s", "when:p99>5s"]);
    expect(completed("watch", "sessions", "when:")).toEqual(["when:count>20"]);
    expect(completed("watch", "api", "when:count>5", "")).not.toContain("when:");
    expect(completed("watch", "api", "over:")).toEqual(["over:10m", "over:1h"]);
    expect(completed("watch", "api", "quiet:")).toEqual(["quiet:22:00-07:00", "quiet:18:00-09:00"]);
    expect(completed("digest", "")).toEqual(["at:", "in:", "project:"]);
    expect(completed("digest", "at:")).toEqual(["at:09:00", "at:17:30", "at:off"]);
  });
});
