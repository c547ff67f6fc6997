import { describe, expect, expectTypeOf, it } from "vitest";
import type { CoreCommand } from "./commands.js";
import {
  type CommandOf,
  command,
  coreCommands,
  type DailySpan,
  defineLanguage,
  duration,
  type Filter,
  kind,
  type LogKind,
  oneOf,
  type Threshold,
  text,
} from "./index.js";
import type { SortOrder } from "./kinds.js";
import { type SlackCommand, when } from "./test/language.js";
import { wholeNumber } from "./values.js";

// Types that the bot and the terminal rely on. The compiler checks most of them; the test run checks that parsed
// commands match them.

const follow = command({
  name: "follow",
  effect: "reads",
  about: "Shows new entries as they come.",
  arguments: { kind: { value: kind, about: "which log", required: true } },
  options: {
    everyMs: {
      word: "every",
      value: duration({ min: 1000, max: 3_600_000, example: "5s" }),
      about: "how often to look",
    },
    backlog: { value: wholeNumber({ min: 0, max: 1000, example: "10" }), about: "how many to begin with" },
  },
  filters: true,
  heading: ["{kind} logs as they come"],
  examples: [["follow webhooks status>=400", "failures as they come"]],
});
const use = command({
  name: "use",
  aliases: ["switch"],
  effect: "makes",
  about: "Chooses the project for this channel.",
  arguments: { project: { value: text({ name: "project", example: "demo" }), about: "its id", required: true } },
  heading: ["using {project}"],
  examples: [["use demo", "commands are about demo from now on"]],
});
const completion = command({
  name: "completion",
  effect: "reads",
  about: "Prints what a shell needs to complete commands.",
  arguments: {
    shell: {
      value: oneOf("shell", { bash: { about: "for Bash" }, zsh: { about: "for Zsh" }, fish: { about: "for fish" } }),
      about: "which shell",
      required: true,
    },
  },
  examples: [["completion zsh", "for Zsh"]],
});
const login = command({
  name: "login",
  effect: "makes",
  about: "Keeps an address and a key.",
  examples: [["login", "asks for both"]],
});

const language = defineLanguage([...coreCommands, follow, use, completion, login]);

describe("the types of parsed commands", () => {
  it("follow from the table", () => {
    expectTypeOf<CommandOf<typeof follow>>().toEqualTypeOf<{
      readonly name: "follow";
      readonly kind: LogKind;
      readonly everyMs?: number;
      readonly backlog?: number;
      readonly filters: readonly Filter[];
    }>();
    expectTypeOf<CommandOf<typeof use>>().toEqualTypeOf<{ readonly name: "use"; readonly project: string }>();
    expectTypeOf<CommandOf<typeof completion>["shell"]>().toEqualTypeOf<"bash" | "zsh" | "fish">();
    expectTypeOf<CommandOf<typeof login>>().toEqualTypeOf<{ readonly name: "login" }>();
  });

  it("match the commands of the core", () => {
    type Of<Name extends CoreCommand["name"]> = Extract<CoreCommand, { name: Name }>;
    expectTypeOf<Of<"logs">>().toEqualTypeOf<{
      readonly name: "logs";
      readonly kind: LogKind;
      readonly filters: readonly Filter[];
      readonly since?: number;
      readonly until?: number;
      readonly zone?: string;
      readonly last?: number;
      readonly top?: number;
      readonly sort?: SortOrder;
      readonly in?: string;
      readonly as?: "table" | "compact" | "csv" | "json";
    }>();
  });

  it("have the values of Slack's commands", () => {
    expectTypeOf<Extract<SlackCommand, { name: "watch" }>>().toEqualTypeOf<{
      readonly name: "watch";
      readonly kind: LogKind;
      readonly filters: readonly Filter[];
      readonly when?: Threshold;
      readonly over?: number;
      readonly in?: string;
      readonly quiet?: DailySpan;
    }>();
    expectTypeOf<Extract<SlackCommand, { name: "digest" }>>().toEqualTypeOf<{
      readonly name: "digest";
      readonly at?: number | "off";
      readonly channel?: string;
      readonly project?: string;
    }>();
  });

  it("form a union that a switch can narrow", () => {
    const result = language.parse("use demo", when);
    if (!result.ok) throw new Error(result.problem.reason);
    switch (result.command.name) {
      case "use":
        expectTypeOf(result.command.project).toEqualTypeOf<string>();
        break;
      case "follow":
        expectTypeOf(result.command.kind).toEqualTypeOf<LogKind>();
        break;
      default:
        expectTypeOf(result.command.name).toEqualTypeOf<CoreCommand["name"] | "completion" | "login">();
    }
    expectTypeOf(language.write).toBeCallableWith({ name: "use", project: "demo" });
    // @ts-expect-error a command that is not in the table
    expectTypeOf(language.write).toBeCallableWith({ name: "nonsense" });
    // @ts-expect-error an argument that is missing
    expectTypeOf(language.write).toBeCallableWith({ name: "use" });
  });
});

describe("a language with custom commands", () => {
  const parse = (input: string) => language.parse(input, when);

  it.each([
    [
      "follow hooks status>=400 every:5s",
      {
        name: "follow",
        kind: "webhooks",
        everyMs: 5000,
        filters: [{ field: "status", negated: false, test: { is: ">=", value: 400 } }],
      },
    ],
    ["use demo", { name: "use", project: "demo" }],
    ["switch project:demo", { name: "use", project: "demo" }],
    ["completion ZSH", { name: "completion", shell: "zsh" }],
    ["login", { name: "login" }],
    ["help use", { name: "help", topic: "use" }],
    ["use --help", { name: "help", topic: "use" }],
    ["webhooks", { name: "logs", kind: "webhooks", filters: [] }],
  ])("parses %j, and writes it back", (typed, means) => {
    const result = parse(typed);
    expect(result).toEqual({ ok: true, command: means });
    if (result.ok) expect(parse(language.write(result.command))).toEqual(result);
  });

  it.each([
    ["use", "use needs a project, such as demo.", "help use"],
    ["use main hall", 'use takes one project: "hall" is one too many; a project with spaces needs quotes.', "help use"],
    ["use where:here", 'Unknown name "where"; use has project.', "help use"],
    ["completion tcsh", 'completion takes bash, zsh or fish, not "tcsh".', "help completion"],
    ["completion zhs", 'completion takes bash, zsh or fish, not "zhs".', "help completion"],
    ["completion", "completion needs a shell: bash, zsh or fish.", "help completion"],
    ["folow webhooks", 'Unknown command "folow". Did you mean follow?', "follow webhooks"],
    [
      "follow webhooks client:c1",
      "Webhook logs have no field client; connection and event logs have it.",
      "help webhooks",
    ],
    ["login now", 'login takes no "now".', "help login"],
    ["login user:ann", 'Unknown name "user"; login has none.', "help login"],
  ])("answers %j with one exact message", (typed, reason, nearest) => {
    const result = parse(typed);
    expect(result).toMatchObject({ ok: false, problem: { reason, nearest } });
    expect(parse(nearest).ok).toBe(true);
  });

  it("describes, completes and explains them", () => {
    const result = parse("follow webhooks status>=400 every:5s");
    expect(result.ok && language.describe(result.command)).toBe("webhook logs as they come, status ≥ 400, 5 seconds");
    expect(language.describe({ name: "completion", shell: "zsh" })).toBe("completion zsh");
    expect(language.complete(["completion", "z"])).toEqual([{ text: "zsh", about: "for Zsh" }]);
    expect(language.complete(["follow", "api", "e"]).map(({ text: word }) => word)).toEqual(["elapsed>", "every:"]);
    expect(language.help("follow").usage).toEqual(["follow <kind> [filters] [every:5s] [backlog:10]"]);
    expect(language.help().usage).toContain("use <project>");
  });
});
