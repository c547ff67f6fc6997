import fc from "fast-check";
import { expect, describe as group, it } from "vitest";
import { coreCommands } from "./commands.js";
import { defineLanguage } from "./language.js";
import { harmless, isHarmless } from "./messages.js";
import { anyCommand, anyInput } from "./test/arbitrary.js";
import { rightCommands } from "./test/right-commands.js";
import { rightFilters } from "./test/right-filters.js";
import { rightSpellings } from "./test/right-spellings.js";
import { when } from "./test/when.js";
import { wrongCommands } from "./test/wrong-commands.js";
import { splitWords } from "./words.js";

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

group("typed input", () => {
  it.each(rightCommands)("%j parses", (typed, means) => {
    expect(parsed(typed)).toEqual(means);
  });

  it.each(rightFilters)("in %s, %j parses, and is written as %j", (kind, typed, written, described) => {
    const command = parsed(`logs ${kind} ${typed}`);
    expect(language.write(command)).toBe(`logs ${kind} ${written}`);
    expect(language.describe(command)).toMatch(/ logs, (.*)$/);
    expect(language.describe(command).replace(/^.*? logs, /, "")).toBe(described);
    expect(parsed(language.write(command))).toEqual(command);
  });

  for (const [about, rows] of Object.entries(rightSpellings)) {
    it.each(rows)(`${about}: %j means %j`, (typed, means) => {
      expect(parsed(typed)).toEqual(parsed(means));
      const cut = splitWords(typed);
      expect(cut.ok && parsed(cut.words.map(({ raw }) => raw))).toEqual(parsed(means));
    });
  }

  it("parses to the same command after a shell has split it into words", () => {
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

group("a period by the clock", () => {
  const now = Date.parse("2026-11-21T09:30:00Z");
  const written = (typed: string) => {
    const result = language.parse(typed, { now });
    return result.ok ? language.write(result.command) : result.problem.message;
  };

  it.each([
    ["since:9:00 until:10:00", "since:2026-11-21T09:00:00.000Z until:2026-11-21T10:00:00.000Z"],
    ["until 10am since 9am", "since:2026-11-21T09:00:00.000Z until:2026-11-21T10:00:00.000Z"],
    ["since:22:00 until:02:00", "since:2026-11-20T22:00:00.000Z until:2026-11-21T02:00:00.000Z"],
    ["time:09:00..10:00", "time:2026-11-21T09:00:00.000Z..2026-11-21T10:00:00.000Z"],
    ["time:9am to 10am", "time:2026-11-21T09:00:00.000Z..2026-11-21T10:00:00.000Z"],
  ])("%s never ends before it starts, even in the future", (typed, means) => {
    expect(written(`webhooks ${typed}`)).toBe(`logs webhooks ${means}`);
  });

  it("never ends before it starts if its end is relative", () => {
    expect(written("webhooks since 1h until 2h")).toBe(
      '"since 1h" is later than "until 2h", so the period is empty. Try: logs webhooks since:2h until:1h',
    );
  });
});

group("invalid input", () => {
  for (const [about, rows] of Object.entries(wrongCommands)) {
    it.each(rows)(`${about}: %j returns one exact message`, (typed, reason, nearest) => {
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
    ["token lobby for:10 years", "for:10 years"],
    ['token "main hall', '"main hall'],
    ["logs webhooks  since:1h until:2h", "since:1h until:2h"],
  ])("in %j, the position is: %j", (typed, place) => {
    const { at } = problemOf(typed);
    expect(typed.slice(at?.start, at?.end)).toBe(place);
  });

  it("has positions in an argv as if its words were joined by spaces", () => {
    const words = ["logs", "webhooks", "since:2 parsecs ago"];
    const { at } = problemOf(words);
    expect(words.join(" ").slice(at?.start, at?.end)).toBe("since:2 parsecs ago");
  });

  it("is repaired with quotes if a word needs them to keep its meaning", () => {
    expect(problemOf(["token", '"help"', "rol:recvonly"]).nearest).toBe('token "help" role:recvonly');
  });

  it("has no position if something is missing", () => {
    expect(problemOf("logs since:2h")).not.toHaveProperty("at");
  });

  it("is repeated shortened, on one line and without unsafe characters", () => {
    const { message } = problemOf(["logs", "webhooks", `since:${"\u001b[31m\n\u202e".repeat(1000)}`]);
    expect(message).toBe(harmless(message));
    expect(message.length).toBeLessThanOrEqual(300);
    expect(message).toContain("␛[31m␊�␛");
    expect(problemOf('webhooks type "a\u0007b"').reason).toBe('Missing colon. Did you mean type:"a␇b"?');
  });

  it("is rejected at once if it is too long", () => {
    const help = { nearest: "help" };
    expect(problemOf("logs webhooks ".repeat(500))).toMatchObject({
      ...help,
      message: "A command has at most 200 words; this has 1,000. Try: help",
    });
    const reason = "A command has at most 20,000 characters; this has 200,006.";
    expect(problemOf(`token ${"x".repeat(200_000)}`)).toMatchObject({ ...help, reason });
    expect(problemOf(["token", "x".repeat(200_000)])).toMatchObject({ ...help, reason });
  });

  it("may have 200 words, which are written back with the omitted command name", () => {
    const command = parsed(`webhooks ${"status>=400 ".repeat(199)}`);
    expect(parsed(language.write(command))).toEqual(command);
    expect(problemOf(`webhooks ${"status>=400 ".repeat(200)}`).reason).toMatch(/^A command has at most 200 words/);
  });

  it("shows as much of the nearest command as fits", () => {
    const filters = Array.from({ length: 8 }, (_, index) => `url~part-${index}`).join(" ");
    const { message, nearest } = problemOf(`logs webhooks statsu>=400 ${filters}`);
    expect(nearest).toBe(`logs webhooks status>=400 ${filters}`);
    expect(message).toBe(`Unknown name "statsu". Did you mean status? Try: ${nearest}`);
  });
});

group("any input", () => {
  it("either parses or returns one line with a valid command, and never throws", () => {
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
    );
  });

  it("can be completed, described and explained without throwing", () => {
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

group("written text", () => {
  it("is parsed as the same command", () => {
    fc.assert(
      fc.property(anyCommand(when.now), (command) => {
        expect(parsed(language.write(command))).toEqual(command);
      }),
    );
  });

  it("is parsed as the same command if it is passed as separate words", () => {
    fc.assert(
      fc.property(anyCommand(when.now), (command) => {
        const cut = splitWords(language.write(command));
        expect(cut.ok && parsed(cut.words.map(({ raw }) => raw))).toEqual(command);
      }),
    );
  });

  it("keeps relative times relative", () => {
    const text = language.write(parsed("logs webhooks since:2h status>=400"));
    expect(text).toBe("logs webhooks status>=400 since:2026-11-21T10:00:00.000Z");
    const later = language.parse(text, { now: when.now + 86_400_000, timeZone: "Asia/Tokyo" });
    expect(later).toEqual({ ok: true, command: parsed("logs webhooks since:2h status>=400") });
  });

  it("may start at a time that was in the future when it was stored", () => {
    const text = language.write(parsed("token lobby starting:tomorrow"));
    expect(language.parse(text, { now: when.now + 7 * 86_400_000 }).ok).toBe(true);
  });
});
