import { describe, expect, it } from "vitest";
import { coreCommands, selectionOptions } from "./commands.js";
import { type CommandSpec, command } from "./grammar.js";
import { defineLanguage, isTimed } from "./language.js";
import { checkInTerminal, operationCommands } from "./operations.js";
import { language, slackCommands, terminal, when } from "./test/language.js";
import { zoneNamed } from "./times.js";
import { moment } from "./values.js";

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
});

const commands: CommandSpec[] = [
  ...coreCommands,
  ...slackCommands,
  command({
    name: "peak",
    effect: "reads",
    about: "Shows the busiest channel.",
    options: selectionOptions,
    examples: [["peak", ""]],
  }),
  command({
    name: "at",
    effect: "reads",
    about: "Shows how it was at a time.",
    arguments: {
      time: { value: moment({ direction: "back", pastOnly: true, example: "2h" }), about: "When." },
    },
    examples: [["at 09:00", ""]],
  }),
  command({ name: "login", effect: "makes", about: "Keeps a key.", examples: [["login", ""]] }),
];

describe("a command with times", () => {
  it("has filters, or an argument or option that is a time", () => {
    expect(commands.filter(isTimed).map(({ name }) => name)).toEqual([
      "logs",
      "summary",
      "trace",
      "why",
      "token",
      "watch",
      "peak",
      "at",
    ]);
  });

  it.each(commands)(
    "is detected by its values, each of which declares whether it depends on the time zone: $name",
    (spec) => {
      for (const [subject, { value }] of Object.entries({ ...spec.arguments, ...spec.options })) {
        const read = (zone: string, text: string) =>
          value.parse(text, { now: when.now, zone: zoneNamed(zone), subject, topics: [] });
        const depends = ["09:00", "yesterday", "2026-11-20"].some(
          (text) => JSON.stringify(read("UTC", text)) !== JSON.stringify(read("Asia/Tokyo", text)),
        );
        expect(value.zoned ?? false, subject).toBe(depends);
      }
    },
  );
});
