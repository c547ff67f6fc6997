import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { coreCommands } from "./commands.js";
import { command } from "./grammar.js";
import { type CommandOf, defineLanguage, type Person } from "./index.js";
import { isHarmless } from "./messages.js";
import { checkCommand, checkInTerminal, type OperationCommand, operationCommands } from "./operations.js";
import { anyOperation } from "./test/any-operation.js";
import { anyInput } from "./test/arbitrary.js";
import { rightOperations, tokenId } from "./test/right-operations.js";
import { when } from "./test/when.js";
import { wrongOperations } from "./test/wrong-operations.js";

const slack = defineLanguage([...coreCommands, ...operationCommands], [checkInTerminal]);
const terminal = defineLanguage([...coreCommands, ...operationCommands, checkCommand]);

function parsed(typed: string) {
  const result = slack.parse(typed, when);
  if (!result.ok) throw new Error(result.problem.message);
  return result.command;
}

describe("an operation", () => {
  it.each(rightOperations)("%j parses, and is written as the same command", (typed, means) => {
    expect(parsed(typed)).toEqual(means);
    expect(parsed(slack.write(means))).toEqual(means);
    expect(slack.describe(means, { project: "demo" })).not.toBe("");
  });

  for (const [about, rows] of Object.entries(wrongOperations)) {
    it.each(rows)(`${about}: %j returns one exact message`, (typed, reason, nearest) => {
      const result = slack.parse(typed, when);
      if (result.ok) throw new Error(`${typed} was understood as ${JSON.stringify(result.command)}`);
      expect(result.problem).toMatchObject({ reason, nearest });
      expect(parsed(nearest)).toBeDefined();
    });
  }

  it("is written as text that parses as exactly this command", () => {
    fc.assert(
      fc.property(anyOperation(when.now), (operation) => {
        expect(parsed(slack.write(operation))).toEqual(operation);
      }),
    );
  });

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
  ])("%j is described for people: %s", (typed, described) => {
    expect(slack.describe(parsed(typed), { ...when, project: "demo" })).toBe(described);
  });
});

describe("a command that acts", () => {
  const acting = slack.commands.filter(({ isAct }) => isAct);
  const vocabulary = fc.constantFrom(
    ...["token", "tokens", "revoke", "resend", "deliveries", "endpoints", "enable", "on", "disconnect", "audit"],
    ...[
      "list",
      "show",
      "lobby",
      "failed",
      "since:1h",
      "event",
      "all",
      "by:me",
      "please",
      "which",
      "are",
      "out",
      "check",
    ],
    ...["channel:lobby", tokenId, "before:2h", "help", "?", "*", "me", "logs", "webhooks", "id:x", "kick", "redeliver"],
  );
  const sentence = fc.array(vocabulary, { maxLength: 5 }).map((words) => words.join(" "));

  const begun = fc
    .tuple(fc.constantFrom(...acting.map(({ name }) => name)), sentence)
    .map((words) => words.join(" ").trimEnd());

  it("is marked, so that programs can ask before they run it", () => {
    expect(acting.map(({ name }) => name)).toEqual(["token", "revoke", "resend", "enable", "disconnect"]);
    expect(acting.filter(({ effect }) => effect === "reads")).toEqual([]);
  });

  it("is only what its own words begin, and has an object", () => {
    const begins = new RegExp(
      `^(?:${acting.flatMap(({ name, aliases = [], phrases = [] }) => [name, ...aliases, ...phrases]).join("|")})\\b`,
    );
    let found = 0;
    fc.assert(
      fc.property(fc.oneof(sentence, begun, anyInput), (input) => {
        const result = slack.parse(input, when);
        if (!result.ok || !acting.some(({ name }) => name === result.command.name)) return;
        found += 1;
        const typed = (typeof input === "string" ? input : input.join(" ")).normalize("NFKC").toLowerCase();
        expect(typed.trim().replace(/^\/?media\s+/, "")).toMatch(begins);
        const object = Object.keys(result.command).filter((member) => member !== "name" && member !== "in");
        if (result.command.name !== "token") expect(object).not.toEqual([]);
      }),
      { numRuns: 500 },
    );
    expect(found).toBeGreaterThan(0);
  });

  it("is only suggested if it was typed", () => {
    fc.assert(
      fc.property(sentence, (typed) => {
        const result = slack.parse(typed, when);
        if (result.ok) return;
        const offered = parsed(result.problem.nearest).name;
        const own = acting.find(({ name }) => name === offered);
        const isTyped = [offered, ...(own?.phrases ?? [])].some((name) => typed.includes(name));
        if (own) expect([typed, offered, isTyped]).toEqual([typed, offered, true]);
      }),
      { numRuns: 500 },
    );
  });
});

describe("any input", () => {
  it("either parses or returns one line with a valid command, with operations, too", () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const result = slack.parse(input, when);
        if (result.ok) return;
        const { message, nearest } = result.problem;
        expect(isHarmless(message) && message.length <= 300).toBe(true);
        expect(slack.parse(nearest, when).ok).toBe(true);
      }),
    );
  });
});

describe("check", () => {
  it.each([
    ["check", { name: "check" }],
    ["token check", { name: "check" }],
    ["verify token channel:lobby role:sendonly", { name: "check", channel: "lobby", role: "sendonly" }],
  ])("%j parses in the terminal", (typed, means) => {
    expect(terminal.parse(typed, when)).toEqual({ ok: true, command: means });
  });

  it.each([
    "check",
    "token check",
    "token check channel:lobby",
    "Check token eyJh.e30.x",
    "help check",
    "/media check",
  ])("%j is answered with where it works in Slack", (typed) => {
    const result = slack.parse(typed, when);
    expect(result).toMatchObject({ ok: false, problem: { reason: checkInTerminal.reason, nearest: "tokens" } });
    expect(JSON.stringify(result)).not.toContain("eyJh");
  });
});

describe("a program's language", () => {
  it("has the operations only if the program adds them", () => {
    const core = defineLanguage(coreCommands);
    expect(core.parse("tokens", when)).toEqual({ ok: true, command: { name: "help", topic: "token" } });
    expect(core.parse("token list", when)).toMatchObject({ ok: false, problem: { nearest: "help token" } });
    expect(core.parse("revoke lobby", when).ok).toBe(false);
    expect(slack.help("tokens").title).toBe("tokens");
    expect(slack.help("token revoke").title).toBe("revoke");
  });

  it("refuses two commands with one name", () => {
    const disconnect = command({ name: "disconnect", effect: "deletes", about: "Forgets.", examples: [] });
    expect(() => defineLanguage([...operationCommands, disconnect])).toThrow("Two commands are named disconnect.");
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

  it.each(terminal.commands)("has help on $name with examples that parse", ({ name }) => {
    const { title, usage, examples } = terminal.help(name, {});
    expect(title).toBe(name);
    expect(usage[0]).toMatch(new RegExp(`^${name}\\b`));
    for (const [text] of examples) expect(terminal.parse(text, when).ok).toBe(true);
  });

  it("shows in the help which words are typed as they are", () => {
    const rows = slack.help("revoke").sections.find(({ title }) => title === "Arguments")?.rows;
    expect(rows?.map(([term]) => term)).toEqual(["<channel>", "<token id>", "disconnect"]);
  });
});

it("the types of parsed operations follow from the table", () => {
  type Of<Name extends OperationCommand["name"]> = Extract<OperationCommand, { name: Name }>;
  expectTypeOf<Of<"tokens">>().toEqualTypeOf<{
    readonly name: "tokens";
    readonly channel?: string;
    readonly id?: string;
    readonly role?: "recvonly" | "sendonly" | "sendrecv";
    readonly all?: true;
    readonly by?: Person;
    readonly last?: number;
    readonly in?: string;
  }>();
  expectTypeOf<Of<"revoke">>().toEqualTypeOf<{
    readonly name: "revoke";
    readonly channel?: string;
    readonly id?: string;
    readonly disconnect?: true;
    readonly before?: number;
    readonly in?: string;
  }>();
  expectTypeOf<Of<"enable">>().toEqualTypeOf<{
    readonly name: "enable";
    readonly endpoint: "auth" | "session" | "event";
    readonly in?: string;
  }>();
  expectTypeOf<CommandOf<typeof checkCommand>>().toEqualTypeOf<{
    readonly name: "check";
    readonly channel?: string;
    readonly role?: "recvonly" | "sendonly" | "sendrecv";
    readonly in?: string;
  }>();
});
