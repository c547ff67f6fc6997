import fc from "fast-check";
import { expect, describe as group, it } from "vitest";
import { coreCommands } from "./commands.js";
import { defineLanguage } from "./language.js";
import { harmless, isHarmless } from "./quote.js";
import { anyCommand, anyInput } from "./test/arbitrary.js";
import { rightCommands } from "./test/right-commands.js";
import { rightFilters } from "./test/right-filters.js";
import { when } from "./test/when.js";
import { wrongCommands } from "./test/wrong-commands.js";
import { cutText } from "./words.js";

const language = defineLanguage(coreCommands);
const zones = fc.constantFrom(undefined, "UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns", "no/where");
const anyWhen = fc.record({ now: fc.integer({ min: 0, max: Date.parse("2100-01-01") }), timeZone: zones });

function parsed(input: string | readonly string[]) {
  const result = language.parse(input, when);
  if (!result.ok) throw new Error(result.problem.message);
  return result.command;
}

function problemOf(input: string | readonly string[]) {
  const result = language.parse(input, when);
  if (result.ok) throw new Error(`${JSON.stringify(input)} was understood as ${JSON.stringify(result.command)}`);
  return result.problem;
}

group("what is typed", () => {
  it.each(rightCommands)("%j is understood", (typed, means) => {
    expect(parsed(typed)).toEqual(means);
  });

  it.each(rightFilters)("in %s, %j is understood, and written as %j", (kind, typed, written, described) => {
    const command = parsed(`logs ${kind} ${typed}`);
    expect(language.write(command)).toBe(`logs ${kind} ${written}`);
    expect(language.describe(command)).toMatch(/ logs, (.*)$/);
    expect(language.describe(command).replace(/^.*? logs, /, "")).toBe(described);
    expect(parsed(language.write(command))).toEqual(command);
  });

  it("means the same where a shell has cut it into words", () => {
    expect(parsed(["logs", "webhooks", "status>=400", "since:2 hours ago"])).toEqual(
      parsed('logs webhooks status>=400 since:"2 hours ago"'),
    );
    expect(parsed(["token", "main hall"])).toEqual({ name: "token", channel: "main hall" });
    expect(parsed(["webhooks", 'url:"a,b",c*'])).toEqual(parsed('webhooks url:"a,b",c*'));
    expect(parsed(["webhooks", "status", ">=", "400"])).toEqual(parsed("webhooks status>=400"));
    expect(parsed(["webhooks", "status >= 400"])).toEqual(parsed("webhooks status>=400"));
    expect(parsed([])).toEqual({ name: "help" });
  });
});

group("what is not understood", () => {
  for (const [about, rows] of Object.entries(wrongCommands)) {
    it.each(rows)(`${about}: %j is answered in one exact sentence`, (typed, reason, nearest) => {
      const problem = problemOf(typed);
      expect(problem).toMatchObject({ reason, nearest });
      expect(problem.message).toBe(`${reason} Try: ${nearest}`);
      expect(parsed(nearest)).toBeDefined();
    });
  }

  it("has more than a hundred rows in its table", () => {
    expect(Object.values(wrongCommands).flat().length).toBeGreaterThan(100);
    expect(rightCommands.length + rightFilters.length).toBeGreaterThan(60);
  });

  it.each([
    ["logs webhooks statsu>=400 since:2h", "statsu>=400"],
    ["logs webhooks status >= 4oo", "status >= 4oo"],
    ["lgos webhooks", "lgos"],
    ["token lobby for:10 parsecs", "for:10"],
    ['token "main hall', '"main hall'],
    ["logs webhooks  since:1h until:2h", "since:1h until:2h"],
  ])("in %j, the place is said: %j", (typed, place) => {
    const { at } = problemOf(typed);
    expect(typed.slice(at?.start, at?.end)).toBe(place);
  });

  it("has its place in an argv as if its words were joined by blanks", () => {
    const words = ["logs", "webhooks", "since:2 parsecs ago"];
    const { at } = problemOf(words);
    expect(words.join(" ").slice(at?.start, at?.end)).toBe("since:2 parsecs ago");
  });

  it("has no place where something is missing", () => {
    expect(problemOf("logs since:2h")).not.toHaveProperty("at");
  });

  it("is repeated shortened, on one line, and without what could do harm", () => {
    const { message } = problemOf(["logs", "webhooks", `since:${"\u001b[31m\n\u202e".repeat(1000)}`]);
    expect(message).toBe(harmless(message));
    expect(message.length).toBeLessThanOrEqual(300);
    expect(message).toContain("␛[31m␊�␛");
  });

  it("is refused at once where it has more words than anybody types", () => {
    const { message, nearest } = problemOf("logs webhooks ".repeat(5000));
    expect(message).toBe("A command has at most 200 words; this has 10000. Try: help");
    expect(nearest).toBe("help");
  });
});

group("whatever is typed", () => {
  it("is understood, or answered in one line with a command that is; nothing throws", () => {
    fc.assert(
      fc.property(anyInput, anyWhen, (input, now) => {
        const result = language.parse(input, now);
        if (result.ok) return;
        const { message, reason, nearest } = result.problem;
        expect(isHarmless(message) && isHarmless(nearest)).toBe(true);
        expect(message.length).toBeLessThanOrEqual(300);
        expect(reason).toMatch(/[.?]$|…$/);
        expect(language.parse(nearest, now).ok).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("can be completed, described and explained without a throw", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), fc.string(), (words, topic) => {
        for (const { text } of language.complete([...words, topic])) {
          expect(text.toLowerCase().startsWith(topic.toLowerCase())).toBe(true);
        }
        expect(language.help(topic).title).not.toBe("");
      }),
    );
  });
});

group("what is written back", () => {
  it("is parsed as the same command", () => {
    fc.assert(
      fc.property(anyCommand(when.now), (command) => {
        expect(parsed(language.write(command))).toEqual(command);
      }),
      { numRuns: 2000 },
    );
  });

  it("is parsed as the same command when it is handed over in words", () => {
    fc.assert(
      fc.property(anyCommand(when.now), (command) => {
        const cut = cutText(language.write(command));
        expect(cut.ok && parsed(cut.words.map(({ raw }) => raw))).toEqual(command);
      }),
      { numRuns: 1000 },
    );
  });

  it("keeps relative times as they were when they were typed", () => {
    const text = language.write(parsed("logs webhooks since:2h status>=400"));
    expect(text).toBe("logs webhooks status>=400 since:2026-11-21T10:00:00.000Z");
    const later = language.parse(text, { now: when.now + 86_400_000, timeZone: "Asia/Tokyo" });
    expect(later).toEqual({ ok: true, command: parsed("logs webhooks since:2h status>=400") });
  });

  it("may begin in what was the future when it was stored", () => {
    const text = language.write(parsed("token lobby starting:tomorrow"));
    expect(language.parse(text, { now: when.now + 7 * 86_400_000 }).ok).toBe(true);
  });
});
