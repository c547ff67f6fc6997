import { describe, expect, it } from "vitest";
import { type Command, UsageError } from "./command.js";
import { readCommandLine } from "./command-line.js";
import { commands } from "./run.js";

const base = { summary: "Does it.", run: async () => ({ text: "", json: undefined }) };
const table: readonly Command[] = [
  {
    ...base,
    name: "cups fill",
    parameters: ["<cup>", "[drink]"],
    options: [
      { name: "sugar", value: "<spoons>", summary: "how sweet" },
      { name: "hot", summary: "as it should be" },
    ],
  },
  { ...base, name: "wash", parameters: [], options: [{ name: "soap", summary: "with soap" }] },
];

/** What was understood, as plain values. */
function read(...args: string[]) {
  const { command, parameters, given } = readCommandLine(args, table);
  return { command: command?.name, parameters, switches: [...given.switches], values: given.values };
}

function complaintAbout(...args: string[]): string {
  try {
    read(...args);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error("It was understood.");
}

describe("options", () => {
  const understood = { command: "cups fill", parameters: ["big", "tea"], switches: ["hot"], values: { sugar: "2" } };

  it.each([
    ["behind the parameters", "cups fill big tea --sugar 2 --hot"],
    ["before them", "cups fill --sugar 2 --hot big tea"],
    ["among them", "cups fill big --hot tea --sugar=2"],
    ["before the command", "--sugar 2 --hot cups fill big tea"],
    ["behind the -- that pnpm passes on", "-- cups fill big tea --hot --sugar 2"],
  ])("may stand %s", (_, line) => {
    expect(read(...line.split(" "))).toEqual(understood);
  });

  it("end at --: what follows is a parameter", () => {
    expect(read("cups", "fill", "--", "--hot").parameters).toEqual(["--hot"]);
  });

  it("may have a value that begins with a dash behind a =, and an empty one", () => {
    expect(read("cups", "fill", "big", "--sugar=-2").values).toEqual({ sugar: "-2" });
    expect(read("cups", "fill", "big", "--sugar=").values).toEqual({ sugar: "" });
  });

  it.each([
    ["wash --sope", "media-ops wash has no option --sope. Did you mean --soap? Options are --soap, --json and --help."],
    ["wash --hot", "media-ops wash has no option --hot. Options are --soap, --json and --help."],
    ["wash -x", "media-ops wash has no option -x. Options are --soap, --json and --help."],
    ["wash --no-soap", "media-ops wash has no option --no-soap. Options are --soap, --json and --help."],
    ["wash --soap=much", '--soap takes no value, and "much" is one.'],
    ["cups fill big --sugar", "--sugar needs a value: --sugar <spoons>."],
    ["cups fill big --sugar --hot", "--sugar needs a value: --sugar <spoons>."],
    ["cups fill big --sugar 1 --sugar 2", "--sugar is given twice. Give it once."],
    ["--jsno", "There is no option --jsno. Did you mean --json? Options are --json, --help and --version."],
    ["--__proto__ wash", "media-ops wash has no option --__proto__. Options are --soap, --json and --help."],
    ["cups fill", "<cup> is missing. Usage: media-ops cups fill <cup> [drink] [--sugar <spoons>] [--hot]"],
    ["cups fill a b c", '"c" is one too many. Usage: media-ops cups fill <cup> [drink] [--sugar <spoons>] [--hot]'],
  ])("%s is refused", (line, complaint) => {
    expect(complaintAbout(...line.split(" "))).toBe(complaint);
  });

  it("of one name take a value in every command, or in none", () => {
    const kinds = new Map<string, Set<boolean>>();
    for (const { name, value } of commands.flatMap(({ options = [] }) => options)) {
      kinds.set(name, (kinds.get(name) ?? new Set()).add(value !== undefined));
    }
    expect([...kinds].filter(([, { size }]) => size > 1)).toEqual([]);
  });
});

it("whoever asks for help need not know the parameters", () => {
  expect(read("cups", "fill", "-h")).toMatchObject({ command: "cups fill", switches: ["help"] });
});
