import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { AnyCommand } from "../grammar.js";
import { language, when } from "../test/language.js";
import { forShell, splitWords } from "../words.js";

const linesOf = (name: string) =>
  readFileSync(new URL(name, import.meta.url), "utf8")
    .trim()
    .split("\n");

// What README, docs and help show, how people spell it, and what buttons and stored watches hold. Lines may be added,
// but none may change.
const understood = linesOf("understood.jsonl").map((line): [typed: string, means: AnyCommand] => JSON.parse(line));

// Each with the whole reason, and the command that is offered instead.
const refused = linesOf("refused.jsonl").map((line): [typed: string, reason: string, nearest: string] =>
  JSON.parse(line),
);

function parsed(input: string | readonly string[], now = when.now, timeZone = "UTC") {
  const result = language.parse(input, { now, timeZone });
  if (!result.ok) throw new Error(`${JSON.stringify(input)}: ${result.problem.reason}`);
  return result.command;
}

describe("a command", () => {
  it("means the same in every release, also after a shell has split it", () => {
    for (const [typed, means] of understood) {
      expect([typed, parsed(typed)]).toEqual([typed, means]);
      const cut = splitWords(typed);
      expect([typed, cut.ok && parsed(cut.words.map(({ raw }) => raw))]).toEqual([typed, means]);
    }
  });

  it("is written as text that means exactly the same at any later time", () => {
    for (const [typed] of understood) {
      const command = parsed(typed);
      const text = language.write(command);
      expect([text, parsed(text)]).toEqual([text, command]);
      expect([text, parsed(text, when.now + 9e9, "Asia/Tokyo")]).toEqual([text, command]);
      expect(language.describe(command, { project: "demo" })).not.toBe("");
    }
  });

  it("is quoted for a shell only where that is needed", () => {
    expect(forShell("logs webhooks status>=400 since:2h")).toBe("logs webhooks 'status>=400' since:2h");
    expect(forShell('token "main hall"')).toBe('token "main hall"');
    expect(forShell("token channel:Ann's")).toBe("token 'channel:Ann'\\''s'");
  });

  it("means the same after a real shell has split it", () => {
    const texts = ["webhooks url~$HOME;`id`", 'token channel:"$(id) !! \\ #"'];
    for (const [typed] of understood) if (typed !== "" && !/\p{Cs}/u.test(typed)) texts.push(typed);
    const command = `printf '%s\\0' ${texts.map((text) => `${forShell(text)} --end--`).join(" ")}`;
    const words = execFileSync("sh", ["-c", command], { encoding: "utf8" }).split("\0--end--\0").slice(0, -1);
    expect(words.map((argv) => parsed(argv.split("\0")))).toEqual(texts.map((text) => parsed(text)));
  });
});

describe("a text that is no command", () => {
  it.each(refused)("%j is answered with one reason, and a command that works", (typed, reason, nearest) => {
    const result = language.parse(typed, when);
    expect(result).toMatchObject({ ok: false, problem: { reason, nearest } });
    expect(parsed(nearest)).toBeDefined();
  });

  it("is refused at once if it is too long", () => {
    const problemOf = (input: string | readonly string[]) => {
      const result = language.parse(input, when);
      return result.ok ? undefined : result.problem.reason;
    };
    expect(problemOf("logs webhooks ".repeat(500))).toBe("A command has at most 200 words; this has 999.");
    const message = "A command has at most 20,000 characters; this has 200,006.";
    expect(problemOf(`token ${"x".repeat(200_000)}`)).toBe(message);
    expect(problemOf(["token", "x".repeat(200_000)])).toBe(message);
    expect(parsed(language.write(parsed(`webhooks ${"status>=400 ".repeat(199)}`)))).toBeDefined();
  });

  it("never shows a token that was typed", () => {
    for (const typed of ["check eyJh.e30.x", "Check token eyJh.e30.x", "help check", "/media token check"]) {
      const result = language.parse(typed, when);
      expect(result).toMatchObject({ ok: false, problem: { nearest: "tokens" } });
      expect(JSON.stringify(result)).not.toContain("eyJh");
    }
  });
});

describe("a period by the clock", () => {
  it.each([
    ["since:9:00 until:10:00", "since:2026-11-21T09:00:00.000Z until:2026-11-21T10:00:00.000Z"],
    ["until 10am since 9am", "since:2026-11-21T09:00:00.000Z until:2026-11-21T10:00:00.000Z"],
    ["since:22:00 until:02:00", "since:2026-11-20T22:00:00.000Z until:2026-11-21T02:00:00.000Z"],
    ["time:09:00..10:00", "time:2026-11-21T09:00:00.000Z..2026-11-21T10:00:00.000Z"],
    ["time:9am to 10am", "time:2026-11-21T09:00:00.000Z..2026-11-21T10:00:00.000Z"],
  ])("%s never ends before it starts, even in the future", (typed, means) => {
    const half = Date.parse("2026-11-21T09:30:00Z");
    expect(language.write(parsed(`webhooks ${typed}`, half))).toBe(`logs webhooks ${means}`);
  });
});
