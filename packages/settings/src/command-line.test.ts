import { describe, expect, it } from "vitest";
import { nearest, readCommandLine } from "./command-line.js";

const commands = [
  {
    name: "cups fill",
    parameters: ["<cup>", "[drink]"],
    options: [{ name: "sugar", value: "<spoons>" }, { name: "hot" }],
  },
  { name: "cups wash", parameters: [], options: [{ name: "soap" }] },
  { name: "serve", parameters: [] },
] as const;
const program = {
  name: "kitchen",
  commands,
  options: [{ name: "version" }],
  commonOptions: [{ name: "json" }, { name: "help" }],
};

const OF_WASH = "Options: --soap, --json, --help.";

const read = (...args: string[]) => {
  const { command, parameters, given, faults } = readCommandLine<(typeof commands)[number]>(args, program);
  return { command: command?.name, parameters, switches: [...given.switches], values: given.values, faults };
};

describe("a command line", () => {
  it.each([
    ["after the parameters", "cups fill big tea --sugar 2 --hot"],
    ["before the parameters", "cups fill --sugar 2 --hot big tea"],
    ["between the parameters", "cups fill big --hot tea --sugar=2"],
    ["before the command", "--sugar 2 --hot cups fill big tea"],
    ["after the -- that pnpm passes on", "-- cups fill big tea --hot --sugar 2"],
  ])("may have options %s", (_, line) => {
    const words = { command: "cups fill", parameters: ["big", "tea"] };
    expect(read(...line.split(" "))).toEqual({ ...words, switches: ["hot"], values: { sugar: "2" }, faults: [] });
  });

  it("has no options after --", () => {
    expect(read("cups", "fill", "--", "--hot").parameters).toEqual(["--hot"]);
  });

  it("may have values that start with a dash after a =, negative numbers, and empty ones", () => {
    expect(read("cups", "fill", "big", "--sugar=-x").values).toEqual({ sugar: "-x" });
    expect(read("cups", "fill", "big", "--sugar", "-2").values).toEqual({ sugar: "-2" });
    expect(read("cups", "fill", "big", "--sugar=").values).toEqual({ sugar: "" });
  });

  it.each([
    ["cups wash --sope", `kitchen cups wash has no option --sope. Did you mean --soap? ${OF_WASH}`],
    ...["--hot", "-x", "--no-soap", "--__proto__"].map((option) => [
      ...[`cups wash ${option}`, `kitchen cups wash has no option ${option}. ${OF_WASH}`],
    ]),
    ["--jsno", "kitchen has no option --jsno. Did you mean --json? Options: --version, --json, --help."],
    ["--soap", "kitchen has no option --soap. Options: --version, --json, --help."],
    ["cups wash --soap=much", "--soap takes no value."],
    ["cups fill big --sugar", "--sugar needs a value: --sugar <spoons>."],
    ["cups fill big --sugar --hot", "--sugar needs a value: --sugar <spoons>."],
    ["cups fill big --sugar 1 --sugar 2", "--sugar was given twice. Give it once."],
    ["cups fill", "Missing <cup>. Usage: kitchen cups fill <cup> [drink]"],
    ["cups fill a b c", 'Unexpected argument "c". Usage: kitchen cups fill <cup> [drink]'],
    ["cups", 'Incomplete command "cups". Commands: cups fill, cups wash.'],
    ["cup fill --sugar 2", 'Unknown command "cup fill". Did you mean "cups fill"?'],
    ["cups break", 'Unknown command "cups break". Commands: cups fill, cups wash.'],
    ["sreve", 'Unknown command "sreve". Did you mean "serve"?'],
    ["dance", 'Unknown command "dance". kitchen --help lists the commands.'],
  ])("%s is refused", (line = "", fault = "") => {
    expect(read(...line.split(" ")).faults).toEqual([fault]);
  });

  it("with --help needs no parameters", () => {
    expect(read("cups", "fill", "-h")).toMatchObject({ command: "cups fill", switches: ["help"], faults: [] });
  });

  it("of a program without commands only has options, and all faults are reported without repeating a value", () => {
    const options = [
      { name: "key", value: "<key>" },
      { name: "project", value: "<id>", isRepeatable: true },
    ];
    const { given, faults } = readCommandLine(["--project", "a", "--key", "k", "--project=b", "--projcet", "secret"], {
      name: "play",
      options,
      commonOptions: [],
    });
    expect(given.lists).toEqual({ key: ["k"], project: ["a", "b"] });
    expect(faults).toEqual([
      "play has no option --projcet. Did you mean --project? Options: --key, --project.",
      "play takes options only, and one of the words belongs to none. Options: --key, --project.",
    ]);
  });
});

const names = [
  ...["projects create", "projects list", "projects update"],
  ...["webhooks set", "webhooks show", "webhooks remove", "serve"],
];

describe("the nearest known word", () => {
  it.each([
    ["projects lst", "projects list"],
    ["project create", "projects create"],
    ["projects crate", "projects create"],
    ["sreve", "serve"],
    ["webhooks shwo", "webhooks show"],
  ])("is found for the typing error %j", (typed, meant) => {
    expect(nearest(typed, names)).toBe(meant);
  });

  it.each(["projects delete", "project delete", "projects remove", "webhooks get", "webhooks delete", "webhooks", "x"])(
    "is undefined for %j, which has another meaning",
    (typed) => {
      expect(nearest(typed, names)).toBeUndefined();
    },
  );
});
